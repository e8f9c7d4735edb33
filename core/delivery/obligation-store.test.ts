import { describe, expect, test } from "vitest";
import { dmSource, keyOf } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import { obligationId } from "./obligation-store.ts";
import type { Debt } from "./obligation-store.ts";

const target = dmSource();
const key = keyOf(target);
const debt = (content: string, ref = "m1"): Debt => ({
  sessionKey: key,
  channelId: "test",
  target,
  content,
  kind: "reply",
  replyTo: ref,
  ref,
  messageId: null,
  turnId: null,
});
const owner = { bootId: "boot", pid: 1 };
const all = { state: null, key: null, before: 1e9, limit: 1_000 };

describe("the ledger (lifecycle 11)", () => {
  test("the id is the first 24 hex digits over key, message and text", () => {
    expect(obligationId(key, "m1", "hello")).toMatch(/^[0-9a-f]{24}$/);
    expect(obligationId(key, "m1", "hello")).not.toBe(obligationId(key, "m2", "hello"));
  });

  test("an identical record never reopens a delivered one", () => {
    const { obligations } = testStores();
    expect(obligations.owe(debt("hello"), 1)).toBe(true);
    const row = obligations.next(key);
    const fence = row ? obligations.attempt(row, owner, 2) : null;
    obligations.settle(row?.obligationId ?? "", fence ?? 0, { state: "delivered" }, 3);
    expect(obligations.owe(debt("hello"), 4)).toBe(false);
    expect(obligations.next(key)).toBeUndefined();
    expect(obligations.owe(debt("hello", "m2"), 5)).toBe(true);
  });

  test("only the holder of the fence changes a row", () => {
    const { obligations } = testStores();
    obligations.owe(debt("hello"), 1);
    const row = obligations.next(key);
    if (!row) throw new Error("no row");
    const fence = obligations.attempt(row, owner, 2);
    expect(fence).toBe(1);
    expect(obligations.attempt(row, owner, 2)).toBeNull(); // claimed already
    expect(obligations.settle(row.obligationId, 0, { state: "delivered" }, 3)).toBe(false);
    expect(obligations.settle(row.obligationId, 1, { state: "failed" }, 3, true)).toBe(true);
    expect(obligations.settle(row.obligationId, 1, { state: "delivered" }, 4)).toBe(false); // taken from it
    expect(obligations.get(row.obligationId)).toMatchObject({ state: "failed", fence: 2 });
  });

  test("settled rows go after seven days, open ones never, in batches", () => {
    const { obligations } = testStores();
    for (let n = 0; n < 10; n += 1) {
      obligations.owe(debt(`text ${n}`, `m${n}`), n);
      const row = obligations.next(key);
      if (row && n < 7) obligations.settle(row.obligationId, 0, { state: "delivered" }, n);
    }
    expect(obligations.prune(5, 3)).toBe(3);
    expect(obligations.prune(5, 3)).toBe(2);
    expect(obligations.prune(5, 3)).toBe(0);
    expect(obligations.list(all)).toHaveLength(5);
    expect(obligations.open()).toHaveLength(3);
  });

  test("beyond the newest few, what arrived goes before what was given up, the oldest first", () => {
    const { obligations } = testStores();
    const states = [
      "abandoned",
      "delivered",
      "delivered",
      "abandoned",
      "unknown",
      "pending",
    ] as const;
    states.forEach((state, n) => {
      obligations.owe(debt(`text ${n}`, `m${n}`), n);
      const row = obligations.list({ ...all, limit: 1 })[0];
      obligations.settle(row?.obligationId ?? "", 0, { state }, n);
    });
    expect(obligations.pruneBeyond(3, 100)).toBe(1);
    expect(
      obligations
        .list(all)
        .map(({ content }) => content)
        .toReversed(),
    ).toEqual(["text 0", "text 2", "text 3", "text 4", "text 5"]);
    expect(obligations.pruneBeyond(0, 2)).toBe(2);
    expect(obligations.pruneBeyond(0, 100)).toBe(1);
    expect(obligations.list(all).map(({ state }) => state)).toEqual(["pending", "unknown"]);
  });
});
