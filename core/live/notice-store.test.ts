import { describe, expect, test } from "vitest";
import { testStores } from "../testing/test-database.ts";
import type { NewNotice } from "./notice-store.ts";

const notice = (part: Partial<NewNotice> = {}): NewNotice => ({
  kind: "failed",
  title: "Ada: a turn failed",
  body: "No server.",
  link: "/sessions/a",
  group: null,
  ...part,
});

describe("notices", () => {
  test("unseen ones of a group are one that counts up and tells the latest", () => {
    const { notices } = testStores();
    notices.raise(notice({ group: "g", body: "first" }), 10);
    const again = notices.raise(notice({ group: "g", body: "second" }), 20);
    expect(again).toMatchObject({ count: 2, body: "second", atMs: 20, seen: false });
    expect(notices.list(Number.MAX_SAFE_INTEGER, 10)).toEqual([again]);
  });

  test("one that was seen is history: the next of its group is new", () => {
    const { notices } = testStores();
    const first = notices.raise(notice({ group: "g" }), 10);
    notices.markSeen(first?.id ?? 0);
    expect(notices.unseen()).toBe(0);
    expect(notices.raise(notice({ group: "g" }), 20)).toMatchObject({ count: 1 });
    expect(notices.unseen()).toBe(1);
  });

  test("those without a group stay apart; pages go back from the newest", () => {
    const { notices } = testStores();
    const ids = [1, 2, 3].map((at) => notices.raise(notice(), at)?.id ?? 0);
    expect(notices.list(Number.MAX_SAFE_INTEGER, 2).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(notices.list(ids[1] ?? 0, 2).map(({ id }) => id)).toEqual([ids[0]]);
  });

  test("seen goes up to an id, and old ones are forgotten", () => {
    const { notices } = testStores();
    const [first, second] = [10, 20, 30].map((at) => notices.raise(notice(), at)?.id ?? 0);
    notices.markSeen(second ?? 0);
    expect(notices.unseen()).toBe(1);
    notices.prune(20);
    expect(notices.list(Number.MAX_SAFE_INTEGER, 9).map(({ id }) => id)).not.toContain(first);
    expect(notices.list(Number.MAX_SAFE_INTEGER, 9)).toHaveLength(2);
  });
});
