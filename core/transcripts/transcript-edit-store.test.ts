import { describe, expect, test } from "vitest";
import { laneOrigin } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";

const { key } = laneOrigin();

/** A session whose rows are named; people and agents take turns. */
function session(...texts: string[]) {
  const { db, directory } = testStores();
  const { sessionId } = db.writeNow(() => directory.open(laneOrigin(), true, 1).row);
  const say = (...more: string[]): number[] =>
    db.writeNow(() =>
      more.map((content, index) =>
        directory.messages.append({
          sessionId,
          role: index % 2 === 0 ? "user" : "assistant",
          content,
          timestamp: 1,
        }),
      ),
    );
  const ids = say(...texts);
  return {
    directory,
    sessionId,
    ids,
    say,
    live: () =>
      directory.messages
        .live(sessionId)
        .flatMap((row) => (row.role === "boundary" ? [] : row.text)),
    page: () =>
      directory.messages
        .page(sessionId, Number.MAX_SAFE_INTEGER, 100)
        .flatMap((row) => (row.role === "boundary" ? [] : row.text)),
    compact: (summary: string, archived: number, keepFrom: number | null) =>
      db.writeNow(() => directory.compact(sessionId, { by: "t", summary, archived, keepFrom }, 2)),
    rewind: (firstId: number) =>
      db.writeNow(() =>
        directory.rewind(key, { kind: "rewind", by: "t", turns: 1, text: "x", firstId }, 2),
      ),
    restore: (edit: number) => db.writeNow(() => directory.restore(key, edit, 3)),
  };
}
const summary = (count: number, text: string): string =>
  `Summary of the conversation so far (${count} messages):\n\n${text}`;

describe("compression in place (lifecycle 14.1)", () => {
  test("the summary stands first for the model, where it happened for people", () => {
    const { ids, live, page, compact } = session("a", "b", "c", "d");
    compact("S", 2, ids[2] ?? null);
    expect(live()).toEqual([summary(2, "S"), "c", "d"]);
    expect(page()).toEqual(["a", "b", "c", "d", summary(2, "S")]);
  });

  test("the next summary stands for the one before it too, though its row is newer than what stays", () => {
    const { ids, live, compact } = session("a", "b", "c", "d", "e", "f");
    compact("S", 2, ids[2] ?? null);
    const done = compact("T", 3, ids[4] ?? null);
    expect(live()).toEqual([summary(3, "T"), "e", "f"]);
    expect(done.rows).toBe(3); // the old summary, c and d
  });

  test("no rewind reaches a summary", () => {
    const { ids, live, compact, rewind } = session("a", "b", "c", "d");
    compact("S", 2, ids[2] ?? null);
    rewind(ids[2] ?? 0);
    expect(live()).toEqual([summary(2, "S")]);
  });

  test("nothing is deleted, whatever is done", () => {
    const { directory, sessionId, ids, compact, rewind, say } = session("a", "b", "c", "d");
    compact("S", 2, ids[2] ?? null);
    rewind(ids[2] ?? 0);
    say("e", "f");
    compact("T", 3, null);
    for (const id of ids) expect(directory.messages.get(id)?.sessionId).toBe(sessionId);
  });
});

describe("taking a rewind back (lifecycle 3.8)", () => {
  test("the last one first; the one before it then", () => {
    const { ids, live, rewind, restore } = session("a", "b", "c", "d");
    const first = rewind(ids[2] ?? 0);
    const second = rewind(ids[0] ?? 0);
    expect(live()).toEqual([]);
    expect(() => restore(first?.edit ?? 0)).toThrow("moved on");
    expect(restore(second?.edit ?? 0)).toMatchObject({ rows: 2, messageCount: 2 });
    expect(restore(first?.edit ?? 0)).toMatchObject({ rows: 2, messageCount: 4 });
    expect(live()).toEqual(["a", "b", "c", "d"]);
    expect(() => restore(first?.edit ?? 0)).toThrow("moved on"); // once
  });

  test("not after a compression, and not of another session", () => {
    const { ids, rewind, restore, compact, directory } = session("a", "b", "c", "d");
    const done = rewind(ids[2] ?? 0);
    compact("S", 2, null);
    expect(() => restore(done?.edit ?? 0)).toThrow("moved on");
    directory.reset(key, "t", null, 4);
    expect(() => restore(done?.edit ?? 0)).toThrow("no such rewind");
  });
});
