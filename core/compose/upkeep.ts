import type { SessionKey } from "../contract/ids.ts";
import { createHousekeeping } from "../recovery/housekeeping.ts";
import { createWatchdog } from "../turns/watchdog.ts";
import type { Watched } from "../turns/watchdog.ts";
import type { Base } from "./base.ts";
import { lifecycleUpkeep } from "./lifecycle-upkeep.ts";

/** What looks after the others by the clock: hung turns, and what no longer serves anything. */
export function createUpkeep(
  base: Base,
  parts: {
    watched(): Watched[];
    readsTranscript(channelId: string): boolean;
    deliver(key: SessionKey): void;
  },
) {
  const { db, stores, bus, clock, config, openLog } = base;
  const watchdog = createWatchdog({
    ...stores,
    ...parts,
    db,
    bus,
    clock,
    log: openLog.log.area("watchdog"),
    limits: () => {
      const { agent } = config.value;
      return {
        stallMs: agent.session_stall_timeout * 1000,
        warningMs: agent.gateway_timeout_warning * 1000,
        timeoutMs: agent.gateway_timeout * 1000,
      };
    },
    raise: (notice) => {
      base.raise(notice);
    },
  });
  const housekeeping = createHousekeeping({
    ...parts,
    more: lifecycleUpkeep(base),
    db,
    stores,
    clock,
    log: openLog.log.area("housekeeping"),
    freshnessMs: () => config.value.agent.gateway_auto_continue_freshness * 1000,
  });
  return { watchdog, housekeeping };
}
