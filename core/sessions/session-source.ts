import { trimBlank } from "./blank-text.ts";
import { firstPresent, present } from "./presence.ts";
import { isJsonObject, isTruthy, own, scalarText } from "./stored-json.ts";
import type { JsonObject, JsonValue } from "./stored-json.ts";

/** Every platform that a stored source may name, whether or not a channel for it is built in (lifecycle 1). */
export const platforms = [
  "local",
  "simulator",
  "webhook",
  "telegram",
  "discord",
  "slack",
  "signal",
  "whatsapp",
  "matrix",
  "mattermost",
  "feishu",
  "bluebubbles",
  "email",
  "sms",
  "dingtalk",
  "wecom",
  "wecom_callback",
  "weixin",
  "qqbot",
  "yuanbao",
  "homeassistant",
  "api_server",
  "teams",
  "google_chat",
  "irc",
  "line",
  "ntfy",
] as const;
export type Platform = (typeof platforms)[number];

const known: ReadonlySet<string> = new Set(platforms);

/**
 * The platform a stored or configured name means (lifecycle 1.3).
 *
 * @returns Null for names nobody here knows, and for anything that is not text.
 */
export function platformFrom(name: unknown): Platform | null {
  if (typeof name !== "string") return null;
  const folded = trimBlank(name).toLowerCase();
  return known.has(folded) ? (folded as Platform) : null;
}

/** Where a message came from (lifecycle 1). Immutable; `""` and null both mean "absent" but are stored as they came. */
export interface SessionSource {
  readonly platform: Platform;
  /** Platform chat id, already through `chatIdKey()`. `""` where the platform has none. */
  readonly chatId: string;
  readonly chatName: string | null;
  /** `dm`, `group`, `channel`, `thread`; other words are tolerated and are not private. */
  readonly chatType: string;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly threadId: string | null;
  readonly chatTopic: string | null;
  /** Stable second id of the author (Signal UUID, Feishu union id); outranks `userId` in keys. */
  readonly userIdAlt: string | null;
  readonly chatIdAlt: string | null;
  /** Never stored. */
  readonly isBot: boolean;
  /** Server or workspace. Stored under its old name `guild_id` too. */
  readonly scopeId: string | null;
  readonly parentChatId: string | null;
  /** The triggering message. */
  readonly messageId: string | null;
  /** Access came from a platform role. Never stored. */
  readonly roleAuthorized: boolean;
  /** Profile the message is routed to; null is the default one. */
  readonly profile: string | null;
  readonly autoThreadCreated: boolean;
  readonly autoThreadInitialName: string | null;
  /** The thread this channel message will be answered in. */
  readonly prospectiveThreadId: string | null;
  /** Trust given by this process alone: never read, never stored. */
  readonly deliveredViaUpstreamRelay: boolean;
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** What a channel knows about a message; everything but the platform may be missing. */
export interface SourceFields extends Optional<Omit<SessionSource, "platform">> {
  readonly platform: Platform;
  /** The scope's deprecated name; `scopeId` wins where both are given, even when it is `""`. */
  readonly guildId?: string | null | undefined;
}

/** Construction rule and defaults (lifecycle 1, 1.1). */
export function sessionSource(fields: SourceFields): SessionSource {
  return {
    platform: fields.platform,
    chatId: fields.chatId ?? "",
    chatName: fields.chatName ?? null,
    chatType: fields.chatType ?? "dm",
    userId: fields.userId ?? null,
    userName: fields.userName ?? null,
    threadId: fields.threadId ?? null,
    chatTopic: fields.chatTopic ?? null,
    userIdAlt: fields.userIdAlt ?? null,
    chatIdAlt: fields.chatIdAlt ?? null,
    isBot: fields.isBot ?? false,
    scopeId: fields.scopeId ?? fields.guildId ?? null,
    parentChatId: fields.parentChatId ?? null,
    messageId: fields.messageId ?? null,
    roleAuthorized: fields.roleAuthorized ?? false,
    profile: fields.profile ?? null,
    autoThreadCreated: fields.autoThreadCreated ?? false,
    autoThreadInitialName: fields.autoThreadInitialName ?? null,
    prospectiveThreadId: fields.prospectiveThreadId ?? null,
    deliveredViaUpstreamRelay: fields.deliveredViaUpstreamRelay ?? false,
  };
}

/** The stored shape (lifecycle 1.2): eight members always, the others only where there is something to say. */
export function sessionSourceToStored(source: SessionSource): JsonObject {
  const scope = present(source.scopeId);
  const optional: readonly (readonly [string, JsonValue])[] = [
    ["user_id_alt", present(source.userIdAlt)],
    ["chat_id_alt", present(source.chatIdAlt)],
    ["scope_id", scope],
    ["guild_id", scope],
    ["parent_chat_id", present(source.parentChatId)],
    ["message_id", present(source.messageId)],
    ["profile", present(source.profile)],
    ["auto_thread_created", source.autoThreadCreated ? true : null],
    ["auto_thread_initial_name", present(source.autoThreadInitialName)],
    ["prospective_thread_id", present(source.prospectiveThreadId)],
  ];
  return {
    platform: source.platform,
    chat_id: source.chatId,
    chat_name: source.chatName,
    chat_type: source.chatType,
    user_id: source.userId,
    user_name: source.userName,
    thread_id: source.threadId,
    chat_topic: source.chatTopic,
    ...Object.fromEntries(optional.filter(([, value]) => value !== null)),
  };
}

export type SourceReading =
  | { readonly ok: true; readonly source: SessionSource }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a stored source (lifecycle 1.3). Never throws.
 *
 * Authority is never read: `is_bot`, `role_authorized` and the relay flag come back false whatever the file
 * or the peer says. Unknown members are dropped.
 */
export function sessionSourceFromStored(stored: unknown): SourceReading {
  if (!isJsonObject(stored)) return { ok: false, reason: "the source is not an object" };
  const platform = platformFrom(own(stored, "platform"));
  if (platform === null) return { ok: false, reason: "the platform is missing or unknown" };
  const chatId = scalarText(own(stored, "chat_id"));
  if (chatId === null) return { ok: false, reason: "chat_id is missing" };
  const text = (name: string): string | null => scalarText(own(stored, name));
  return {
    ok: true,
    source: sessionSource({
      platform,
      chatId,
      chatName: text("chat_name"),
      chatType: text("chat_type"),
      userId: text("user_id"),
      userName: text("user_name"),
      threadId: text("thread_id"),
      chatTopic: text("chat_topic"),
      userIdAlt: text("user_id_alt"),
      chatIdAlt: text("chat_id_alt"),
      // The key decides, not its value: `{"scope_id": null, "guild_id": "G"}` has no scope.
      scopeId: Object.hasOwn(stored, "scope_id") ? text("scope_id") : text("guild_id"),
      parentChatId: text("parent_chat_id"),
      messageId: text("message_id"),
      profile: text("profile"),
      autoThreadCreated: isTruthy(own(stored, "auto_thread_created")),
      autoThreadInitialName: text("auto_thread_initial_name"),
      prospectiveThreadId: text("prospective_thread_id"),
    }),
  };
}

/** Who wrote, for isolation and authorisation (lifecycle 4.3, 4.4): the stable second id first, else the plain one. */
export const participantId = (source: SessionSource): string | null =>
  firstPresent(source.userIdAlt, source.userId);

/**
 * The thread the answer belongs to: the real one, else the one that will be opened for it (lifecycle 4.4).
 * A private chat never gets a thread opened for it.
 */
export function effectiveThread(source: SessionSource): string | null {
  if (source.chatType === "dm") return present(source.threadId);
  return firstPresent(source.threadId, source.prospectiveThreadId);
}

/**
 * One spelling for a platform's chat id (lifecycle 4.6): `123`, `"123"` and `" 123 "` are one chat.
 *
 * @returns Decimal form of whole numbers, the trimmed text of anything else.
 */
export function chatIdKey(value: string | number | bigint): string {
  const text = trimBlank(String(value));
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")).toString() : text;
}
