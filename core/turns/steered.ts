import type { NewMessage } from "../transcripts/message-store.ts";
import { decodeInbound } from "./inbound-json.ts";
import type { InboundOutcome, InboxStore } from "./inbox-store.ts";
import type { TurnResult } from "./turn-result.ts";

/**
 * Ends the messages that were put into a turn together with it (lifecycle 12.3). A parked turn runs again as a whole: its
 * messages wait on.
 * @returns whether one ended here; then whatever waits behind it is next up.
 */
export function endSteered(
  inbox: InboxStore,
  result: TurnResult,
  outcome: InboundOutcome,
  nowMs: number,
): boolean {
  if (result.outcome === "parked") return false;
  let ended = false;
  for (const segment of result.segments)
    if (segment.kind === "steer" && inbox.end(segment.inputId, outcome, nowMs)) ended = true;
  return ended;
}

/** A steered message's transcript row: what the person wrote, and beside it what the model saw of it. */
export function steeredColumns(
  inbox: InboxStore,
  inputId: number,
  shown: string,
): Partial<Pick<NewMessage, "content" | "apiContent" | "senderName" | "platformMessageId">> {
  const input = inbox.get(inputId);
  if (!input) return {};
  const message = decodeInbound(input.eventJson);
  return {
    content: message.text,
    apiContent: message.text === shown ? null : shown,
    senderName: message.source.userName,
    platformMessageId: message.messageId,
  };
}
