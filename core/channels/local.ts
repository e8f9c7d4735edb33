import { randomBytes } from "node:crypto";
import { sessionSource, type SessionSource } from "../sessions/session-source.ts";
import type { Acceptance, Channel } from "./channel.ts";
import { transcriptChannel } from "./transcript-channel.ts";

export interface LocalChannel extends Channel {
  /** Where a new conversation of the person at this machine lives; each call is a new chat. */
  newChatSource(title?: string | null): SessionSource;
  /** @throws {SignalboxError} what `accept` throws, and E_CHANNEL_DOWN while the channel is stopped. */
  post(source: SessionSource, text: string, messageId: string | null): Promise<Acceptance>;
}

/** Conversations in the panel and on the command line: many chats, read where they are written. */
export function localChannel(): LocalChannel {
  return {
    ...transcriptChannel("local"),
    newChatSource: (title = null) =>
      sessionSource({
        platform: "local",
        chatId: randomBytes(6).toString("hex"),
        chatName: title === "" ? null : title,
        chatType: "dm",
        userId: "operator",
      }),
  };
}
