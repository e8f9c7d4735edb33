import type { Bridge, Reply } from "../../core/contract/bridge.ts";
import { pulledStore } from "./pulled.ts";
import type { Timer } from "./timer.ts";

/** Changes come in bursts; a screen of totals needs no more than two looks a second. */
const PAUSE_MS = 500;

/**
 * Something that is asked for again whenever sessions, transcripts or the gateway's state changed: for screens whose
 * totals no single push carries.
 */
export function followedStore<T>(bridge: Bridge, timer: Timer, ask: () => Promise<Reply<T>>) {
  const { store, pull, keepFresh } = pulledStore(bridge, ask);
  let cancel: (() => void) | null = null;
  const soon = () => {
    cancel ??= timer.after(PAUSE_MS, () => {
      cancel = null;
      void pull();
    });
  };
  return {
    store,
    actions: { pull },
    start: () =>
      keepFresh([
        bridge.on("sessions.delta", soon),
        bridge.on("gateway.status", soon),
        bridge.on("transcript.changed", soon),
        () => {
          cancel?.();
          cancel = null;
        },
      ]),
  };
}
