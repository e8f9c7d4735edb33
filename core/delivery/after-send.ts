import type { SendOutcome } from "../channels/channel.ts";
import type { UnknownPolicy } from "./boot-sweep.ts";
import type { Settlement } from "./obligation-store.ts";

/**
 * Attempts of which the platform keeps only the first, by their key, before a person is asked (lifecycle 11.2). One that
 * certainly did not arrive cannot make a duplicate and is not limited by it.
 */
export const maxAttempts = 3;
/** Pauses after the first failure, the second, and every further one, in first pauses: 30 s, 2 min, 10 min (lifecycle 11.5). */
const pauses = [1, 4, 20] as const;

/** How a wait that the platform itself asked for begins in `last_error`; it holds across a restart (lifecycle 11.4, 11.5). */
const floodMark = "flood_control:";
export const isPlatformWait = (lastError: string | null): boolean =>
  lastError?.startsWith(floodMark) === true;

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
  /** Pause after the first failure, in ms. */
  retryMs: number;
}

/** What the ledger is told, and after which pause it is tried again. */
export type AfterSend = Settlement & { waitMs?: number };

/**
 * What an obligation becomes after one attempt (lifecycle 11.2, 11.5; decision 6). What certainly was not delivered is
 * tried again by itself until it is stale; what may have arrived is repeated where the platform knows the key, sent
 * once more with its label where the policy says so, and otherwise waits for a person.
 */
export function decideAfterSend(sent: Sent): AfterSend {
  const { outcome, attempts } = sent;
  const wait = sent.retryMs * (pauses[attempts - 1] ?? pauses[2]);
  switch (outcome.kind) {
    case "delivered":
      return { state: "delivered", remoteId: outcome.remoteId };
    case "rejected": {
      const waitMs = outcome.retryAfterMs ?? wait;
      if (!outcome.retryable) return { state: "abandoned", error: outcome.reason };
      if (sent.ageMs + waitMs > sent.staleMs)
        return { state: "abandoned", error: `Given up as too old. ${outcome.reason}` };
      const asked = outcome.retryAfterMs;
      const mark = asked === undefined ? "" : `${floodMark}${Math.ceil(asked / 1000)} `;
      return { state: "failed", error: `${mark}${outcome.reason}`, waitMs };
    }
    case "unknown": {
      const error = outcome.reason;
      if (sent.idempotent)
        return attempts < maxAttempts
          ? { state: "failed", error, waitMs: wait }
          : { state: "unknown", error };
      if (sent.policy === "redeliver" && !sent.recovered)
        return {
          state: "failed",
          error,
          waitMs: wait,
          labelled: "its first delivery was not confirmed",
        };
      return { state: "unknown", error };
    }
  }
}
