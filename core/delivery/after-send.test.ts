import { describe, expect, test } from "vitest";
import type { SendOutcome } from "../channels/channel.ts";
import { decideAfterSend, maxAttempts } from "./after-send.ts";
import type { AfterSend, Sent } from "./after-send.ts";

const hourMs = 3_600_000;
const unknown: SendOutcome = { kind: "unknown", reason: "No answer." };
const refused = (retryable: boolean, retryAfterMs?: number): SendOutcome => ({
  kind: "rejected",
  retryable,
  code: "http_429",
  reason: "Not now.",
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const sent = (outcome: SendOutcome, part: Partial<Sent> = {}): Sent => ({
  attempts: 1,
  outcome,
  idempotent: false,
  policy: "redeliver",
  recovered: false,
  ageMs: 0,
  staleMs: 24 * hourMs,
  retryMs: 30_000,
  ...part,
});

describe("after one attempt (lifecycle 11.2, 11.5; decision 6)", () => {
  test.each<[string, Sent, Partial<AfterSend>]>([
    [
      "delivered",
      sent({ kind: "delivered", remoteId: "r" }),
      { state: "delivered", remoteId: "r" },
    ],
    ["refused for good", sent(refused(false)), { state: "abandoned", error: "Not now." }],
    ["refused for now", sent(refused(true)), { state: "failed", waitMs: 30_000 }],
    ["refused twice", sent(refused(true), { attempts: 2 }), { state: "failed", waitMs: 120_000 }],
    [
      "refused often: it certainly did not arrive, so it is tried on",
      sent(refused(true), { attempts: 40 }),
      { state: "failed", waitMs: 600_000 },
    ],
    [
      "refused with a wait",
      sent(refused(true, 97 * 60_000)),
      { state: "failed", waitMs: 97 * 60_000 },
    ],
    [
      "refused until it is too old",
      sent(refused(true), { ageMs: 24 * hourMs - 1_000 }),
      { state: "abandoned", error: "Given up as too old. Not now." },
    ],
    [
      "unknown, and nobody has to be asked: once more, with its label",
      sent(unknown),
      { state: "failed", waitMs: 30_000, labelled: "its first delivery was not confirmed" },
    ],
    [
      "unknown once more: a person decides",
      sent(unknown, { attempts: 2, recovered: true }),
      { state: "unknown" },
    ],
    [
      "unknown, and a person is to be asked",
      sent(unknown, { policy: "ask" }),
      { state: "unknown", error: "No answer." },
    ],
    [
      "unknown, and the platform knows the key: repeated, without a label",
      sent(unknown, { idempotent: true, policy: "ask" }),
      { state: "failed", waitMs: 30_000 },
    ],
    [
      "unknown to the last, and the platform knows the key",
      sent(unknown, { idempotent: true, attempts: maxAttempts }),
      { state: "unknown" },
    ],
  ])("%s", (_, given, wanted) => {
    const decided = decideAfterSend(given);
    expect(decided).toMatchObject(wanted);
    expect(decided.labelled).toBe(wanted.labelled);
  });
});
