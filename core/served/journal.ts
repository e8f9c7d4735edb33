import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { Goals } from "../goals/goals.ts";
import type { DifferenceStore } from "../journal/difference-store.ts";
import type { Journal } from "../journal/journal.ts";
import { pageLimit } from "../journal/reconcile.ts";
import { retainedRows, retentionMs } from "../journal/retention.ts";
import type { Upkeep } from "../journal/upkeep.ts";
import type { Waker } from "../journal/waker.ts";
import type { RoutingStore } from "../sessions/routing-store.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import type { Served } from "./served.ts";
import { targetOf } from "./journal-view.ts";
import type { JournalView } from "./journal-view.ts";

export interface JournalServedDeps {
  db: Database;
  journal: Journal;
  goals: Goals;
  routing: RoutingStore;
  difference: DifferenceStore;
  acts: ActStore;
  view: JournalView;
  upkeep: Upkeep;
  waker: Waker;
  clock: Clock;
}

const dayMs = 86_400_000;

/** The calls `journal.*` and `watchers.*`. Looking moves no cursor. */
export function servedJournal(deps: JournalServedDeps) {
  const { db, journal, routing, view, clock } = deps;
  const { events, cursors, lines } = journal;

  const act = (actor: string, name: string, key: string, summary: string): void => {
    deps.acts.record({ at: clock.nowMs(), actor, act: name, sessionKey: key, summary });
  };
  const known = (key: string, field: string): void => {
    if (!routing.get(asSessionKey(key)))
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", { field, key });
  };

  return {
    "journal.list": async (input) => {
      const limit = input.limit ?? 100;
      const rows = events.list({
        before: input.before ?? Number.MAX_SAFE_INTEGER,
        limit,
        key: input.key ?? null,
        agentId: input.agentId ?? null,
        kinds: input.kinds ?? null,
        actorTypes: input.actorTypes ?? null,
        actorId: input.actorId ?? null,
        sinceMs: input.sinceMs ?? null,
        untilMs: input.untilMs ?? null,
      });
      return {
        events: view.events(rows),
        nextBefore: rows.length === limit ? (rows.at(-1)?.sequence ?? null) : null,
        head: events.newest(),
        oldest: events.oldest(),
      };
    },

    "journal.changesSince": async ({ key, agentId, since, through, after, limit }) => {
      const target = targetOf(key, agentId);
      const found = journal.changesSince(
        target,
        Math.max(since, after ?? since),
        limit ?? pageLimit,
      );
      const end = Math.min(through ?? found.stateVersion, found.stateVersion);
      const page = found.events.filter((event) => event.sequence <= end);
      const more = found.truncated && page.length === found.events.length;
      const counts = events.countByKind(target.key, target.agentId, since, end);
      const fromMs = events.timeAt(target.key, target.agentId, since);
      const toMs =
        through === undefined
          ? clock.nowMs()
          : (events.timeAt(target.key, target.agentId, end) ?? clock.nowMs());
      return {
        key,
        agentId: target.agentId,
        since,
        through: end,
        stateVersion: found.stateVersion,
        events: view.events(page),
        more,
        next: more ? found.next : null,
        total: counts.reduce((sum, { n }) => sum + n, 0),
        counts: counts.map(({ kind, n }) => ({ kind, count: n })),
        earliestAvailableSequence: found.earliestAvailableSequence,
        // The gap is that of the whole question, whichever page is shown.
        historyGap:
          since < (events.head(target.key, target.agentId)?.prunedMaxSequence ?? 0) ||
          found.historyGap,
        different: {
          fromMs,
          toMs,
          ...deps.difference(key, fromMs ?? 0, toMs),
          sessionIdThen: events.incarnationAt(target.key, target.agentId, since),
          sessionIdNow: routing.get(key)?.sessionId ?? null,
          goalNow: view.goal(deps.goals.get(key)),
        },
      };
    },

    "journal.rail": async ({ key, agentId, before, limit }) => {
      const target = targetOf(key, agentId);
      const most = limit ?? 500;
      const head = events.head(target.key, target.agentId);
      const versions = events.versions(
        target.key,
        target.agentId,
        before ?? Number.MAX_SAFE_INTEGER,
        most,
      );
      const stateVersion = head?.lastSequence ?? 0;
      return {
        key,
        agentId: target.agentId,
        stateVersion,
        earliestAvailableSequence:
          events.earliest(target.key, target.agentId) ?? (head ? stateVersion + 1 : 0),
        prunedThrough: head?.prunedMaxSequence ?? 0,
        versions,
        nextBefore: versions.length === most ? (versions.at(-1)?.sequence ?? null) : null,
        marks: view.pairs(cursors.holders(target)),
      };
    },

    "journal.health": async () => {
      const { failures, last } = journal.health();
      return {
        failures,
        lastFailure: last,
        events: events.count(),
        watches: cursors.count(null),
        pendingNotices: lines.waitingNotices(),
        lastRetentionAtMs: deps.upkeep.lastPassAtMs(),
        retentionDays: retentionMs / dayMs,
        retainedRows,
      };
    },
    "journal.maintain": async ({ what }) => ({
      done: what === "replay" ? await deps.upkeep.replay() : await deps.upkeep.retain(),
    }),

    "watchers.list": async ({ key, limit, cursor }) => {
      const most = limit ?? 100;
      const rows = cursors.page(readPlace(cursor), key ?? null, most);
      const last = rows.at(-1);
      return {
        pairs: view.pairs(rows),
        total: cursors.count(key ?? null),
        nextCursor:
          last && rows.length === most
            ? Buffer.from(JSON.stringify([last.watcher, last.targetKey])).toString("base64url")
            : null,
      };
    },
    "watchers.notices": async ({ key, before, limit }) => {
      const most = limit ?? 50;
      const rows = lines.history(before ?? Number.MAX_SAFE_INTEGER, key ?? null, most);
      return {
        notices: rows.map((line) => ({
          id: line.id,
          watcherKey: asSessionKey(line.sessionKey),
          watcherTitle: view.titleOf(line.sessionKey),
          targetKey: asSessionKey(line.targetKey ?? ""),
          targetTitle: view.titleOf(line.targetKey ?? ""),
          text: line.text,
          base: line.base,
          state: line.state,
          turnId: line.turnId,
          queuedAtMs: line.queuedAt,
          endedAtMs: line.endedAt,
        })),
        nextBefore: rows.length === most ? (rows.at(-1)?.id ?? null) : null,
      };
    },
    "watchers.start": async ({ watcherKey, targetKey, agentId }, { actor }) => {
      known(watcherKey, "watcherKey");
      known(targetKey, "targetKey");
      const watching = await db.write(() => {
        const done = journal.watch(watcherKey, targetOf(targetKey, agentId), clock.nowMs());
        if (done) act(actor, "watch", watcherKey, `Watches ${targetKey}.`);
        return done;
      });
      return { watching };
    },
    "watchers.stop": async ({ watcherKey, targetKey, agentId }, { actor }) => ({
      changed: await db.write(() => {
        const done = journal.unwatch(watcherKey, targetOf(targetKey, agentId), clock.nowMs());
        if (done) act(actor, "unwatch", watcherKey, `Watches ${targetKey} no more.`);
        return done;
      }),
    }),
    "watchers.mute": async ({ watcherKey, targetKey, agentId, muted }) => ({
      changed: await db.write(() =>
        cursors.setMuted(watcherKey, targetOf(targetKey, agentId), muted ? clock.nowMs() : null),
      ),
    }),
    "watchers.raise": async ({ watcherKey, targetKey, agentId }) => {
      const waits = lines
        .liveNotices(watcherKey, targetOf(targetKey, agentId))
        .some((line) => line.state === "waiting");
      if (waits) deps.waker.want(watcherKey);
      return { woken: waits };
    },
  } satisfies Partial<Served>;
}

/** @throws {SignalboxError} E_INPUT for a cursor that is not ours. */
function readPlace(cursor: string | undefined): { watcher: string; target: string } {
  if (cursor === undefined) return { watcher: "", target: "" };
  try {
    const [watcher, target] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    if (typeof watcher === "string" && typeof target === "string") return { watcher, target };
  } catch {
    // one answer for every cursor that is not ours
  }
  throw new SignalboxError(
    "E_INPUT",
    "This cursor belongs to another list; ask again without one.",
    {
      field: "cursor",
    },
  );
}
