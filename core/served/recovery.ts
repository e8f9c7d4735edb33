import type { BootReport, DeliveryRow } from "../contract/calls-recovery.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Clock } from "../clock.ts";
import type { ObligationRow, ObligationStore } from "../delivery/obligation-store.ts";
import type { Sender } from "../delivery/sender.ts";
import type { Bus } from "../live/bus.ts";
import { stuckThreshold } from "../recovery/boot-decision.ts";
import { holdBack } from "../recovery/apply.ts";
import { containedIn } from "../recovery/boot.ts";
import type { StoredReport } from "../recovery/boot.ts";
import { recover } from "../recovery/recover.ts";
import type { RecoverySettings } from "../recovery/recover.ts";
import type { BootRow, RecoveryStore } from "../recovery/recovery-store.ts";
import { reportLists } from "../recovery/report.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import type { Served } from "./served.ts";

export interface RecoveryServedDeps {
  db: Database;
  stores: TurnFinishStores;
  directory: SessionDirectory;
  inbox: InboxStore;
  obligations: ObligationStore;
  recovery: RecoveryStore;
  acts: ActStore;
  lanes: Lanes;
  sender: Sender;
  bus: Bus;
  clock: Clock;
  settings(): Omit<RecoverySettings, "breakerTripped" | "clean">;
  onUnreadable(key: SessionKey, cause: unknown): void;
}

/** The calls `recovery.*` and `deliveries.*`. */
export function servedRecovery(deps: RecoveryServedDeps) {
  const { db, directory, inbox, obligations, recovery, lanes, sender, bus, clock } = deps;
  const { routing } = directory;
  const titleOf = (key: SessionKey): string => routing.get(key)?.title ?? "";
  const act = (actor: string, name: string, sessionKey: string | null, summary: string): void => {
    deps.acts.record({ at: clock.nowMs(), actor, act: name, sessionKey, summary });
  };

  /** A person who asks for recovery means now: age and breaker do not hold it back. */
  const examine = (keys: readonly SessionKey[] | undefined, apply: boolean) =>
    recover(
      deps.stores,
      { ...clock.machine(), nowMs: clock.nowMs() },
      {
        ...deps.settings(),
        clean: false,
        breakerTripped: false,
        freshnessMs: 0,
        maxAgeMs: Number.MAX_SAFE_INTEGER,
      },
      {
        keys: keys ?? null,
        isBusy: (key) => lanes.isBusy(key),
        isPaying: (key) => sender.isPaying(key),
        apply,
        contain: containedIn(db, deps.onUnreadable),
      },
    );

  async function resume(keys: readonly SessionKey[] | undefined, actor: string, name: string) {
    const done = await db.write(() => {
      const result = examine(keys, true);
      act(actor, name, null, `Recovery of ${keys ? `${keys.length} sessions` : "all sessions"}.`);
      return result;
    });
    for (const key of keys ?? inbox.waitingLanes()) {
      lanes.wake(key);
      bus.emit("session.changed", { key, urgent: true });
    }
    sender.pumpAll();
    return done;
  }

  async function decideDelivery(
    id: string,
    actor: string,
    name: string,
    to: "delivered" | "abandoned" | "retry",
  ): Promise<{ changed: boolean }> {
    const key = await db.write(() => {
      const row = obligations.get(id);
      if (!row)
        throw new SignalboxError("E_NOT_FOUND", "There is no delivery with this id.", {
          field: "id",
        });
      if (row.state === "delivered" || (row.state === "abandoned" && to === "abandoned"))
        return null;
      if (row.state === "attempting")
        throw new SignalboxError("E_BUSY", "It is being sent right now.", { id });
      // Kept also by what is discarded: should it be sent after all, it may be there already.
      const labelled = row.state === "unknown" ? { labelled: "sent again by the operator" } : {};
      const target =
        to === "retry"
          ? {
              state: "pending" as const,
              error: row.lastError,
              released: true as const,
              ...labelled,
            }
          : {
              state: to,
              error: to === "abandoned" ? (row.lastError ?? "Discarded.") : null,
              ...labelled,
            };
      obligations.settle(id, row.fence, target, clock.nowMs(), true);
      act(actor, name, row.sessionKey, `Delivery ${id}.`);
      return row.sessionKey;
    });
    if (key === null) return { changed: false };
    bus.emit("messages.changed", { key });
    bus.emit("status.changed", {});
    sender.pump(key);
    return { changed: true };
  }

  return {
    "recovery.boots": async ({ limit }) => ({
      boots: recovery.boots(limit ?? 50).map((row) => {
        const { lists, phases: _phases, breaker: _breaker, host: _host, ...rest } = toReport(row);
        return { ...rest, resumed: lists.resumed.count, stuck: lists.stuck.count };
      }),
    }),
    "recovery.report": async ({ bootId }) => {
      const row = bootId === undefined ? recovery.boots(1)[0] : recovery.boot(bootId);
      if (!row)
        throw new SignalboxError("E_NOT_FOUND", "There is no start with this id.", {
          field: "bootId",
        });
      return toReport(row);
    },
    "recovery.loops": async () => ({
      threshold: stuckThreshold,
      loops: [
        ...new Set([...recovery.allRestarts().map((row) => row.key), ...routing.heldKeys()]),
      ].map((key) => {
        const row = routing.get(key);
        return {
          key,
          title: row?.title ?? "",
          restarts: recovery.restarts(key),
          suspended: row?.suspended === 1,
          held: row?.resumeHeldAt != null,
        };
      }),
      breakerTripped: routing.heldKeys().length > 0,
    }),
    "recovery.preview": async ({ keys }) => ({ lists: examine(keys, false).lists }),
    "recovery.run": async ({ keys }, { actor }) => ({
      lists: (await resume(keys, actor, "recover")).lists,
    }),
    "recovery.resetCount": async ({ key }, { actor }) => ({
      changed: await db.write(() => {
        const changed = recovery.clearRestarts(key);
        if (changed) act(actor, "reset-count", key, "Interrupted restarts forgotten.");
        return changed;
      }),
    }),
    "recovery.release": async ({ keys }, { actor }) => {
      const held = routing.heldKeys().filter((key) => keys === undefined || keys.includes(key));
      if (held.length === 0) return { released: 0 };
      await resume(held, actor, "release");
      return { released: held.length };
    },
    "recovery.hold": async ({ key }, { actor }) => ({
      changed: await db.write(() => {
        const row = routing.get(key);
        if (!row)
          throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
            field: "key",
          });
        if (row.resumePending === 0 || row.resumeHeldAt !== null) return false;
        act(actor, "hold", key, "Its interrupted turn is held back.");
        holdBack(deps.stores, key);
        return routing.patch(key, { resumeHeldAt: clock.nowMs() });
      }),
    }),

    "deliveries.list": async ({ state, key, limit, before }) => {
      const rows = obligations.list({
        state: state ?? null,
        key: key ?? null,
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: limit ?? 50,
      });
      const last = rows.at(-1);
      return {
        deliveries: rows.map((row) => deliveryRow(row, titleOf(row.sessionKey))),
        nextBefore: last && rows.length === (limit ?? 50) ? last.orderSeq : null,
        counts: obligations.counts(),
      };
    },
    "deliveries.markDelivered": async ({ id }, { actor }) =>
      decideDelivery(id, actor, "mark-delivered", "delivered"),
    "deliveries.retry": async ({ id }, { actor }) =>
      decideDelivery(id, actor, "retry-delivery", "retry"),
    "deliveries.discard": async ({ id }, { actor }) =>
      decideDelivery(id, actor, "discard-delivery", "abandoned"),
  } satisfies Partial<Served>;
}

const empty: StoredReport = {
  previousExit: "first_start",
  breaker: { tripped: false, chain: 0 },
  lists: reportLists().lists(),
  phases: [],
};

function toReport(row: BootRow): BootReport {
  const stored = row.reportJson === null ? empty : (JSON.parse(row.reportJson) as StoredReport);
  const { reportJson: _json, ...boot } = row;
  return { ...boot, ...stored };
}

const deliveryRow = (row: ObligationRow, title: string): DeliveryRow => ({
  id: row.obligationId,
  key: row.sessionKey,
  title,
  channelId: row.channelId,
  chatId: row.chatId,
  kind: row.kind,
  state: row.state,
  attempts: row.attempts,
  recovered: row.recovered === 1,
  partsDone: row.partsDone,
  partsTotal: row.partsTotal,
  preview: row.content.slice(0, 280),
  lastError: row.lastError,
  nextAttemptAtMs: row.nextAttemptAt,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
});
