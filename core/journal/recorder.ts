import { agentOf, agentQualified } from "./agent-key.ts";
import type { CursorStore, Target, WatchOrigin } from "./cursor-store.ts";
import type { EventStore } from "./event-store.ts";
import { eventTime, notifies } from "./kinds.ts";
import type { NewEvent, RecordedEvent } from "./kinds.ts";
import { afterMaterial, seededAt } from "./marks.ts";
import type { Marks } from "./marks.ts";
import type { Notices } from "./notices.ts";
import type { SystemEvent, SystemEventStore } from "./system-event-store.ts";

export interface RecorderDeps {
  events: EventStore;
  cursors: CursorStore;
  lines: SystemEventStore;
  notices: Notices;
  /** A row was added; told after the commit. */
  recorded(sequence: number): void;
}

/** The watchers of one event: those it names, then holders of cursors; first mention kept (4.3 step 3). */
function watchersOf(event: NewEvent, holders: readonly { watcher: string }[]): string[] {
  const named = [...(event.watchers ?? []), ...holders.map((row) => row.watcher)];
  return [...new Set(named)].filter(
    (key) => agentQualified(key) !== null && key !== event.sessionKey,
  );
}

/**
 * Records one event (state-awareness 4.3): its row, the head of its session, and every watcher's cursor and notice
 * change together. Part of the caller's transaction.
 */
export function recorder({ events, cursors, lines, notices, recorded }: RecorderDeps) {
  function tell(
    watcher: string,
    held: Marks | undefined,
    event: NewEvent,
    target: Target,
    at: { sequence: number; nowMs: number; live: readonly SystemEvent[] },
  ): void {
    const marks = afterMaterial(held, at.sequence);
    const origin: WatchOrigin = "lineage"; // nobody else is told without a cursor
    if (held) cursors.setMarks(watcher, target, marks, at.nowMs);
    else cursors.seed(watcher, target, marks, origin, at.nowMs);
    const live = at.live.filter((line) => line.sessionKey === watcher);
    notices.open(watcher, target, marks.lastSeen, event.chain ?? null, at.sequence, at.nowMs, live);
  }

  return (event: NewEvent, nowMs: number): RecordedEvent | null => {
    const agentId = event.agentId ?? agentOf(event.sessionKey);
    const payload = event.payload ?? null;
    const row = {
      sessionKey: event.sessionKey,
      sessionId: event.sessionId ?? null,
      agentId,
      kind: event.kind,
      runId: event.runId ?? null,
      occurredAt: eventTime(event.occurredAtMs, nowMs),
      summary: event.summary,
    };
    const added = events.insert({
      ...row,
      dedupeKey: event.dedupeKey ?? null,
      actorType: event.actor.type,
      actorId: event.actor.id,
      payloadJson: payload === null ? null : JSON.stringify(payload),
    });
    if ("earlier" in added) return added.earlier;
    const { sequence } = added;
    events.raiseHead(event.sessionKey, agentId, sequence, nowMs);
    recorded(sequence);

    const target = { key: event.sessionKey, agentId };
    const material = notifies(event.kind);
    const holders = material ? cursors.holders(target) : [];
    const watchers = watchersOf(event, holders);
    // Once for all watchers: an event with many of them costs little more than one with few.
    const live = material && watchers.length > 0 ? lines.liveAbout(target) : [];
    const held = new Map(holders.map((holder) => [holder.watcher, holder]));
    for (const watcher of watchers) {
      if (event.kind === "child_spawned")
        cursors.seed(watcher, target, seededAt(sequence), "spawned", nowMs);
      else if (material && event.actor.id !== watcher)
        tell(watcher, held.get(watcher), event, target, { sequence, nowMs, live });
    }
    return { ...row, sequence, actor: event.actor, payload };
  };
}
