import type { InboundMessage } from "../channels/channel.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { LaneOrigin } from "../sessions/session-directory.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { sessionSource } from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";

export const defaultRules: KeyRules = { groupSessionsPerUser: true, threadSessionsPerUser: false };

/** A private chat on Telegram. */
export const dmSource = (chat = "7", part: Partial<SessionSource> = {}): SessionSource =>
  sessionSource({
    platform: "telegram",
    chatId: chat,
    chatType: "dm",
    userId: chat,
    userName: `Person ${chat}`,
    ...part,
  });

export const keyOf = (source: SessionSource): SessionKey => buildSessionKey(source, defaultRules);

/** Where a lane of this source comes from. */
export const laneOrigin = (source: SessionSource = dmSource()): LaneOrigin => ({
  key: keyOf(source),
  identity: laneIdentity(source, defaultRules),
  channelId: "test",
  source,
});

let nextMessage = 0;

/** A person's message; `messageId` is new each time unless it is given. */
export function inbound(text: string, part: Partial<InboundMessage> = {}): InboundMessage {
  nextMessage += 1;
  return { channelId: "test", source: dmSource(), text, messageId: `m${nextMessage}`, ...part };
}

export const laneKey = (name: string): SessionKey => asSessionKey(`agent:main:telegram:dm:${name}`);
