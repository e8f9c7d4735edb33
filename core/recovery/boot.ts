import type { BootReport } from "../contract/calls-recovery.ts";
import { failpoint } from "../failpoint.ts";
import type { Database } from "../state/database.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { breakerTrips } from "./boot-decision.ts";
import type { BreakerSettings } from "./boot-decision.ts";
import { examineLane, lanesToExamine } from "./examine.ts";
import type { Now } from "./examine.ts";
import { recover } from "./recover.ts";
import type { RecoverySettings } from "./recover.ts";

export interface BootContext {
  bootId: string;
  now: Now;
  previousExit: BootReport["previousExit"];
  settings: Omit<RecoverySettings, "breakerTripped">;
  breaker: BreakerSettings;
}

/** What a report stores; the rest of it are columns of the boot's row. */
export type StoredReport = Pick<BootReport, "previousExit" | "breaker" | "lists"> & {
  phases: BootReport["phases"];
};

/** Boots kept as history. */
const bootsKept = 200;

/**
 * The recovery of a start (lifecycle 10.3), in one transaction: every lane that was cut off, every debt, every waiting
 * message is in a decided state before the first turn may begin. That the lanes open only after it is our startup gate.
 */
export function recoverBoot(
  db: Database,
  stores: TurnFinishStores,
  boot: BootContext,
): StoredReport {
  return db.writeNow(() => {
    const { recovery, directory, inbox } = stores;
    const earlier = recovery.resumingBoots(50);
    const anything = lanesToExamine(stores).some((key) => {
      const row = directory.routing.get(key);
      const found = row && examineLane(stores, row, boot.now);
      return found !== undefined && (found.marker !== null || found.resumePending !== null);
    });
    const breaker = anything
      ? breakerTrips(earlier, boot.now.nowMs, boot.breaker)
      : { trips: false, chain: 0 };
    failpoint("boot.before_recovery");
    const { lists, candidates } = recover(
      stores,
      boot.now,
      { ...boot.settings, breakerTripped: breaker.trips },
      { keys: null, isBusy: () => false, apply: true },
    );
    for (const { key } of recovery.allRestarts()) {
      const row = directory.routing.get(key);
      if (!row || (row.resumePending === 0 && row.activeTurnToken === null))
        recovery.clearRestarts(key); // its loop is broken
    }
    for (const key of directory.routing.unsettledKeys()) {
      directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, boot.now.nowMs);
    }
    const report: StoredReport = {
      previousExit: boot.previousExit,
      breaker: { tripped: breaker.trips, chain: breaker.chain },
      lists,
      phases: [],
    };
    recovery.saveReport(boot.bootId, report, candidates);
    recovery.pruneBoots(bootsKept);
    failpoint("boot.recovery_uncommitted");
    return report;
  });
}
