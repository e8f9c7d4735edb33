import { describe, expect, test } from "vitest";
import type { SendOutcome } from "../channels/channel.ts";
import { decideAfterSend, isPlatformWait } from "./after-send.ts";
import type { AfterSend, Sent } from "./after-send.ts";

const delivered: SendOutcome = { kind: "delivered", remoteId: "r1" };
const refused: SendOutcome = {
  kind: "rejected",
  retryable: true,
  code: "ECONNREFUSED",
  reason: "Nobody listens there.",
};
const blocked: SendOutcome = { ...refused, retryable: false, reason: "Blocked." };
const unknown: SendOutcome = { kind: "unknown", reason: "No answer." };

const sent: Sent = {
  attempts: 1,
  outcome: delivered,
  idempotent: false,
  policy: "redeliver",
  recovered: false,
  ageMs: 1_000,
  staleMs: 60 * 60_000,
  retryMs: 30_000,
};
const decide = (part: Partial<Sent>): AfterSend => decideAfterSend({ ...sent, ...part });

describe("after one attempt (lifecycle 11.5, decision 6)", () => {
  test("confirmed: delivered, with the platform's name for it", () => {
    expect(decide({})).toEqual({ state: "delivered", remoteId: "r1" });
  });

  test("certainly not delivered: tried again by itself, later and later, not limited in number", () => {
    const waits = [1, 2, 3, 4, 40].map((attempts) => decide({ outcome: refused, attempts }).waitMs);
    expect(waits).toEqual([30_000, 120_000, 600_000, 600_000, 600_000]);
    expect(decide({ outcome: refused, attempts: 40 }).state).toBe("failed");
  });

  test("the platform's own wait is kept, and told apart from ours", () => {
    const outcome: SendOutcome = { ...refused, reason: "Too many.", retryAfterMs: 2_000 };
    const to = decide({ outcome });
    expect(to).toEqual({ state: "failed", error: "flood_control:2 Too many.", waitMs: 2_000 });
    expect(isPlatformWait(to.error ?? null)).toBe(true);
    expect(isPlatformWait(decide({ outcome: refused }).error ?? null)).toBe(false);
    expect(isPlatformWait(null)).toBe(false);
  });

  test("a chat that is dead: given up at once", () => {
    expect(decide({ outcome: blocked })).toEqual({ state: "abandoned", error: "Blocked." });
  });

  test("given up where the next try would be too late", () => {
    const outcome: SendOutcome = { ...refused, retryAfterMs: 3_600_000 };
    expect(decide({ outcome }).state).toBe("abandoned");
    expect(decide({ outcome: refused, ageMs: 60 * 60_000 - 29_000 }).state).toBe("abandoned");
  });

  test("`redeliver`: once more with its label, however often it was refused before; then a person", () => {
    for (const attempts of [1, 3, 9])
      expect(decide({ outcome: unknown, attempts })).toMatchObject({
        state: "failed",
        labelled: "its first delivery was not confirmed",
      });
    expect(decide({ outcome: unknown, attempts: 2, recovered: true })).toEqual({
      state: "unknown",
      error: "No answer.",
    });
  });

  test("`ask`: a person, at once", () => {
    expect(decide({ outcome: unknown, policy: "ask" })).toEqual({
      state: "unknown",
      error: "No answer.",
    });
  });

  test("a platform that knows the key: repeated without a label, three times in all, under both policies", () => {
    for (const policy of ["redeliver", "ask"] as const) {
      const keyed = { outcome: unknown, idempotent: true, policy };
      expect(decide({ ...keyed, attempts: 1 })).toEqual({
        state: "failed",
        error: "No answer.",
        waitMs: 30_000,
      });
      expect(decide({ ...keyed, attempts: 2 }).state).toBe("failed");
      expect(decide({ ...keyed, attempts: 3 }).state).toBe("unknown");
    }
  });
});
