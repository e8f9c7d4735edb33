import { collapseBlank, cutWithDots } from "./blank-text.ts";
import { firstPresent, present } from "./presence.ts";
import { effectiveThread, participantId } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

/** Who shares a lane with whom (lifecycle 5, 19). */
export interface IsolationRules {
  /** Default true: a group or channel has one session for each person. */
  readonly groupSessionsPerUser: boolean;
  /** Default false: a thread has one session for everybody in it. */
  readonly threadSessionsPerUser: boolean;
  /** What the settings say of one chat, by `<platform>:<chat id>`; absent members follow the rules above. */
  readonly ofChat?: ((chat: string) => ChatIsolation | undefined) | undefined;
}

export interface ChatIsolation {
  readonly groupSessionsPerUser?: boolean | undefined;
  readonly threadSessionsPerUser?: boolean | undefined;
}

/** The rules of a message's own chat; a thread that is a chat of its own follows its parent (lifecycle 5). */
export function rulesOfChat(
  source: SessionSource,
  rules: IsolationRules,
): { groupSessionsPerUser: boolean; threadSessionsPerUser: boolean; isOwn: boolean } {
  const parent = present(source.parentChatId);
  const own =
    rules.ofChat?.(`${source.platform}:${source.chatId}`) ??
    (parent === null ? undefined : rules.ofChat?.(`${source.platform}:${parent}`));
  return {
    groupSessionsPerUser: own?.groupSessionsPerUser ?? rules.groupSessionsPerUser,
    threadSessionsPerUser: own?.threadSessionsPerUser ?? rules.threadSessionsPerUser,
    isOwn: own !== undefined,
  };
}

export const defaultIsolation: IsolationRules = {
  groupSessionsPerUser: true,
  threadSessionsPerUser: false,
};

/** Whether a key ends in a participant, if there is one (lifecycle 4.4). Private chats have no such segment. */
export function isolatesParticipants(source: SessionSource, rules: IsolationRules): boolean {
  const own = rulesOfChat(source, rules);
  if (!own.groupSessionsPerUser) return false;
  return effectiveThread(source) === null || own.threadSessionsPerUser;
}

/**
 * Whether several people may speak in the session (lifecycle 5). The answer does not look at who wrote, so it
 * is the same for every message of a chat.
 */
export function isSharedMultiUser(source: SessionSource, rules: IsolationRules): boolean {
  if (source.chatType === "dm") return false;
  const own = rulesOfChat(source, rules);
  return effectiveThread(source) === null ? !own.groupSessionsPerUser : !own.threadSessionsPerUser;
}

/** A message that no person signed: it comes from the chat itself, and names no user (lifecycle 5). */
export const isFromChatItself = (source: SessionSource): boolean =>
  source.chatType !== "dm" && participantId(source) === null;

/**
 * Start-up warning for rules that disagree with each other (lifecycle 5).
 *
 * @returns A sentence for the operator, or null where there is nothing to warn about.
 */
export function isolationWarning(rules: IsolationRules): string | null {
  if (rules.groupSessionsPerUser || !rules.threadSessionsPerUser) return null;
  return (
    "thread_sessions_per_user has no effect while group_sessions_per_user is off: " +
    "threads stay shared, and their messages carry no sender names."
  );
}

const NAME_LIMIT = 240; // code points; a display name is a label, not a place to write instructions

/** A display name that can no longer act as anything but a name (lifecycle 5). `""` where nothing is left. */
export const inertName = (name: string): string =>
  cutWithDots(collapseBlank(name.replace(/\p{Cc}/gu, " ")), NAME_LIMIT);

/**
 * Puts the speaker in front of a message of a shared session (lifecycle 5).
 *
 * @returns The text unchanged in sessions of one person, and where the sender has no display name.
 */
export function prefixSender(text: string, source: SessionSource, isShared: boolean): string {
  const name = inertName(source.userName ?? "");
  if (!isShared || name === "") return text;
  const slackId = source.platform === "slack" ? present(source.userId) : null;
  return `[${name}${slackId === null ? "" : ` | Slack user <@${slackId}>`}] ${text}`;
}

/**
 * The user message as the model sees it (lifecycle 5): the trigger is prefixed first, back-filled channel
 * history then goes in front of it.
 */
export function assembleUserText(
  text: string,
  source: SessionSource,
  isShared: boolean,
  history: string | null = null,
): string {
  const prefixed = prefixSender(text, source, isShared);
  return firstPresent(history) === null ? prefixed : `${history}\n\n[New message]\n${prefixed}`;
}
