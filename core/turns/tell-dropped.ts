import type { ObligationStore } from "../delivery/obligation-store.ts";
import { decodeInbound } from "./inbound-json.ts";
import type { InboundRow } from "./inbox-store.ts";
import { debtOf } from "./turn-finish.ts";

/** What the people of waiting messages are told when the operator takes them away. */
export const droppedBy = {
  reset: "This message was dropped: the operator started a fresh conversation.",
  stop: "This message was dropped: the operator stopped the conversation.",
  remove: "This message was dropped: the operator took it out of the queue.",
} as const;

/** Owes a waiting message's person the word that it was dropped. Part of the caller's transaction. */
export function tellDropped(
  { obligations }: { obligations: ObligationStore },
  input: InboundRow,
  text: string,
  nowMs: number,
): void {
  const message = decodeInbound(input.eventJson);
  const turn = { key: input.sessionKey, turnId: null, message, input };
  obligations.owe(debtOf(turn, text, "notice", null), nowMs);
}
