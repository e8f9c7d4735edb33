import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { LogLine } from "../../core/contract/domain.ts";
import type { WireError } from "../../core/contract/errors.ts";

export interface LogsState {
  /** Oldest first. */
  lines: readonly LogLine[];
  loaded: boolean;
  error: WireError | null;
}

const KEPT = 1_000;

/** The newest log lines of the gateway, or of one session. */
export function logsStore(bridge: Bridge, sessionKey?: string) {
  const store = createStore<LogsState>(() => ({ lines: [], loaded: false, error: null }));
  const pull = async () => {
    const of = sessionKey === undefined ? {} : { sessionKey };
    const reply = await bridge.call("logs.tail", { limit: 500, ...of });
    store.setState(
      reply.ok ? { lines: reply.value.lines, loaded: true, error: null } : { error: reply.error },
    );
  };
  return {
    store,
    actions: { pull },
    start() {
      const stops = [
        bridge.on("logs.append", ({ lines }) => {
          const mine = lines.filter(
            (line) => sessionKey === undefined || line.sessionKey === sessionKey,
          );
          if (mine.length === 0) return;
          store.setState((state) => {
            const last = state.lines.at(-1)?.seq ?? 0;
            return {
              lines: [...state.lines, ...mine.filter((line) => line.seq > last)].slice(-KEPT),
            };
          });
        }),
        bridge.onLink((news) => {
          if (news === "up" || news === "gap") void pull();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
