import type {
  ChildRun as ShownRun,
  GoalRow,
  JournalEvent,
  WatchNotice,
  WatchPair,
} from "../contract/calls-journal.ts";
import type { ChildRun } from "../agents/delegations/child-run.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { Goal } from "../goals/goal.ts";
import { agentOf } from "../journal/agent-key.ts";
import type { CursorRow } from "../journal/cursor-store.ts";
import type { Journal } from "../journal/journal.ts";
import { notifies } from "../journal/kinds.ts";
import type { RecordedEvent } from "../journal/kinds.ts";
import { isPending } from "../journal/marks.ts";
import type { NoticeChange } from "../journal/publisher.ts";
import { retentionMs } from "../journal/retention.ts";
import type { RoutingStore } from "../sessions/routing-store.ts";

/** Events are counted up to here for the lag; beyond it is "more". */
const lagLimit = 1_000;

export type JournalView = ReturnType<typeof journalView>;

/** Rows of the journal as the panel shows them: with the titles of their sessions. */
export function journalView(
  { journal, routing }: { journal: Journal; routing: RoutingStore },
  nowMs: () => number,
) {
  const titleOf = (key: string): string => routing.get(asSessionKey(key))?.title ?? "";

  function titles(): (key: string) => string {
    const known = new Map<string, string>();
    return (key) => {
      const found = known.get(key) ?? titleOf(key);
      known.set(key, found);
      return found;
    };
  }

  function events(rows: readonly RecordedEvent[]): JournalEvent[] {
    const title = titles();
    return rows.map((event) => ({
      sequence: event.sequence,
      key: asSessionKey(event.sessionKey),
      title: title(event.sessionKey),
      agentId: event.agentId,
      sessionId: event.sessionId,
      kind: event.kind,
      notifies: notifies(event.kind),
      actor: {
        ...event.actor,
        title:
          event.actor.type === "agent" && event.actor.id !== null ? title(event.actor.id) : null,
      },
      runId: event.runId,
      atMs: event.occurredAt,
      summary: event.summary,
      payload: event.payload,
    }));
  }

  function pairs(cursors: readonly CursorRow[]): WatchPair[] {
    const title = titles();
    return cursors.map((cursor) => {
      const target = { key: cursor.targetKey, agentId: cursor.targetAgentId };
      const notice = journal.lines.liveNotices(cursor.watcher, target)[0];
      return {
        watcherKey: asSessionKey(cursor.watcher),
        watcherTitle: title(cursor.watcher),
        targetKey: asSessionKey(cursor.targetKey),
        targetTitle: title(cursor.targetKey),
        targetAgentId: cursor.targetAgentId,
        provenance: cursor.provenance,
        origin: cursor.origin,
        lastSeen: cursor.lastSeen,
        notified: cursor.notified,
        material: cursor.material,
        head: journal.version(target),
        lag: journal.events.countAfter(target.key, target.agentId, cursor.lastSeen, lagLimit),
        pending: isPending(cursor),
        notice: notice
          ? {
              id: notice.id,
              text: notice.text,
              base: notice.base ?? cursor.lastSeen,
              queuedAtMs: notice.queuedAt,
              taken: notice.state === "taken",
            }
          : null,
        drainedAtMs: cursor.drainedAt,
        mutedAtMs: cursor.mutedAt,
        updatedAtMs: cursor.updatedAt,
        expiresAtMs: cursor.updatedAt + retentionMs,
      };
    });
  }

  return {
    titleOf,
    events,
    pairs,
    notice({ watcher, target, events: changes }: NoticeChange): WatchNotice {
      const cursor = journal.cursors.get(watcher, target);
      return {
        watcherKey: watcher,
        watcherTitle: titleOf(watcher),
        targetKey: target.key,
        targetTitle: titleOf(target.key),
        targetAgentId: target.agentId,
        targetSessionId: routing.get(asSessionKey(target.key))?.sessionId ?? null,
        state: cursor && isPending(cursor) ? "pending" : "settled",
        base: cursor?.lastSeen ?? 0,
        head: journal.version(target),
        changes,
        muted: cursor?.mutedAt != null,
        atMs: nowMs(),
      };
    },
    goal(goal: Goal | undefined | null): GoalRow | null {
      if (!goal) return null;
      return {
        key: asSessionKey(goal.sessionKey),
        goalId: goal.goalId,
        objective: goal.objective,
        status: goal.status,
        note: goal.note,
        tokenBudget: goal.tokenBudget,
        tokensUsed: goal.tokensUsed,
        createdAtMs: goal.createdAt,
        updatedAtMs: goal.updatedAt,
        completedAtMs: goal.completedAt,
      };
    },
    child(run: ChildRun): ShownRun {
      return {
        runId: run.runId,
        childKey: asSessionKey(run.childKey),
        childTitle: titleOf(run.childKey),
        requesterKey: asSessionKey(run.requesterKey),
        requesterTitle: titleOf(run.requesterKey),
        label: run.label,
        task: run.task,
        state: run.state,
        result: run.result,
        error: run.error,
        announced: run.announced,
        droppedBecause: run.droppedBecause,
        createdAtMs: run.createdAt,
        startedAtMs: run.startedAt,
        deadlineAtMs: run.deadlineAt,
        endedAtMs: run.endedAt,
      };
    },
  };
}

/** A session and the agent that owns it, as a call names them. */
export const targetOf = (key: string, agentId: string | undefined) => ({
  key,
  agentId: agentId ?? agentOf(key),
});
