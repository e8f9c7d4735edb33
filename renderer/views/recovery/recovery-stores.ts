import type { Bridge } from "../../../core/contract/bridge.ts";
import { followedStore } from "../../stores/followed.ts";
import type { Timer } from "../../stores/timer.ts";

/** Rows of the ledger that a page shows; older ones are asked for by state. */
const LEDGER_ROWS = 200;

/** Everything that the Recovery screen follows. */
export function recoveryStores(bridge: Bridge, timer: Timer) {
  const boots = followedStore(bridge, timer, () => bridge.call("recovery.boots", {}));
  const loops = followedStore(bridge, timer, () => bridge.call("recovery.loops", {}));
  const ledger = followedStore(bridge, timer, () =>
    bridge.call("deliveries.list", { limit: LEDGER_ROWS }),
  );
  const all = [boots, loops, ledger];
  return {
    boots,
    loops,
    ledger,
    async pull() {
      await Promise.all(all.map((one) => one.actions.pull()));
    },
    start() {
      const stops = all.map((one) => one.start());
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

export type RecoveryStores = ReturnType<typeof recoveryStores>;
