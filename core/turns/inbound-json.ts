import type { InboundMessage, Provenance } from "../channels/channel.ts";
import { SignalboxError } from "../contract/errors.ts";
import {
  participantId,
  sessionSourceFromStored,
  sessionSourceToStored,
} from "../sessions/session-source.ts";

interface StoredInbound {
  channel: string;
  source: unknown;
  text: string;
  message_id: string | null;
  internal?: true;
  expects_reply?: false;
  reply_to?: string;
  resume?: { turn_id: string; reason: string };
  pinned?: { session_id: string; delegation_id: string };
  provenance?: Provenance;
}

/** The event as it waits in the inbox. Authority is not stored (lifecycle 1.3): it is decided before acceptance. */
export function encodeInbound(message: InboundMessage): string {
  const stored: StoredInbound = {
    channel: message.channelId,
    source: sessionSourceToStored(message.source),
    text: message.text,
    message_id: message.messageId,
    ...(message.internal === true ? { internal: true } : {}),
    ...(message.expectsReply === false ? { expects_reply: false } : {}),
    ...(message.replyTo === undefined || message.replyTo === null
      ? {}
      : { reply_to: message.replyTo }),
    ...(message.resume
      ? { resume: { turn_id: message.resume.turnId, reason: message.resume.reason } }
      : {}),
    ...(message.pinned
      ? {
          pinned: {
            session_id: message.pinned.sessionId,
            delegation_id: message.pinned.delegationId,
          },
        }
      : {}),
    ...(message.provenance ? { provenance: message.provenance } : {}),
  };
  return JSON.stringify(stored);
}

/** @throws {SignalboxError} E_STORE_DAMAGED when a row that we wrote cannot be read. */
export function decodeInbound(json: string): InboundMessage {
  const stored = JSON.parse(json) as StoredInbound;
  const reading = sessionSourceFromStored(stored.source);
  if (!reading.ok)
    throw new SignalboxError(
      "E_STORE_DAMAGED",
      `A waiting message cannot be read: ${reading.reason}.`,
    );
  return {
    channelId: stored.channel,
    source: reading.source,
    text: stored.text,
    messageId: stored.message_id,
    ...(stored.internal === true ? { internal: true } : {}),
    ...(stored.expects_reply === false ? { expectsReply: false } : {}),
    ...(stored.reply_to === undefined ? {} : { replyTo: stored.reply_to }),
    ...(stored.resume
      ? { resume: { turnId: stored.resume.turn_id, reason: stored.resume.reason } }
      : {}),
    ...(stored.pinned
      ? {
          pinned: {
            sessionId: stored.pinned.session_id,
            delegationId: stored.pinned.delegation_id,
          },
        }
      : {}),
    ...(stored.provenance ? { provenance: stored.provenance } : {}),
  };
}

/** Channel and chat as one text: the space in which a platform's message id is unique. */
export const chatRef = (message: InboundMessage): string =>
  JSON.stringify([
    message.channelId,
    message.source.platform,
    message.source.scopeId ?? "",
    message.source.chatId,
  ]);

/** Who sent it, for merging bursts (lifecycle 12.4): platform and person, else the chat itself. */
export const senderRef = (message: InboundMessage): string =>
  JSON.stringify([
    message.source.platform,
    participantId(message.source) ?? `chat:${message.source.chatId}`,
  ]);
