import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { SessionDetail } from "../../core/contract/domain.ts";
import type { WireError } from "../../core/contract/errors.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import type { Timer } from "./timer.ts";

export interface SessionState {
  detail: SessionDetail | null;
  error: WireError | null;
}

const PULL_PAUSE_MS = 150;

/** One session with its flags and queue. Rows arrive by push; flags and queue are asked for again when its row changes. */
export function sessionStore(key: SessionKey, bridge: Bridge, timer: Timer) {
  const store = createStore<SessionState>(() => ({ detail: null, error: null }));
  let cancelPull: (() => void) | null = null;
  let asked = 0;

  const pull = async () => {
    cancelPull?.();
    cancelPull = null;
    asked += 1;
    const mine = asked;
    const reply = await bridge.call("sessions.get", { key });
    if (mine !== asked) return;
    store.setState(reply.ok ? { detail: reply.value, error: null } : { error: reply.error });
  };

  return {
    store,
    actions: { pull },
    start() {
      const stops = [
        bridge.on("sessions.delta", ({ upserts }) => {
          const row = upserts.find((one) => one.key === key);
          if (row === undefined) return;
          store.setState(({ detail }) => ({ detail: detail && { ...detail, ...row } }));
          cancelPull ??= timer.after(PULL_PAUSE_MS, () => {
            void pull();
          });
        }),
        bridge.onLink((news) => {
          if (news === "up" || news === "gap") void pull();
        }),
      ];
      return () => {
        cancelPull?.();
        for (const stop of stops) stop();
      };
    },
  };
}

export type Session = ReturnType<typeof sessionStore>;
