import type { SendOutcome } from "../channels/channel.ts";
import type { UnknownPolicy } from "./boot-sweep.ts";
import type { Settlement } from "./obligation-store.ts";

/** Attempts that may have arrived, in all (lifecycle 11.2). One that certainly did not cannot make a duplicate and is not limited by it. */
export const maxAttempts = 3;
/** Longest pause between two attempts that certainly did not arrive, in ms. */
const longestWaitMs = 600_000;

export interface Sent {
  /** Attempts so far, this one included. */
  attempts: number;
  outcome: SendOutcome;
  idempotent: boolean;
  policy: UnknownPolicy;
  /** This attempt carried the label already. */
  recovered: boolean;
  ageMs: number;
  staleMs: number;
  /** Pause after the first failure, in ms; the second is four times as long, further ones ten minutes (lifecycle 11.5). */
  retryMs: number;
  nowMs: number;
}

/**
 * What an obligation becomes after one attempt (lifecycle 11.2, 11.5; decision 6). What certainly was not delivered is
 * tried again by itself until it is stale; what may have arrived is repeated where the platform knows the key, sent
 * once more with its label where the policy says so, and otherwise waits for a person.
 */
export function decideAfterSend(sent: Sent): Settlement {
  const { outcome, attempts, nowMs } = sent;
  const wait = attempts <= 1 ? sent.retryMs : attempts === 2 ? sent.retryMs * 4 : longestWaitMs;
  switch (outcome.kind) {
    case "delivered":
      return { state: "delivered", remoteId: outcome.remoteId };
    case "rejected": {
      const next = outcome.retryAfterMs ?? wait;
      if (!outcome.retryable) return { state: "abandoned", error: outcome.reason };
      if (sent.ageMs + next > sent.staleMs)
        return { state: "abandoned", error: `Given up as too old. ${outcome.reason}` };
      return { state: "failed", error: outcome.reason, nextAttemptAt: nowMs + next };
    }
    case "unknown": {
      const error = outcome.reason;
      if (attempts >= maxAttempts) return { state: "unknown", error };
      if (sent.idempotent) return { state: "failed", error, nextAttemptAt: nowMs + wait };
      if (sent.policy === "redeliver" && !sent.recovered)
        return {
          state: "failed",
          error,
          nextAttemptAt: nowMs + wait,
          labelled: "its first delivery was not confirmed",
        };
      return { state: "unknown", error };
    }
  }
}
