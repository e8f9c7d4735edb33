import type { InboundMessage } from "../channels/channel.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { RoutingStore } from "../sessions/routing-store.ts";
import { chatRef, encodeInbound, senderRef } from "./inbound-json.ts";
import type { InboundKind, InboxStore } from "./inbox-store.ts";

/**
 * Puts a message of our own making behind everything that waits in a lane. Part of the caller's transaction, which wakes
 * the lane afterwards.
 * @returns its number.
 */
export function enqueueInside(
  { inbox, routing }: { inbox: InboxStore; routing: RoutingStore },
  key: SessionKey,
  message: InboundMessage,
  kind: InboundKind,
  nowMs: number,
): number {
  const seq = inbox.insert({
    sessionKey: key,
    channelId: message.channelId,
    chatRef: chatRef(message),
    platformMessageId: message.messageId,
    senderRef: senderRef(message),
    kind,
    place: inbox.promote(key) ? "fifo" : "slot",
    eventJson: encodeInbound(message),
    acceptedAt: nowMs,
  });
  routing.patch(key, { queueDepth: inbox.depth(key).depth });
  routing.settleState(key, nowMs);
  return seq;
}
