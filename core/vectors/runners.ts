import { isSilence, mayBecomeSilence } from "../delivery/silence.ts";
import { describeSource } from "../sessions/description.ts";
import { isSharedMultiUser } from "../sessions/isolation.ts";
import type { IsolationRules } from "../sessions/isolation.ts";
import { isUnsafeSessionId, isUnsafeSessionKey } from "../sessions/path-safety.ts";
import { quotedValue } from "../sessions/prompt-value.ts";
import { hashChatId, hashId, hashSenderId } from "../sessions/redaction.ts";
import { buildSessionKey } from "../sessions/session-key.ts";
import {
  platformFrom,
  sessionSource,
  sessionSourceFromStored,
  sessionSourceToStored,
} from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { isJsonObject, isTruthy, own, scalarText } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import {
  canonicalWhatsApp,
  normalizeWhatsApp,
  whatsAppAliases,
} from "../sessions/whatsapp-identity.ts";
import type { MappingReader } from "../sessions/whatsapp-identity.ts";
import { stateAwareness } from "./state-awareness.ts";
import { caseRunner } from "./vector-run.ts";
import type { VectorRunner } from "./vector-run.ts";

const text = (from: JsonObject, name: string): string | null => scalarText(own(from, name));

const requiredText = (from: JsonObject, name: string): string => text(from, name) ?? "";

const objectOf = (from: JsonObject, name: string): JsonObject => {
  const value = own(from, name);
  return isJsonObject(value) ? value : {};
};

/** The source of a case: constructor fields under their stored names, missing ones by default. */
function sourceOf(input: JsonObject): SessionSource {
  const fields = objectOf(input, "source");
  const platform = platformFrom(own(fields, "platform"));
  if (platform === null) throw new Error("the case's platform is not known here");
  return sessionSource({
    platform,
    chatId: text(fields, "chat_id"),
    chatName: text(fields, "chat_name"),
    chatType: text(fields, "chat_type"),
    userId: text(fields, "user_id"),
    userName: text(fields, "user_name"),
    threadId: text(fields, "thread_id"),
    chatTopic: text(fields, "chat_topic"),
    userIdAlt: text(fields, "user_id_alt"),
    chatIdAlt: text(fields, "chat_id_alt"),
    isBot: isTruthy(own(fields, "is_bot")),
    scopeId: text(fields, "scope_id"),
    guildId: text(fields, "guild_id"),
    parentChatId: text(fields, "parent_chat_id"),
    messageId: text(fields, "message_id"),
    roleAuthorized: isTruthy(own(fields, "role_authorized")),
    profile: text(fields, "profile"),
    autoThreadCreated: isTruthy(own(fields, "auto_thread_created")),
    autoThreadInitialName: text(fields, "auto_thread_initial_name"),
    prospectiveThreadId: text(fields, "prospective_thread_id"),
  });
}

const isolationOf = (input: JsonObject): IsolationRules => ({
  groupSessionsPerUser: own(input, "group_sessions_per_user") !== false,
  threadSessionsPerUser: own(input, "thread_sessions_per_user") === true,
});

/** The bridge's folder as a case gives it: file name to raw text. */
const mappingsOf =
  (files: JsonObject): MappingReader =>
  (fileName) =>
    text(files, fileName);

const sessionKey = caseRunner((input) =>
  buildSessionKey(sourceOf(input), {
    ...isolationOf(input),
    profile: text(input, "profile"),
    readMapping: mappingsOf(objectOf(input, "whatsapp_mappings")),
  }),
);

const whatsAppIdentity = caseRunner((input) => {
  const id = text(input, "identifier");
  const read = mappingsOf(objectOf(input, "mappings"));
  return {
    normalized: normalizeWhatsApp(id),
    canonical: canonicalWhatsApp(id, read),
    aliases: [...whatsAppAliases(id, read)].toSorted((a, b) => (a < b ? -1 : 1)),
  };
});

const sourceRoundtrip = caseRunner((input) => {
  const read = sessionSourceFromStored(own(input, "stored"));
  if (!read.ok) return { ok: false };
  return {
    ok: true,
    stored: sessionSourceToStored(read.source),
    flags: { is_bot: read.source.isBot, role_authorized: read.source.roleAuthorized },
  };
});

const piiHash = caseRunner((input) => {
  const value = requiredText(input, "value");
  const fn = text(input, "fn");
  if (fn === "hash_id") return hashId(value);
  if (fn === "hash_sender_id") return hashSenderId(value);
  if (fn === "hash_chat_id") return hashChatId(value);
  throw new Error(`no such function: ${fn ?? "none"}`);
});

const silenceMarkers = caseRunner((input) => {
  const answer = requiredText(input, "text");
  return { silence: isSilence(answer), partial: mayBecomeSilence(answer) };
});

const pathSafety = caseRunner((input) => {
  const value = requiredText(input, "value");
  return own(input, "role") === "session_id" ? isUnsafeSessionId(value) : isUnsafeSessionKey(value);
});

/** How each file is run, in this order. Null: the rule it tests is not built yet. */
export const vectorRunners: Readonly<Record<string, VectorRunner | null>> = {
  "session_key.json": sessionKey,
  "shared_multi_user.json": caseRunner((input) =>
    isSharedMultiUser(sourceOf(input), isolationOf(input)),
  ),
  "whatsapp_identity.json": whatsAppIdentity,
  "source_description.json": caseRunner((input) => describeSource(sourceOf(input))),
  "source_serialise.json": caseRunner((input) => sessionSourceToStored(sourceOf(input))),
  "source_roundtrip.json": sourceRoundtrip,
  "pii_hash.json": piiHash,
  "silence_markers.json": silenceMarkers,
  "path_safety.json": pathSafety,
  "prompt_value.json": caseRunner((input) => quotedValue(requiredText(input, "value"))),
  "state-awareness.json": stateAwareness,
};
