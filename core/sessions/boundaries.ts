import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { TranscriptEditStore } from "../transcripts/transcript-edit-store.ts";
import type { MessageStore } from "../transcripts/message-store.ts";
import { summaryText } from "../transcripts/compaction-plan.ts";
import type { EndReason, Home, IncarnationStore } from "./incarnation-store.ts";
import type { LineageStore } from "./lineage-store.ts";
import { nextTitle } from "./next-title.ts";
import type { IncarnationMaker } from "./new-incarnation.ts";
import { firstPresent } from "./presence.ts";
import { entryOf, originOf, rowOf } from "./routing-store.ts";
import type { LaneColumns, RoutingRow, RoutingStore } from "./routing-store.ts";
import { entryAfterReset, entryAfterSuspension, freshEntry } from "./session-entry.ts";
import { laneTitle } from "./lane-title.ts";
import type { SessionSource } from "./session-source.ts";

export interface BoundaryDeps {
  routing: RoutingStore;
  incarnations: IncarnationStore;
  messages: MessageStore;
  lineage: LineageStore;
  edits: TranscriptEditStore;
  maker: IncarnationMaker;
  /** The funnel of lifecycle 6.1: everything that belongs to a conversation and not to its lane. */
  clearConversation(key: SessionKey, nowMs: number): void;
}

/** A lane that has moved to another incarnation. */
export interface Boundary {
  row: RoutingRow;
  from: SessionId;
  /** The asked-for title belongs to another session; the new one has none. */
  titleTaken: boolean;
}

/** What a lane keeps across its incarnations, beside the documented entry. */
export const kept = (row: RoutingRow) => ({
  channelId: row.channelId,
  laneIdentity: row.laneIdentity,
  title: row.title,
  agentId: row.agentId,
  turnCount: row.turnCount,
  queueDepth: row.queueDepth,
});

/**
 * The ways in which a lane gets another incarnation (lifecycle 6). All go through `cross`, so that none can forget what a
 * boundary clears. Callers bring the transaction.
 */
export function boundaries(deps: BoundaryDeps) {
  const { routing, incarnations, lineage, edits, maker, messages } = deps;

  const homeOf = (row: RoutingRow): Home => {
    const origin = originOf(row);
    return {
      key: row.sessionKey,
      source: origin?.platform ?? row.platform ?? "local",
      userId: firstPresent(origin?.userIdAlt, origin?.userId),
      chatId: origin?.chatId ?? null,
      chatType: origin?.chatType ?? row.chatType,
      threadId: origin?.threadId ?? null,
      originJson: row.originJson,
    };
  };

  /** Ends an incarnation that the lane has left, unless another lane is still in it: then it is that lane's. */
  function retire(id: SessionId, reason: EndReason, nowMs: number): void {
    const other = routing.lanesAt(id)[0];
    if (other) incarnations.moveTo(id, homeOf(other));
    else incarnations.end(id, reason, nowMs);
  }

  /** The boundary itself. `begin` makes the row that the lane moves to, in a transcript that exists. */
  function cross(row: RoutingRow, next: RoutingRow, reason: EndReason, nowMs: number): void {
    deps.clearConversation(row.sessionKey, nowMs);
    routing.put(next);
    retire(row.sessionId, reason, nowMs);
  }

  const ownTitle = (title: string | null): { own: string | null; taken: boolean } =>
    title !== null && incarnations.titleOwner(title) !== undefined
      ? { own: null, taken: true } // a title names one session
      : { own: title, taken: false };

  /** A lane's row in an incarnation that exists already: its counters are those of the conversation. */
  function rowIn(row: RoutingRow, id: SessionId, nowMs: number, title: string): RoutingRow {
    const past = incarnations.get(id);
    const entry = freshEntry(row.sessionKey, id, originOf(row), past?.startedAt ?? nowMs);
    const totals = lineage.totals(id);
    const lane: LaneColumns = { ...kept(row), title, messageCount: past?.messageCount ?? 0 };
    return rowOf(
      {
        ...entry,
        ...totals,
        totalTokens: totals.inputTokens + totals.outputTokens,
        displayName: row.displayName,
        platform: entry.platform ?? entryOf(row).platform,
        chatType: row.chatType,
        updatedAtMs: nowMs,
      },
      lane,
    );
  }

  const plainTitle = (row: RoutingRow): string => {
    const origin = originOf(row);
    return origin === null ? (row.displayName ?? "") : laneTitle(origin);
  };

  return {
    /** A lane's name where its session has none. */
    plainTitle,
    /** `/new`, `/reset` (lifecycle 3.5, 6.1). Undefined where there is no lane. */
    reset(
      key: SessionKey,
      by: string,
      title: string | null,
      nowMs: number,
      reason: EndReason = "session_reset",
    ): Boundary | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      const { own, taken } = ownTitle(title);
      const entry = entryAfterReset(entryOf(row), maker.mint(nowMs), nowMs);
      maker.insert(entry, originOf(row), { id: row.sessionId, marker: "_reset_from" }, own);
      const next = rowOf(entry, { ...kept(row), title: own ?? plainTitle(row) });
      cross(row, next, reason, nowMs);
      const text = `Reset by ${by}. The conversation before it stays readable.`;
      maker.mark(entry.sessionId, "reset", text, nowMs, { previous: row.sessionId });
      return { row: next, from: row.sessionId, titleTaken: taken };
    },

    /** A suspended lane's next turn (lifecycle 6.2). */
    replaceSuspended(row: RoutingRow, source: SessionSource, nowMs: number): RoutingRow {
      const entry = entryAfterSuspension(entryOf(row), maker.mint(nowMs), source, nowMs);
      maker.insert(entry, source, { id: row.sessionId, marker: "_reset_from" }, null);
      const next = rowOf(entry, { ...kept(row), title: plainTitle(row) });
      cross(row, next, "suspended", nowMs);
      const text = "Fresh start: the session before this one was suspended.";
      maker.mark(entry.sessionId, "suspended", text, nowMs, { previous: row.sessionId });
      return next;
    },

    /**
     * `/resume` (lifecycle 3.5, `switch_session`). Undefined where there is no lane, null where it has moved on from `expected`.
     * @throws {SignalboxError} E_NOT_FOUND for an incarnation that is not there.
     */
    switchTo(
      key: SessionKey,
      target: SessionId,
      by: string,
      nowMs: number,
      expected: SessionId | null = null,
    ): (Boundary & { changed: boolean }) | null | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      if (expected !== null && row.sessionId !== expected) return null;
      const here = { row, from: row.sessionId, titleTaken: false, changed: false };
      if (row.sessionId === target) return here;
      const past = incarnations.get(target);
      if (!past)
        throw new SignalboxError("E_NOT_FOUND", "This session is not there any more.", {
          field: "target",
        });
      const next = rowIn(row, target, nowMs, past.title ?? plainTitle(row));
      cross(row, next, "session_switch", nowMs);
      incarnations.reopen(target, key, nowMs);
      for (const link of lineage.compressionChain(target)) incarnations.moveTo(link, homeOf(next));
      maker.mark(target, "resume", `Taken up again by ${by}.`, nowMs, { left: row.sessionId });
      return { ...here, row: next, changed: true };
    },

    /** `/branch` (lifecycle 18): the live transcript is copied and the lane goes on in the copy. */
    branch(key: SessionKey, title: string | null, by: string, nowMs: number): Boundary | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      const asked = ownTitle(title);
      const parent = incarnations.get(row.sessionId);
      const own =
        title === null && parent?.title
          ? nextTitle(parent.title, (name) => incarnations.titleOwner(name) !== undefined)
          : asked.own;
      const id = maker.mint(nowMs);
      const entry = {
        ...freshEntry(key, id, originOf(row), nowMs),
        displayName: row.displayName,
        platform: entryOf(row).platform,
        chatType: row.chatType,
      };
      maker.insert(entry, originOf(row), { id: row.sessionId, marker: "_branched_from" }, own);
      edits.copyLive(row.sessionId, id, 0, true);
      const messageCount = incarnations.recount(id);
      const next = rowOf(entry, { ...kept(row), title: own ?? row.title, messageCount });
      cross(row, next, "session_switch", nowMs);
      const text = `Branched by ${by}. The original stays as it was.`;
      maker.mark(id, "branch", text, nowMs, { previous: row.sessionId });
      return { row: next, from: row.sessionId, titleTaken: asked.taken };
    },

    /**
     * A compression by rotation (lifecycle 14.2): the child's rows, the parent's end and every lane in it change together.
     * No boundary: the same conversation goes on, and nothing is cleared but the pin of another id.
     */
    rotate(
      row: RoutingRow,
      given: { summary: string; archived: number; keepFrom: number | null; by: string },
      nowMs: number,
    ): { child: SessionId; lanes: SessionKey[]; messageCount: number } {
      const parent = incarnations.get(row.sessionId);
      const id = maker.mint(nowMs);
      const title = parent?.title ?? null;
      if (title !== null) incarnations.setTitle(row.sessionId, null); // the name goes on with the conversation
      const entry = { ...entryOf(row), sessionId: id, createdAtMs: nowMs };
      maker.insert(entry, originOf(row), { id: row.sessionId, marker: null }, title);
      messages.append({
        sessionId: id,
        role: "system",
        content: summaryText(given.archived, given.summary),
        timestamp: nowMs,
        displayKind: "summary",
        displayMetadata: JSON.stringify({ previous: row.sessionId }),
      });
      if (given.keepFrom !== null) edits.copyLive(row.sessionId, id, given.keepFrom, false);
      const messageCount = incarnations.recount(id);
      edits.noteRotation(
        {
          sessionId: row.sessionId,
          kind: "rotation",
          at: nowMs,
          actor: given.by,
          turns: 0,
          excerpt: given.summary,
          childSessionId: id,
        },
        given.archived,
      );
      const lanes = routing.lanesAt(row.sessionId).map((lane) => lane.sessionKey);
      for (const lane of lanes)
        routing.patch(lane, { sessionId: id, createdAt: nowMs, messageCount, lastPromptTokens: 0 });
      incarnations.end(row.sessionId, "compression", nowMs);
      return { child: id, lanes, messageCount };
    },
  };
}
