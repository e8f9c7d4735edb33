import type { Pushes } from "../../core/contract/bridge.ts";
import type { MessageRow } from "../../core/contract/domain.ts";

/** The reply that is being written. */
export interface LiveText {
  turnId: string;
  text: string;
  /** The tool it is using right now. */
  tool: string | null;
}

/** What is here of one transcript, oldest first, and the reply being written below it. */
export interface TranscriptView {
  messages: readonly MessageRow[];
  hasMore: boolean;
  live: LiveText | null;
}

/** Puts rows in by id: known ones are replaced, so that a page and a push of the same row are one row. */
export function withMessages(
  messages: readonly MessageRow[],
  more: readonly MessageRow[],
): readonly MessageRow[] {
  if (more.length === 0) return messages;
  const byId = new Map([...messages, ...more].map((message) => [message.id, message]));
  return [...byId.values()].toSorted((a, b) => a.id - b.id);
}

/**
 * Lays the newest page over what is here. Older rows stay where the page reaches them, else they are dropped: there
 * would be a hole nobody sees.
 */
export function withNewestPage(
  view: Pick<TranscriptView, "messages" | "hasMore">,
  page: Pick<TranscriptView, "messages" | "hasMore">,
): Pick<TranscriptView, "messages" | "hasMore"> {
  const first = page.messages[0];
  if (first === undefined || !view.messages.some((one) => one.id >= first.id)) return page;
  const older = view.messages.filter(
    (one) => one.id < first.id && one.sessionId === first.sessionId,
  );
  return {
    messages: [...older, ...page.messages],
    hasMore: older.length > 0 ? view.hasMore : page.hasMore,
  };
}

/**
 * Folds a piece of the running turn's text. `"gap"` tells the caller to ask for the text so far: the piece starts
 * beyond what is here. A piece that overlaps is laid over it.
 */
export function withTurnText(live: LiveText | null, piece: Pushes["turn.text"]): LiveText | "gap" {
  const { turnId, from, text, tool } = piece;
  const before = live?.turnId === turnId ? live.text : "";
  if (from > before.length) return "gap";
  return { turnId, text: before.slice(0, from) + text, tool };
}
