import type { InboundMessage } from "../../channels/channel.ts";
import type { SessionKey } from "../../contract/ids.ts";

/** A command as it reached us. */
export interface Asked {
  message: InboundMessage;
  key: SessionKey;
  /** Kept as evidence and shown in bars: the person by name where there is one, and the door. */
  actor: string;
  /** The message's number: what waits with a higher one came after the command. */
  inputId: number;
  /** The operator, or somebody the operator made equal. */
  isAdministrator: boolean;
}

export const actorOf = (message: InboundMessage): string =>
  message.source.userName === null || message.source.userName === ""
    ? message.channelId
    : `${message.source.userName} via ${message.channelId}`;

/** `1 message`, `3 messages`. */
export const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;

/** `2026-03-14 09:26` in UTC: a chat has no time zone that we know. */
export const stamp = (atMs: number): string =>
  new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
