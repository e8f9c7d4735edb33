import { servedCache } from "../served/cache.ts";
import { servedMachinery } from "../served/machinery.ts";
import { servedRecovery } from "../served/recovery.ts";
import { createDoor } from "../served/served.ts";
import { servedSessions } from "../served/sessions.ts";
import type { StatusReader } from "../served/status.ts";
import type { StopOptions } from "../gateway.ts";
import { recoverySettings } from "./recovery-settings.ts";
import type { Base } from "./base.ts";
import type { Machinery } from "./machinery.ts";

/** The contract's calls, each answered by the part that owns it. */
export function serveCalls(
  base: Base,
  machinery: Machinery,
  status: StatusReader,
  requestStop: (options: StopOptions) => void,
) {
  const { db, stores, clock, config, openLog, bus } = base;
  return createDoor(
    {
      ...servedSessions({
        ...stores,
        ...machinery,
        acts: machinery.laneActs,
        db,
        clock,
        keyRules: base.keyRules,
        changed: (key) => {
          bus.emit("session.changed", { key, urgent: true });
        },
      }),
      ...servedRecovery({
        ...stores,
        ...machinery,
        stores,
        db,
        bus,
        clock,
        settings: () => recoverySettings(base, machinery),
      }),
      ...servedCache({ ...stores, ...machinery }),
      ...servedMachinery({
        ...machinery,
        db,
        status,
        config,
        notices: stores.notices,
        ring: openLog.ring,
        requestStop,
      }),
    },
    openLog.log.area("calls"),
  );
}
