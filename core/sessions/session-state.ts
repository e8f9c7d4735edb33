import type { NextMessage, SessionState } from "../contract/domain.ts";

/** The stored facts that decide which state a person sees. */
export interface StateFacts {
  readonly suspended: boolean;
  /** `stuck_loop` marks the recovery's own suspension. */
  readonly suspendReason: string | null;
  readonly resumePending: boolean;
  readonly turnActive: boolean;
  readonly queueDepth: number;
  /** Code of the last turn's failure, cleared when the next turn starts. */
  readonly errorCode: string | null;
  /** A question or an approval waits for a person. */
  readonly waitsForPerson: boolean;
}

/** First that holds wins (ux.md 6). */
export function deriveState(facts: StateFacts): SessionState {
  if (facts.suspended && facts.suspendReason === "stuck_loop") return "stuck";
  if (facts.errorCode !== null && !facts.turnActive) return "failed";
  if (facts.waitsForPerson) return "waiting";
  if (facts.suspended) return "suspended";
  if (facts.turnActive) return "running";
  if (facts.queueDepth > 0) return "queued";
  if (facts.resumePending) return "resume_pending";
  return "idle";
}

/** What the lane's next message does, and why where it is not plain (lifecycle 3.3: suspended beats everything). */
export function nextMessageFate(
  facts: Pick<StateFacts, "suspended" | "suspendReason" | "resumePending">,
): {
  fate: NextMessage;
  because: string | null;
} {
  if (facts.suspended)
    return {
      fate: "start_fresh",
      because: facts.suspendReason === "stuck_loop" ? "suspended as a stuck loop" : "suspended",
    };
  if (facts.resumePending)
    return { fate: "continue_interrupted", because: "the last turn was interrupted" };
  return { fate: "continue", because: null };
}
