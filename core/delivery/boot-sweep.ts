import { maxAttempts } from "./after-send.ts";
import type { ObligationState } from "./obligation-store.ts";

/** What becomes of a reply that may have arrived already (decision 6). */
export type UnknownPolicy = "redeliver" | "ask";

export interface DebtFound {
  state: ObligationState;
  attempts: number;
  /** Since it was recorded, in ms. */
  ageMs: number;
  /** It has been sent once more, with its label, already. */
  recovered: boolean;
  /** The platform drops a second send with the same key. */
  idempotent: boolean;
  policy: UnknownPolicy;
  /** `gateway.delivery_stale_minutes`, in ms. */
  staleMs: number;
}

export type DebtVerdict =
  /** Never reached the platform: sent as it is. */
  | { kind: "send-plain" }
  /** May have arrived: sent once more, labelled as recovered and as a possible duplicate. */
  | { kind: "send-labelled" }
  /** May have arrived, and the platform knows the key: the same request once more. */
  | { kind: "repeat" }
  /** May have arrived: a person decides. */
  | { kind: "ask" }
  | { kind: "abandon"; because: "attempts" | "stale" }
  | { kind: "leave" };

/**
 * What a start does about one debt that no living process is paying (lifecycle 11.4, decision 6). What certainly was
 * not sent goes plainly; what may have arrived is sent once more with its label, or waits for a person.
 */
export function decideDebt(debt: DebtFound): DebtVerdict {
  switch (debt.state) {
    case "pending":
    case "failed":
      if (debt.ageMs > debt.staleMs) return { kind: "abandon", because: "stale" };
      if (debt.attempts >= maxAttempts) return { kind: "abandon", because: "attempts" };
      return debt.recovered ? { kind: "send-labelled" } : { kind: "send-plain" };
    case "attempting":
      if (debt.idempotent && debt.attempts < maxAttempts && debt.ageMs <= debt.staleMs)
        return { kind: "repeat" };
      if (debt.policy === "ask" || debt.recovered || debt.ageMs > debt.staleMs)
        return { kind: "ask" };
      if (debt.attempts >= maxAttempts) return { kind: "ask" };
      return { kind: "send-labelled" };
    case "unknown":
    case "delivered":
    case "abandoned":
      return { kind: "leave" };
  }
}

/** The visible label of a reply that may be a duplicate (lifecycle 11.4). */
export const recoveredLabel = (cause: string): string =>
  `♻️ Recovered reply (${cause}; it may be a duplicate)\n\n`;
