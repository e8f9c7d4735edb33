import type { SessionKey } from "../contract/ids.ts";
import { isSharedMultiUser } from "./isolation.ts";
import type { IsolationRules } from "./isolation.ts";
import type { PastSession } from "./lineage-store.ts";
import { present } from "./presence.ts";
import { participantId, sessionSourceFromStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

export interface Caller {
  readonly key: SessionKey;
  readonly source: SessionSource;
  /** The operator, who may go into every session. */
  readonly isAdministrator: boolean;
}

/**
 * Whether a caller may see a past session in a list and take it up again (lifecycle 18: only sessions of the caller's own
 * origin).
 *
 * What was said in a lane belongs to whoever speaks in the lane. Beyond it, a person in a private chat has what they said
 * alone elsewhere on the platform; in a group only what they said alone in that same chat, so that nobody else there reads
 * titles of private conversations.
 */
export function mayTakeUp(past: PastSession, caller: Caller, rules: IsolationRules): boolean {
  if (caller.isAdministrator || past.sessionKey === caller.key) return true;
  const { source } = caller;
  if (past.source !== source.platform) return false;
  const person = participantId(source);
  if (person === null || past.userId !== person) return false;
  const origin = originOfPast(past);
  if (origin === null || isSharedMultiUser(origin, rules)) return false;
  return (
    source.chatType === "dm" || (past.chatId !== null && past.chatId === present(source.chatId))
  );
}

function originOfPast(past: PastSession): SessionSource | null {
  if (past.originJson === null) return null;
  const reading = sessionSourceFromStored(JSON.parse(past.originJson));
  return reading.ok ? reading.source : null;
}
