import type { Bridge } from "../../core/contract/bridge.ts";
import type { SessionKey } from "../../core/contract/ids.ts";

/** The lanes whose rows and live text this page is sent: the union of what its views show. */
export interface Watching {
  /** Watches a lane until the returned function is called. Several watchers of one lane are one. */
  watch: (key: SessionKey) => () => void;
  start: () => () => void;
}

/** Keeps the gateway's list of watched lanes equal to what is on screen, also after a reconnect. */
export function watching(bridge: Bridge): Watching {
  const watchers = new Map<SessionKey, number>();
  let told = "";
  let scheduled = false;

  const tell = () => {
    scheduled = false;
    const keys = [...watchers.keys()].toSorted();
    if (JSON.stringify(keys) === told) return;
    told = JSON.stringify(keys);
    void bridge.call("sessions.watch", { keys }).then((reply) => {
      if (!reply.ok) told = "";
    });
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(tell); // leaving one session for another is one call
  };

  return {
    watch(key) {
      watchers.set(key, (watchers.get(key) ?? 0) + 1);
      schedule();
      return () => {
        const left = (watchers.get(key) ?? 1) - 1;
        if (left > 0) watchers.set(key, left);
        else watchers.delete(key);
        schedule();
      };
    },
    start: () =>
      bridge.onLink((news) => {
        if (news !== "gap") return;
        told = ""; // a new connection watches nothing
        if (watchers.size > 0) schedule();
      }),
  };
}
