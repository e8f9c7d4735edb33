import { decodeInbound, encodeInbound } from "./inbound-json.ts";
import type { InboundRow, NewInbound } from "./inbox-store.ts";

export interface BurstLimits {
  /** Longest pause between two pieces, in ms. */
  gapMs: number;
  /** Longest time from the first piece to the last, in ms. */
  capMs: number;
}

/**
 * Whether a message is a further piece of what waits next (lifecycle 12.4): typed by the same person within moments,
 * and never into or out of what `/queue` made. Outside the window each text is its own turn.
 */
export function joinsBurst(
  slot: Pick<
    InboundRow,
    "kind" | "senderRef" | "acceptedAt" | "firstPieceAt" | "lastPieceAt" | "channelId"
  >,
  piece: Pick<NewInbound, "kind" | "senderRef" | "channelId">,
  nowMs: number,
  limits: BurstLimits,
): boolean {
  if (slot.kind !== "message" || piece.kind !== "message") return false;
  if (slot.senderRef !== piece.senderRef || slot.channelId !== piece.channelId) return false;
  const sinceLast = nowMs - (slot.lastPieceAt ?? slot.acceptedAt);
  const sinceFirst = nowMs - (slot.firstPieceAt ?? slot.acceptedAt);
  // A clock that was set back tells nothing about pauses: then nothing is joined.
  return sinceLast >= 0 && sinceLast <= limits.gapMs && sinceFirst <= limits.capMs;
}

/** The waiting event with one more piece of text. */
export function joinedEvent(eventJson: string, text: string): string {
  const message = decodeInbound(eventJson);
  return encodeInbound({ ...message, text: `${message.text}\n${text}` });
}
