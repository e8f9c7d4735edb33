import { servedData } from "../served/data.ts";
import { differenceStore } from "../journal/difference-store.ts";
import { servedCache } from "../served/cache.ts";
import { servedGoals } from "../served/goals.ts";
import { servedJournal } from "../served/journal.ts";
import { servedLifecycle } from "../served/lifecycle.ts";
import { servedInsight } from "../served/session-insight.ts";
import { busyModeOf } from "../turns/busy-input.ts";
import { servedMachinery } from "../served/machinery.ts";
import { servedQueues } from "../served/queues.ts";
import { servedRecovery } from "../served/recovery.ts";
import { createDoor } from "../served/served.ts";
import { servedSessions } from "../served/sessions.ts";
import type { StatusReader } from "../served/status.ts";
import type { StopOptions } from "../gateway.ts";
import { recoverySettings } from "./recovery-settings.ts";
import type { Base } from "./base.ts";
import type { DataParts } from "./data.ts";
import type { Machinery } from "./machinery.ts";

/** The contract's calls, each answered by the part that owns it. */
export function serveCalls(
  base: Base,
  machinery: Machinery,
  data: DataParts,
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
        onUnreadable: (key, cause) => {
          openLog.log.area("recovery").error("recovery.unreadable", { sessionKey: key }, cause);
        },
      }),
      ...servedQueues({ ...stores, ...machinery, db, bus, clock }),
      ...servedLifecycle({ ...stores, ...machinery, db, clock }),
      ...servedInsight({
        directory: stores.directory,
        lanes: machinery.lanes,
        clock,
        keyRules: base.keyRules,
        connectedPlatforms: () => machinery.hub.kindsUp(),
        redactPii: () => config.value.privacy.redact_pii,
        busyModeOf: (key, platform) => busyModeOf(machinery.lifecycle.busySettings(key, platform)),
        lastActor: (key, act) => stores.acts.lastActor(key, act),
        isBusy: (key) => machinery.lifecycle.guard.isBusy(key),
      }),
      ...servedCache({ ...stores, ...machinery }),
      ...servedJournal({
        ...stores,
        ...machinery.awareness,
        db,
        clock,
        routing: stores.directory.routing,
        difference: differenceStore(db),
        view: machinery.awareness.view,
      }),
      ...servedGoals({
        ...stores,
        ...machinery.awareness,
        db,
        clock,
        routing: stores.directory.routing,
        childRunStore: stores.childRuns,
        view: machinery.awareness.view,
        changed: (key) => {
          bus.emit("session.changed", { key, urgent: true });
        },
      }),
      ...servedData({
        ...data,
        directory: stores.directory,
        db,
        clock,
        hideSecrets: openLog.hideSecrets,
        changed: (key) => {
          bus.emit("session.changed", { key, urgent: true });
        },
      }),
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
