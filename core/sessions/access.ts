import type { SessionId } from "../contract/ids.ts";
import type { SessionEntry } from "./session-entry.ts";

/** The entry's place in the database, looked up before the decision; null where the lookup failed or was not made. */
export interface RouteState {
  /** Where compression has taken the session (lifecycle 14.3); the entry's own id where it has not. */
  readonly tip: SessionId;
  /** Whether the tip's row has an end reason. False for a row that is not there. */
  readonly tipEnded: boolean;
}

export interface AccessQuestion {
  readonly entry: Pick<
    SessionEntry,
    "sessionId" | "suspended" | "resumePending" | "lastPromptTokens"
  > | null;
  readonly route: RouteState | null;
  readonly forceNew: boolean;
  /** False for internal events: they are no sign of life of a person. */
  readonly touchActivity: boolean;
}

export type Access =
  /** A fresh entry, without flags and without looking for a lost one. `retires` is the id that it replaces. */
  | { readonly kind: "create"; readonly retires: SessionId | null }
  /** Look for a row that was closed by accident (lifecycle 3.4); where there is none, create. */
  | {
      readonly kind: "recover-or-create";
      readonly because: "no-entry" | "stale-route";
      readonly drops: SessionId | null;
    }
  /** A new incarnation in place of a suspended one; its row ends as `suspended` and is never recovered. */
  | {
      readonly kind: "replace-suspended";
      readonly retires: SessionId;
      readonly hadActivity: boolean;
    }
  /** Same id, whole transcript; the flag stays until a turn has succeeded. `updatedAt` is not moved. */
  | {
      readonly kind: "continue-interrupted";
      readonly sessionId: SessionId;
      readonly repointed: boolean;
    }
  /** `repointed` is a structural save; only `touches` moves `updatedAt`. */
  | {
      readonly kind: "continue";
      readonly sessionId: SessionId;
      readonly repointed: boolean;
      readonly touches: boolean;
    };

/**
 * What the next access to a lane does (lifecycle 3.3).
 *
 * The order of the tests is the rule: a forced wipe outranks everything, an explicit suspension outranks a
 * recovery and a soft resume. Time is no input: inactivity never ends a conversation (lifecycle 2.2).
 */
export function decideAccess(question: AccessQuestion): Access {
  const { entry, route } = question;
  if (question.forceNew) return { kind: "create", retires: entry?.sessionId ?? null };
  if (entry === null) return { kind: "recover-or-create", because: "no-entry", drops: null };
  if (entry.suspended)
    return {
      kind: "replace-suspended",
      retires: entry.sessionId,
      hadActivity: entry.lastPromptTokens > 0,
    };
  // A database that does not answer is no evidence against the entry.
  if (route?.tipEnded === true)
    return { kind: "recover-or-create", because: "stale-route", drops: entry.sessionId };
  const sessionId = route?.tip ?? entry.sessionId;
  const repointed = sessionId !== entry.sessionId;
  if (entry.resumePending) return { kind: "continue-interrupted", sessionId, repointed };
  return { kind: "continue", sessionId, repointed, touches: question.touchActivity };
}
