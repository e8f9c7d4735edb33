import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { isolatesParticipants } from "./isolation.ts";
import type { IsolationRules } from "./isolation.ts";
import { present } from "./presence.ts";
import { effectiveThread, participantId } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import { canonicalWhatsApp, noMappings, whatsAppAliases } from "./whatsapp-identity.ts";
import type { MappingReader } from "./whatsapp-identity.ts";

export interface KeyRules extends IsolationRules {
  /** Null, `""` and `default` are the default profile (lifecycle 4.2). The caller passes it: keys never read `source.profile`. */
  readonly profile?: string | null | undefined;
  /** What the WhatsApp bridge has learned; without it an id is only made bare. */
  readonly readMapping?: MappingReader | undefined;
}

/** First two segments of a key (lifecycle 4.2). A profile that is really named `main` must not share the default's lanes. */
export function keyNamespace(profile: string | null | undefined): string {
  const name = present(profile);
  if (name === null || name === "default") return "agent:main";
  return name === "main" ? "agent:main~" : `agent:${name}`;
}

/** How a person's id is spelled inside a key. */
type PersonSpelling = (id: string) => string;

/** A private chat is told apart by its chat, else by its person, then by its thread (lifecycle 4.3). */
function dmSegments(source: SessionSource, spell: PersonSpelling): (string | null)[] {
  const chat = present(source.chatId);
  const participant = participantId(source);
  const lane =
    (chat === null ? null : present(spell(chat))) ??
    (participant === null ? null : present(spell(participant)));
  return ["dm", lane, present(source.threadId)];
}

/** Everything that is not private (lifecycle 4.4). The chat id stays raw, also that of a WhatsApp group. */
function groupSegments(
  source: SessionSource,
  rules: IsolationRules,
  spell: PersonSpelling,
): (string | null)[] {
  const thread = effectiveThread(source);
  const opensThread = thread !== null && present(source.threadId) === null;
  const participant = isolatesParticipants(source, rules) ? participantId(source) : null;
  return [
    // The first message names the thread it will open, so that the follow-ups share its lane.
    opensThread ? "thread" : source.chatType,
    source.platform === "slack" ? present(source.scopeId) : null,
    present(source.chatId),
    thread,
    // An id that is nothing but domain or device has no bare form: keep it raw rather than merge strangers.
    participant === null ? null : (present(spell(participant)) ?? participant),
  ];
}

/** Every segment in its place, the absent ones null. */
function keySegments(
  source: SessionSource,
  rules: KeyRules,
  spell: PersonSpelling,
): readonly (string | null)[] {
  const segments =
    source.chatType === "dm" ? dmSegments(source, spell) : groupSegments(source, rules, spell);
  return [keyNamespace(rules.profile), source.platform, ...segments];
}

function joinKey(source: SessionSource, rules: KeyRules, spell: PersonSpelling): SessionKey {
  // Ids go in verbatim, colons included: a key is compared, never taken apart.
  return asSessionKey(
    keySegments(source, rules, spell)
      .filter((part) => part !== null)
      .join(":"),
  );
}

const spellingOf = (source: SessionSource, rules: KeyRules): PersonSpelling =>
  source.platform === "whatsapp"
    ? (id) => canonicalWhatsApp(id, rules.readMapping ?? noMappings)
    : (id) => id;

/**
 * What a lane's key was joined from, as one comparable text. Keys are unescaped (lifecycle 4.1), so ids that hold
 * separators can let two different chats meet in one key; their identities still differ.
 */
export const laneIdentity = (source: SessionSource, rules: KeyRules): string =>
  JSON.stringify(keySegments(source, rules, spellingOf(source, rules)));

/**
 * The lane of a message (lifecycle 4). The only place where keys are made.
 *
 * Pure but for `readMapping`. The same chat, thread and person always give the same key; names, topics,
 * message ids and redaction never change it.
 */
export function buildSessionKey(source: SessionSource, rules: KeyRules): SessionKey {
  return joinKey(source, rules, spellingOf(source, rules));
}

/** One part of a key, and why it is there. */
export interface KeySegment {
  readonly value: string;
  readonly name: "namespace" | "platform" | "type" | "scope" | "chat" | "thread" | "person";
  /** Where the value came from, in words. */
  readonly from: string;
}

export type KeyRule =
  | "private_chat"
  | "private_person"
  | "private_shared"
  | "group_per_person"
  | "group_shared"
  | "thread_per_person"
  | "thread_shared";

/** How a key came about: the rule, and each part by name (lifecycle 4). Joined by colons the values are the key. */
export interface KeyExplanation {
  readonly key: SessionKey;
  readonly rule: KeyRule;
  readonly segments: readonly KeySegment[];
}

/** Explains the key that `buildSessionKey` gives. */
export function explainKey(source: SessionSource, rules: KeyRules): KeyExplanation {
  const spell = spellingOf(source, rules);
  const values = keySegments(source, rules, spell);
  const isDm = source.chatType === "dm";
  const hasChat = present(source.chatId) !== null;
  const personFrom =
    present(source.userIdAlt) === null ? "the person's id" : "the person's stable second id";
  const bare = source.platform === "whatsapp" ? ", in its one spelling" : "";
  const opensThread = effectiveThread(source) !== null && present(source.threadId) === null;
  const names: readonly (readonly [KeySegment["name"], string])[] = isDm
    ? [
        ["type", "a private chat"],
        hasChat ? ["chat", `the chat's id${bare}`] : ["person", `${personFrom}${bare}: no chat id`],
        ["thread", "the thread's id"],
      ]
    : [
        ["type", opensThread ? "a thread that the answer opens" : "the chat's type"],
        ["scope", "the workspace's id"],
        ["chat", "the chat's id, as the platform spells it"],
        ["thread", opensThread ? "the thread that the answer opens" : "the thread's id"],
        ["person", `${personFrom}${bare}`],
      ];
  const labels: readonly (readonly [KeySegment["name"], string])[] = [
    ["namespace", "the agent profile"],
    ["platform", "the platform"],
    ...names,
  ];
  return {
    key: buildSessionKey(source, rules),
    rule: ruleOf(source, rules, values),
    segments: values.flatMap((value, index) => {
      const [name, from] = labels[index] ?? ["chat", ""];
      return value === null ? [] : [{ value, name, from }];
    }),
  };
}

function ruleOf(
  source: SessionSource,
  rules: KeyRules,
  values: readonly (string | null)[],
): KeyRule {
  if (source.chatType === "dm") {
    if (present(source.chatId) !== null) return "private_chat";
    return values[3] === null ? "private_shared" : "private_person";
  }
  const isThread = effectiveThread(source) !== null;
  const isAlone = isolatesParticipants(source, rules) && participantId(source) !== null;
  if (isThread) return isAlone ? "thread_per_person" : "thread_shared";
  return isAlone ? "group_per_person" : "group_shared";
}

/**
 * Whether this private chat has nothing to tell it apart, so that it falls into the platform's one shared
 * lane (lifecycle 4.3). Worth one log line for each platform.
 */
export function isAnonymousDm(source: SessionSource, rules: KeyRules): boolean {
  if (source.chatType !== "dm" || present(source.threadId) !== null) return false;
  return buildSessionKey(source, rules) === `${keyNamespace(rules.profile)}:${source.platform}:dm`;
}

const LEGACY_DOMAINS = ["", "@s.whatsapp.net", "@c.us", "@lid"];

/**
 * Keys under which an older build may have filed the same WhatsApp lane (lifecycle 4.7, legacy adoption).
 * Where the canonical key has no entry, the most recently updated of these is moved to it.
 *
 * @returns Never the canonical key itself; empty for other platforms.
 */
export function legacySessionKeys(source: SessionSource, rules: KeyRules): readonly SessionKey[] {
  if (source.platform !== "whatsapp") return [];
  const read = rules.readMapping ?? noMappings;
  const keys = new Set<SessionKey>([joinKey(source, rules, (id) => id)]);
  for (const domain of LEGACY_DOMAINS) {
    const person =
      source.chatType === "dm"
        ? (present(source.chatId) ?? participantId(source))
        : participantId(source);
    for (const alias of whatsAppAliases(person, read)) {
      keys.add(joinKey(source, rules, () => `${alias}${domain}`));
    }
  }
  keys.delete(buildSessionKey(source, rules));
  return [...keys];
}
