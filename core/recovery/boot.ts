import type { SessionKey } from "../contract/ids.ts";
import type { BootReport } from "../contract/calls-recovery.ts";
import { failpoint } from "../failpoint.ts";
import { fromSqlite } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { breakerTrips } from "./boot-decision.ts";
import type { BreakerSettings } from "./boot-decision.ts";
import type { Now } from "./examine.ts";
import { recover } from "./recover.ts";
import type { RecoverySettings, RecoveryScope } from "./recover.ts";

export interface BootContext {
  bootId: string;
  now: Now;
  previousExit: BootReport["previousExit"];
  settings: Omit<RecoverySettings, "breakerTripped">;
  breaker: BreakerSettings;
  /** The records of a lane cannot be read; it stays as it is. */
  onUnreadable(key: SessionKey, cause: unknown): void;
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
    const anything = directory.routing.interruptedKeys().length > 0;
    const breaker = anything
      ? breakerTrips(earlier, boot.now.nowMs, boot.breaker)
      : { trips: false, chain: 0 };
    failpoint("boot.before_recovery");
    const { lists, candidates } = recover(
      stores,
      boot.now,
      { ...boot.settings, breakerTripped: breaker.trips },
      {
        keys: null,
        isBusy: () => false,
        isPaying: () => false,
        apply: true,
        contain: containedIn(db, boot.onUnreadable),
      },
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

/** Work on one lane as a step that is undone by itself where it fails: one bad row never keeps the gateway from starting. */
export const containedIn =
  (
    db: Database,
    onUnreadable: (key: SessionKey, cause: unknown) => void,
  ): RecoveryScope["contain"] =>
  (key, work) => {
    try {
      db.sql.transaction(work)();
      return true;
    } catch (cause) {
      if (fromSqlite(cause) !== cause || !db.sql.inTransaction) throw cause; // the disk, not the row
      onUnreadable(key, cause);
      return false;
    }
  };
