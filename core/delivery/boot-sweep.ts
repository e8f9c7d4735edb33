import { ageMs } from "../recovery/machine.ts";
import type { MachineRun } from "../recovery/machine.ts";
import { maxAttempts } from "./after-send.ts";
import type { ObligationRow, ObligationState } from "./obligation-store.ts";

/** What becomes of a reply that may have arrived already (decision 6). */
export type UnknownPolicy = "redeliver" | "ask";

export interface DebtFound {
  state: ObligationState;
  attempts: number;
  /** Since it was recorded, in ms; 0 where a person wants it sent however old it is. */
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
  /** Too old: a person can still send it. */
  | { kind: "expire" }
  | { kind: "leave" };

/**
 * What a start does about one debt that no living process is paying (lifecycle 11.4, decision 6). What certainly was
 * not sent goes plainly, however often it was refused; what may have arrived is sent once more with its label, or waits
 * for a person.
 */
export function decideDebt(debt: DebtFound): DebtVerdict {
  const stale = debt.ageMs > debt.staleMs;
  switch (debt.state) {
    case "pending":
    case "failed":
      if (stale) return { kind: "expire" };
      return debt.recovered ? { kind: "send-labelled" } : { kind: "send-plain" };
    case "attempting":
      if (stale) return { kind: "ask" };
      if (debt.idempotent)
        return debt.attempts < maxAttempts ? { kind: "repeat" } : { kind: "ask" };
      if (debt.policy === "ask" || debt.recovered) return { kind: "ask" };
      return { kind: "send-labelled" };
    case "unknown":
    case "delivered":
    case "abandoned":
      return { kind: "leave" };
  }
}

/** How old a debt is, for the stale limit: by the machine's run where it is the same, and never once a person released it. */
export const debtAgeMs = (
  row: Pick<ObligationRow, "createdAt" | "machineBoot" | "createdUptimeMs" | "releasedAt">,
  now: MachineRun & { nowMs: number },
): number =>
  row.releasedAt === null
    ? ageMs(
        { machineBoot: row.machineBoot, uptimeMs: row.createdUptimeMs, atMs: row.createdAt },
        now,
      )
    : 0;

/** The visible label of a reply that may be a duplicate (lifecycle 11.4). */
export const recoveredLabel = (cause: string): string =>
  `♻️ Recovered reply (${cause}; it may be a duplicate)\n\n`;
