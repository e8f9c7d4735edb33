import { describe, expect, test } from "vitest";
import { debtAgeMs, decideDebt, recoveredLabel } from "./boot-sweep.ts";
import type { DebtFound, DebtVerdict } from "./boot-sweep.ts";

const staleMs = 1_440 * 60_000;
const debt: DebtFound = {
  state: "pending",
  attempts: 0,
  ageMs: 1_000,
  recovered: false,
  idempotent: false,
  policy: "redeliver",
  staleMs,
};
const decide = (found: Partial<DebtFound>): DebtVerdict["kind"] =>
  decideDebt({ ...debt, ...found }).kind;
const sending = { state: "attempting", attempts: 1 } as const;

describe("what a start does about a debt (lifecycle 11.4, 11.6, decision 6)", () => {
  test.each<[window: string, found: Partial<DebtFound>, verdict: DebtVerdict["kind"]]>([
    ["recorded and attempting: sent plainly", {}, "send-plain"],
    ["attempting and platform accept: labelled", sending, "send-labelled"],
    ["accept and delivered: the same, nobody can tell", sending, "send-labelled"],
    [
      "claim at boot and send: one redelivery by itself, then a person",
      { ...sending, attempts: 2, recovered: true },
      "ask",
    ],
    [
      "a recovered one that certainly did not go out",
      { state: "failed", attempts: 2, recovered: true },
      "send-labelled",
    ],
    ["settled rows are left", { state: "delivered" }, "leave"],
    ["given up ones too", { state: "abandoned" }, "leave"],
    ["unknown ones wait for a person", { state: "unknown" }, "leave"],
  ])("%s", (_window, found, verdict) => {
    expect(decide(found)).toBe(verdict);
  });

  test("what certainly was not sent goes plainly, however often it was refused, under both policies", () => {
    for (const policy of ["redeliver", "ask"] as const)
      for (const attempts of [0, 1, 3, 50])
        expect(decide({ state: "failed", attempts, policy })).toBe("send-plain");
  });

  test("`ask`: what may have arrived waits for a person", () => {
    expect(decide({ ...sending, policy: "ask" })).toBe("ask");
  });

  test("a platform that knows the key: simply repeated, three times in all", () => {
    for (const policy of ["redeliver", "ask"] as const) {
      const keyed = { ...sending, idempotent: true, policy };
      expect(decide(keyed)).toBe("repeat");
      expect(decide({ ...keyed, attempts: 2 })).toBe("repeat");
      expect(decide({ ...keyed, attempts: 3 })).toBe("ask");
    }
  });

  test("too old: never by itself, and what may have arrived is not thrown away", () => {
    const ageMs = staleMs + 1;
    expect(decide({ ageMs })).toBe("expire");
    expect(decide({ ageMs: staleMs })).toBe("send-plain");
    expect(decide({ ageMs, state: "failed" })).toBe("expire");
    expect(decide({ ageMs, ...sending })).toBe("ask");
    expect(decide({ ageMs, ...sending, idempotent: true })).toBe("ask");
  });
});

describe("the age of a debt", () => {
  const row = { createdAt: 1_000_000, machineBoot: "run", createdUptimeMs: 500, releasedAt: null };

  test("a set clock does not make it stale", () => {
    const now = { bootId: "run", uptimeMs: 700, nowMs: 1_000_000 + 10 * staleMs };
    expect(debtAgeMs(row, now)).toBe(200);
  });

  test("once a person wants it sent it is never too old", () => {
    const now = { bootId: "other", uptimeMs: 0, nowMs: 1_000_000 + 10 * staleMs };
    expect(debtAgeMs(row, now)).toBe(10 * staleMs);
    expect(debtAgeMs({ ...row, releasedAt: 1_000_001 }, now)).toBe(0);
  });
});

test("the label names its cause and ends with a blank line (lifecycle 11.4)", () => {
  expect(recoveredLabel("platform reconnected")).toBe(
    "♻️ Recovered reply (platform reconnected; it may be a duplicate)\n\n",
  );
});
