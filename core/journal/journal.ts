import { fromSqlite } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import { toWire } from "../contract/errors.ts";
import { agentQualified } from "./agent-key.ts";
import { cursorStore } from "./cursor-store.ts";
import type { Target } from "./cursor-store.ts";
import { eventStore } from "./event-store.ts";
import type { NewEvent, RecordedEvent } from "./kinds.ts";
import { seededAt } from "./marks.ts";
import { notices } from "./notices.ts";
import { publisher } from "./publisher.ts";
import type { JournalBatch } from "./publisher.ts";
import { changesSince, unreadable } from "./reconcile.ts";
import type { ChangeSet } from "./reconcile.ts";
import { recorder } from "./recorder.ts";
import { systemEventStore } from "./system-event-store.ts";
import type { SystemEvent } from "./system-event-store.ts";

export interface JournalListener {
  /** After the commit, in the order of the commits. */
  committed?(batch: JournalBatch): void;
  /** A step of this layer failed; what it was part of goes on. */
  failed?(what: string, cause: unknown): void;
}

export interface JournalHealth {
  failures: number;
  last: { what: string; code: string; message: string } | null;
}

/** Where a walk over pairs stands. */
export interface PairPlace {
  watcher: string;
  target: string;
}

const nothing = { next: null, pairs: 0 } as const;

export type Journal = ReturnType<typeof openJournal>;

/**
 * The signal journal of every session (state-awareness). Its steps join the caller's transaction, each in a savepoint
 * of its own: a failure is told to the listeners and counted, and never reaches what it was part of (I11).
 */
export function openJournal(db: Database) {
  const { sql } = db;
  const events = eventStore(db);
  const cursors = cursorStore(db);
  const lines = systemEventStore(db);
  const listeners = new Set<JournalListener>();
  const health: JournalHealth = { failures: 0, last: null };
  const outbox = publisher(
    events,
    (batch) => {
      for (const listener of listeners) listener.committed?.(batch);
    },
    (cause) => {
      if (sql.open) failed("publish", cause); // what was recorded just before the end is told by nobody
    },
  );
  const queue = notices({ cursors, lines, touched: outbox.touched });
  const recordNow = recorder({
    events,
    cursors,
    lines,
    notices: queue,
    recorded: outbox.recorded,
  });

  function failed(what: string, cause: unknown): void {
    health.failures += 1;
    const { code, message } = toWire(fromSqlite(cause));
    health.last = { what, code, message };
    for (const listener of listeners) listener.failed?.(what, cause);
  }

  /** One step, undone alone where it fails. */
  function step<T>(what: string, otherwise: T, work: () => T): T {
    const joined = sql.inTransaction;
    try {
      return sql.transaction(work)();
    } catch (cause) {
      failed(what, cause);
      // A full disk takes the whole transaction back: then there is nothing left to go on with.
      if (joined && !sql.inTransaction) throw cause;
      return otherwise;
    }
  }

  function reading<T>(what: string, otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      failed(what, cause);
      return otherwise;
    }
  }

  const version = (target: Target): number =>
    reading("version", 0, () => events.head(target.key, target.agentId)?.lastSequence ?? 0);

  return {
    events,
    cursors,
    lines,

    listen(listener: JournalListener): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    health: (): JournalHealth => ({ ...health }),

    /** Other signal work of the caller, under the same rule. */
    step,

    /** Appends one event; null where it could not be recorded. */
    record: (event: NewEvent, nowMs: number): RecordedEvent | null =>
      step<RecordedEvent | null>("record", null, () => recordNow(event, nowMs)),

    /** Registers a watch from now on (5.3); a second registration keeps every mark. False: refused, or not written. */
    watch(watcher: string, target: Target, nowMs: number): boolean {
      if (watcher === target.key || agentQualified(watcher) === null) return false;
      return step("watch", false, () => {
        if (cursors.get(watcher, target)) cursors.renew(watcher, target, nowMs);
        else {
          const head = events.head(target.key, target.agentId)?.lastSequence ?? 0;
          cursors.seed(watcher, target, seededAt(head), "asked", nowMs);
          outbox.touched(watcher, target, "ended", null);
        }
        return true;
      });
    },
    /** Ends a watch; false where there was none. */
    unwatch: (watcher: string, target: Target, nowMs: number): boolean =>
      step("unwatch", false, () => {
        queue.withdraw(watcher, target, nowMs);
        const ended = cursors.drop(watcher, target);
        if (ended) outbox.touched(watcher, target, "ended", null);
        return ended;
      }),
    settle: (watcher: string, target: Target, through: number, nowMs: number): boolean =>
      step("settle", false, () => queue.settle(watcher, target, through, nowMs)),

    /** Shows what waits to a turn (or, with null, to a reader that answers at once). */
    take: (sessionKey: string, turnId: string | null): SystemEvent[] =>
      step<SystemEvent[]>("take", [], () => queue.take(sessionKey, turnId)),
    acknowledge(sessionKey: string, shown: readonly SystemEvent[], nowMs: number): void {
      if (shown.length > 0)
        step("acknowledge", undefined, () => {
          queue.acknowledge(sessionKey, shown, nowMs);
        });
    },
    putBack(shown: readonly SystemEvent[], nowMs: number): void {
      if (shown.length > 0)
        step("put_back", undefined, () => {
          queue.putBack(shown, nowMs);
        });
    },
    enqueue: (
      sessionKey: string,
      text: string,
      contextKey: string | null,
      nowMs: number,
    ): number | null =>
      step<number | null>("enqueue", null, () =>
        queue.enqueue(sessionKey, text, contextKey, nowMs),
      ),

    /** A session began a new conversation: it watches nobody and is told nothing any more (5.7). */
    forgetWatcher(sessionKey: string, nowMs: number): void {
      step("forget_watcher", undefined, () => {
        lines.withdrawOf(sessionKey, nowMs);
        cursors.dropHeldBy(sessionKey);
      });
    },
    /** A session was deleted: its journal, the watches on it and by it, and what tells of it go (5.7). */
    forgetSession(target: Target, nowMs: number): void {
      step("forget_session", undefined, () => {
        events.drop(target.key, target.agentId);
        lines.withdrawAbout(target, nowMs);
        cursors.dropOn(target);
        lines.withdrawOf(target.key, nowMs);
        cursors.dropHeldBy(target.key);
      });
    },

    /** Lines that dead turns were shown wait again. */
    recoverTaken(nowMs: number): void {
      step("recover", undefined, () => {
        queue.putBack(lines.taken(), nowMs);
      });
    },
    /**
     * Queues the next pending pairs again (6.5), in the order of their watchers. @returns where to go on, null at the
     * end. Watchers without a session are left alone; what waits for them is withdrawn.
     */
    replaySlice(
      after: PairPlace,
      limit: number,
      exists: (watcher: string) => boolean,
      nowMs: number,
    ): { next: PairPlace | null; pairs: number } {
      return step<{ next: PairPlace | null; pairs: number }>("replay", nothing, () => {
        const pairs = cursors.pending(after, limit);
        let last = { watcher: "", there: false };
        for (const cursor of pairs) {
          const { watcher } = cursor;
          if (last.watcher !== watcher) last = { watcher, there: exists(watcher) };
          if (last.there) queue.replay(cursor, nowMs);
          else
            queue.withdraw(
              watcher,
              { key: cursor.targetKey, agentId: cursor.targetAgentId },
              nowMs,
            );
        }
        const end = pairs.at(-1);
        const next =
          end && pairs.length === limit ? { watcher: end.watcher, target: end.targetKey } : null;
        return { next, pairs: pairs.length };
      });
    },
    /** Forgets watches in which nothing happened since a time; returns how many, at most `limit`. */
    expireSlice: (beforeMs: number, limit: number, nowMs: number): number =>
      step("expire", 0, () => {
        const pairs = cursors.expired(beforeMs, limit);
        for (const { watcher, target } of pairs) {
          queue.withdraw(watcher, target, nowMs);
          cursors.drop(watcher, target);
        }
        return pairs.length;
      }),

    changesSince: (target: Target, after: number, limit?: number): ChangeSet =>
      reading("changes_since", unreadable, () => changesSince(events, target, after, limit)),
    version,
    isWatched: (target: Target): boolean =>
      reading("is_watched", false, () => cursors.isWatched(target)),
  };
}
