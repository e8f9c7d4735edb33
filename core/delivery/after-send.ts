import type { SendOutcome } from "../channels/channel.ts";
import type { ObligationState } from "./obligation-store.ts";

export interface AfterSend {
  state: ObligationState;
  error: string | null;
  remoteId: string | null;
  /** Epoch ms of the next attempt by itself; null where there is none. */
  nextAttemptAt: number | null;
}

/** Attempts in all; the last is kept for a boot (lifecycle 11.2, 11.5). */
export const maxAttempts = 3;
const retryAfterMs = [30_000, 120_000]; // after the first failure, after the second (lifecycle 11.5)

/**
 * What an obligation becomes after one attempt (lifecycle 11.2, 11.5; decisions 6). Only what certainly was not
 * delivered, or what the platform recognises by its key, is tried again by itself here; the rest is for a boot's
 * policy or for a person.
 */
export function decideAfterSend(given: {
  attempts: number;
  outcome: SendOutcome;
  idempotent: boolean;
  nowMs: number;
}): AfterSend {
  const { outcome, attempts, nowMs } = given;
  switch (outcome.kind) {
    case "delivered":
      return { state: "delivered", error: null, remoteId: outcome.remoteId, nextAttemptAt: null };
    case "rejected": {
      const wait = outcome.retryAfterMs ?? retryAfterMs[attempts - 1];
      if (!outcome.retryable || wait === undefined)
        return { state: "abandoned", error: outcome.reason, remoteId: null, nextAttemptAt: null };
      return {
        state: "failed",
        error: outcome.reason,
        remoteId: null,
        nextAttemptAt: nowMs + wait,
      };
    }
    case "unknown": {
      const wait = retryAfterMs[attempts - 1];
      if (given.idempotent && wait !== undefined)
        return {
          state: "failed",
          error: outcome.reason,
          remoteId: null,
          nextAttemptAt: nowMs + wait,
        };
      return { state: "unknown", error: outcome.reason, remoteId: null, nextAttemptAt: null };
    }
  }
}
