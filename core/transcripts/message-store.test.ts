import { describe, expect, test } from "vitest";
import type { SessionId } from "../contract/ids.ts";
import { laneOrigin } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import { textLimit } from "./message-store.ts";
import type { NewMessage } from "./message-store.ts";

function transcript() {
  const stores = testStores();
  const { directory } = stores;
  const { sessionId } = directory.ensureLane(laneOrigin(), 1_000);
  const add = (part: Partial<NewMessage> = {}): number =>
    directory.messages.append({ sessionId, role: "user", content: "hi", timestamp: 5, ...part });
  return { ...stores, messages: directory.messages, sessionId, add };
}
const last = Number.MAX_SAFE_INTEGER;

describe("the transcript", () => {
  test("pages are read backwards, each oldest first, in the order of the rows and not of the clock", () => {
    const { messages, sessionId, add } = transcript();
    const ids = [9, 3, 7, 1, 5].map((timestamp) => add({ timestamp }));
    const page = (before: number) => messages.page(sessionId, before, 2).map(({ id }) => id);
    expect(page(last)).toEqual(ids.slice(3));
    expect(page(ids[3]!)).toEqual(ids.slice(1, 3));
    expect(page(ids[1]!)).toEqual(ids.slice(0, 1));
    expect(page(ids[0]!)).toEqual([]);
  });

  test("a page never holds another session's rows", () => {
    const { messages, sessionId, add, directory } = transcript();
    add();
    const other = directory.reset(laneOrigin().key, "panel", null, 9)?.row.sessionId as SessionId;
    expect(messages.page(sessionId, last, 10)).toHaveLength(1);
    expect(messages.page(other, last, 10).map(({ role }) => role)).toEqual(["boundary"]);
  });

  test("counters count what was said and called; bars are none of it", () => {
    const { directory, sessionId, add } = transcript();
    add();
    add({
      role: "assistant",
      toolCalls: JSON.stringify([
        { id: "a", name: "x", args: {} },
        { id: "b", name: "x", args: {} },
      ]),
    });
    add({ role: "boundary", content: "Stopped." });
    expect(directory.incarnations.get(sessionId)).toMatchObject({ messageCount: 2 });
  });

  test("a page carries at most a first part of a huge row, and says how large it is", () => {
    const { messages, sessionId, add } = transcript();
    add({ role: "tool", content: "ü".repeat(textLimit + 10) });
    const [row] = messages.page(sessionId, last, 1);
    expect(row?.text).toHaveLength(textLimit);
    expect(row?.textBytes).toBe(2 * (textLimit + 10));
    expect(messages.live(sessionId)[0]?.content).toHaveLength(textLimit + 10);
  });

  test("rewound rows are gone from pages and from history; rows that were summed up only from history", () => {
    const { db, messages, sessionId, add } = transcript();
    const [rewound, summed, live] = [add(), add(), add()];
    db.sql.prepare("UPDATE messages SET active = 0 WHERE id IN (?, ?)").run(rewound, summed);
    db.sql.prepare("UPDATE messages SET compacted = 1 WHERE id = ?").run(summed);
    expect(messages.page(sessionId, last, 10).map(({ id }) => id)).toEqual([summed, live]);
    expect(messages.live(sessionId).map(({ id }) => id)).toEqual([live]);
  });

  test("a platform's message is recognised in its session only", () => {
    const { messages, sessionId, add } = transcript();
    add({ platformMessageId: "m1" });
    expect(messages.hasPlatformMessageId(sessionId, "m1")).toBe(true);
    expect(messages.hasPlatformMessageId(sessionId, "m2")).toBe(false);
    expect(messages.hasPlatformMessageId("other" as SessionId, "m1")).toBe(false);
  });

  test("the newest time and the bars of a session", () => {
    const { messages, sessionId, add } = transcript();
    expect(messages.lastAt(sessionId)).toBeNull();
    add({ timestamp: 9 });
    const bar = add({ role: "boundary", timestamp: 3 });
    expect(messages.lastAt(sessionId)).toBe(9);
    expect(messages.boundaryIds(sessionId)).toEqual([bar]);
  });
});
