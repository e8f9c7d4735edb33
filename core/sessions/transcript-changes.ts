import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { summaryText } from "../transcripts/compaction-plan.ts";
import type { MessageStore } from "../transcripts/message-store.ts";
import type { TranscriptEditStore } from "../transcripts/transcript-edit-store.ts";
import type { IncarnationStore } from "./incarnation-store.ts";
import type { IncarnationMaker } from "./new-incarnation.ts";
import type { RoutingStore } from "./routing-store.ts";

export interface TranscriptChangeDeps {
  routing: RoutingStore;
  incarnations: IncarnationStore;
  messages: MessageStore;
  edits: TranscriptEditStore;
  maker: IncarnationMaker;
}

/** What changes a lane's transcript without giving it another (lifecycle 3.8, 14.1). Callers bring the transaction. */
export function transcriptChanges(deps: TranscriptChangeDeps) {
  const { routing, incarnations, edits, maker, messages } = deps;

  /** Counts the session's rows anew, for every lane that is in it. */
  function recount(id: SessionId, change: { lastPromptTokens?: number } = {}): number {
    const messageCount = incarnations.recount(id);
    for (const lane of routing.lanesAt(id))
      routing.patch(lane.sessionKey, { messageCount, ...change });
    return messageCount;
  }

  return {
    /**
     * Takes the last turns of people out of the lane's conversation (lifecycle 3.8).
     * @returns null where there is nothing to rewind; undefined where there is no lane.
     */
    rewind(
      key: SessionKey,
      given: { kind: "rewind" | "retry"; by: string; turns: number; text: string; firstId: number },
      nowMs: number,
    ): { edit: number; rows: number; messageCount: number } | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      const { seq, rows } = edits.rewind(
        {
          sessionId: row.sessionId,
          kind: given.kind,
          at: nowMs,
          actor: given.by,
          turns: given.turns,
          excerpt: given.text,
        },
        given.firstId,
      );
      incarnations.countRewind(row.sessionId);
      const text =
        given.kind === "retry"
          ? `Tried again by ${given.by}.`
          : `${given.turns} turn${given.turns === 1 ? "" : "s"} undone by ${given.by}.`;
      maker.mark(row.sessionId, given.kind, text, nowMs, { edit: seq });
      const messageCount = recount(row.sessionId, { lastPromptTokens: 0 });
      return { edit: seq, rows, messageCount };
    },

    /**
     * Takes a rewind of the lane's current session back.
     * @throws {SignalboxError} E_NOT_FOUND, E_CONFLICT where something was said or edited since.
     */
    restore(key: SessionKey, seq: number, nowMs: number): { rows: number; messageCount: number } {
      const row = routing.get(key);
      const edit = edits.get(seq);
      if (!row || edit?.sessionId !== row.sessionId)
        throw new SignalboxError("E_NOT_FOUND", "This session has no such rewind.", {
          field: "edit",
        });
      if (!edits.isRestorable(edit))
        throw new SignalboxError(
          "E_CONFLICT",
          "The conversation has moved on since; what was undone stays readable in its history.",
          { field: "edit" },
        );
      const rows = edits.restore(edit, nowMs);
      return { rows, messageCount: recount(row.sessionId) };
    },

    /**
     * A compression in place (lifecycle 14.1): the summary stands in for every live row before `keepFrom` (null: for all).
     * The rows stay readable and can be found. Bookkeeping: the lane's activity does not move.
     */
    compact(
      id: SessionId,
      given: { by: string; summary: string; archived: number; keepFrom: number | null },
      nowMs: number,
    ): { edit: number; rows: number; messageCount: number } {
      const { seq, rows } = edits.archive(
        {
          sessionId: id,
          kind: "compaction",
          at: nowMs,
          actor: given.by,
          turns: 0,
          excerpt: given.summary,
        },
        given.keepFrom,
      );
      messages.append({
        sessionId: id,
        role: "system",
        content: summaryText(given.archived, given.summary),
        timestamp: nowMs,
        displayKind: "summary",
        displayMetadata: JSON.stringify({ edit: seq }),
      });
      return { edit: seq, rows, messageCount: recount(id, { lastPromptTokens: 0 }) };
    },
  };
}
