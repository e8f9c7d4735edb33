import { asSessionId, asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { buildSessionKey } from "../sessions/session-key.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { freshEntry } from "../sessions/session-entry.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { platformFrom, sessionSource } from "../sessions/session-source.ts";
import type { Platform, SessionSource } from "../sessions/session-source.ts";
import { own, scalarText } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import { numberOf, objectOf, textOf } from "./content-text.ts";

/** A record of `sessions.json` in our terms. */
export interface OpenClawLane {
  entry: SessionEntry;
  /** Keys under which our own rule would file the lane's messages. */
  aliases: SessionKey[];
  /** Names that its transcript's file may have, the likeliest first. */
  files: string[];
  title: string | null;
}

const chatTypes: Readonly<Record<string, string>> = {
  direct: "dm",
  dm: "dm",
  group: "group",
  channel: "channel",
  thread: "thread",
};

/** Its own chat window has no platform of ours but the local one. */
const platformOf = (channel: string | null): Platform | null =>
  channel === "webchat" || channel === "cli" ? "local" : platformFrom(channel);

/** `telegram:-100…` or `discord:channel:9…` without what only says of which kind the id is. */
function bareAddress(address: string | null, channel: string | null): string | null {
  if (address === null) return null;
  const local =
    channel !== null && address.startsWith(`${channel}:`)
      ? address.slice(channel.length + 1)
      : address;
  const bare = local.replace(/^(user|dm|direct|channel|group|chat|room|thread|conversation):/, "");
  return bare === "" ? null : bare;
}

/** Where its replies went; null unless platform and chat are both known. Nothing is guessed from the key. */
function originOf(
  record: JsonObject,
  chatType: string,
  title: string | null,
): SessionSource | null {
  const route = objectOf(record, "deliveryContext");
  const origin = objectOf(record, "origin");
  const channel =
    textOf(route, "channel") ?? textOf(record, "lastChannel") ?? textOf(origin, "provider");
  const to = textOf(route, "to") ?? textOf(record, "lastTo") ?? textOf(origin, "to");
  const platform = platformOf(channel);
  const chatId = bareAddress(to, channel);
  if (platform === null || chatId === null) return null;
  const thread =
    scalarText(own(route, "threadId")) ??
    scalarText(own(record, "lastThreadId")) ??
    scalarText(own(origin, "threadId"));
  return sessionSource({
    platform,
    chatId,
    chatType,
    chatName: chatType === "dm" ? null : title,
    userId: chatType === "dm" ? chatId : null,
    userName: chatType === "dm" ? title : null,
    threadId: thread,
    scopeId: textOf(record, "space"),
  });
}

/**
 * Reads one record (field case 01).
 *
 * @param whole False where the file ended inside the record: its route, which stands at its end, is then not known.
 * @returns null where it names no session.
 */
export function openClawLane(
  key: string,
  record: JsonObject,
  whole: boolean,
  rules: KeyRules,
): OpenClawLane | null {
  const sessionId = textOf(record, "sessionId");
  if (sessionId === null) return null;
  const sessionKey = asSessionKey(key);
  const chatType = chatTypes[textOf(record, "chatType") ?? ""] ?? "dm";
  const title =
    textOf(record, "displayName") ??
    textOf(record, "label") ??
    textOf(record, "subject") ??
    textOf(record, "groupChannel") ??
    textOf(objectOf(record, "origin"), "label");
  const origin = whole ? originOf(record, chatType, title) : null;
  const updatedAtMs = Math.trunc(numberOf(record, "updatedAt") ?? 0);
  const createdAtMs = Math.trunc(numberOf(record, "sessionStartedAt") ?? updatedAtMs);
  const count = (name: string): number => Math.trunc(numberOf(record, name) ?? 0);
  const named = textOf(record, "sessionFile")?.split(/[/\\]/).at(-1);
  const thread = origin?.threadId ?? null;
  return {
    title,
    aliases: aliasesOf(sessionKey, origin, rules),
    files: [
      ...(named === undefined ? [] : [named]),
      ...(thread === null ? [] : [`${sessionId}-topic-${thread}.jsonl`]),
      `${sessionId}.jsonl`,
    ],
    entry: {
      ...freshEntry(sessionKey, asSessionId(sessionId), origin, createdAtMs),
      updatedAtMs,
      displayName: title,
      platform: origin?.platform ?? platformOf(textOf(record, "channel")),
      chatType,
      inputTokens: count("inputTokens"),
      outputTokens: count("outputTokens"),
      cacheReadTokens: count("cacheRead"),
      cacheWriteTokens: count("cacheWrite"),
      totalTokens: count("totalTokens"),
      lastPromptTokens: count("totalTokens"),
    },
  };
}

/**
 * How we would spell the lane. Only for chats as a whole: handing what a group said together to one of its members would
 * show it to the wrong person.
 */
function aliasesOf(key: SessionKey, origin: SessionSource | null, rules: KeyRules): SessionKey[] {
  if (origin === null || origin.platform === "local") return [];
  const alias = buildSessionKey(
    origin.chatType === "dm" ? origin : { ...origin, userId: null, userIdAlt: null },
    rules,
  );
  return alias === key ? [] : [alias];
}
