import { createStore } from "zustand/vanilla";
import type { Bridge, LinkState } from "../../core/contract/bridge.ts";
import type { GatewayStatus } from "../../core/contract/domain.ts";
import type { Timer } from "./timer.ts";

export interface GatewayState {
  link: LinkState;
  status: GatewayStatus | null;
  /** When the gateway was last heard of, this machine's clock; null before the first word. */
  heardAtMs: number | null;
  /** What is on screen may be old: the link is lost, a push was missed, or nothing came for ten seconds. */
  stale: boolean;
}

const ASK_EVERY_MS = 4_000;
const STALE_AFTER_MS = 10_000; // ux.md 5

/** How the gateway is, and whether what it said last can still be trusted. */
export function gatewayStore(bridge: Bridge, timer: Timer) {
  const store = createStore<GatewayState>(() => ({
    link: "connecting",
    status: null,
    heardAtMs: null,
    stale: false,
  }));
  let offsetMs = 0;
  let asking = false;

  const hear = (status: GatewayStatus) => {
    const heardAtMs = timer.nowMs();
    offsetMs = status.nowMs - heardAtMs;
    store.setState({ status, heardAtMs, stale: store.getState().link === "lost" });
  };

  /** Asks for the status now. A gap stays marked until an answer comes. */
  const pull = async () => {
    if (asking) return;
    asking = true;
    const reply = await bridge.call("gateway.status", {});
    asking = false;
    if (reply.ok) hear(reply.value);
  };

  return {
    store,
    actions: { pull },
    /** Epoch milliseconds by the gateway's clock: durations count from it, not from this machine's. */
    nowMs: () => timer.nowMs() + offsetMs,
    /** Listens until the returned function is called. */
    start() {
      let cancel = () => {};
      const watch = () => {
        const { heardAtMs, stale, link } = store.getState();
        const silentMs = heardAtMs === null ? 0 : timer.nowMs() - heardAtMs;
        if (silentMs >= STALE_AFTER_MS && !stale) store.setState({ stale: true });
        if (silentMs >= ASK_EVERY_MS && link === "up") void pull();
        cancel = timer.after(1_000, watch);
      };
      const stops = [
        bridge.on("gateway.status", hear),
        bridge.onLink((news) => {
          if (news === "gap") {
            store.setState({ stale: true });
            void pull();
            return;
          }
          store.setState({ link: news, ...(news === "lost" ? { stale: true } : {}) });
          if (news === "up") void pull();
        }),
      ];
      watch();
      return () => {
        cancel();
        for (const stop of stops) stop();
      };
    },
  };
}

export type Gateway = ReturnType<typeof gatewayStore>;
