import { existsSync, writeFileSync, truncateSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { onTestFinished, describe, expect, test } from "vitest";
import type { SessionKey } from "../contract/ids.ts";
import { createBus } from "../live/bus.ts";
import { silentLog } from "../log/log.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testDatabase } from "../testing/test-database.ts";
import { openStores } from "../compose/stores.ts";
import { createSearch } from "./search.ts";

function world() {
  const dir = tempDir();
  const db = testDatabase(join(dir, "state.db"));
  const { directory } = openStores(db);
  const clock = manualClock();
  const file = join(dir, "search.db");
  const bus = createBus((_name, cause) => {
    throw cause;
  });
  const open = () => {
    const search = createSearch({ db, file, bus, clock, log: silentLog });
    search.open();
    onTestFinished(() => search.close());
    return search;
  };
  const say = (chat: string, text: string, role: "user" | "assistant" = "user"): number => {
    const origin = laneOrigin(dmSource(chat));
    return db.writeNow(() => {
      const { sessionId } = directory.ensureLane(origin, clock.nowMs());
      return directory.messages.append({
        sessionId,
        role,
        content: text,
        timestamp: clock.nowMs(),
      });
    });
  };
  const keyOf = (chat: string): SessionKey => laneOrigin(dmSource(chat)).key;
  return { db, directory, clock, bus, file, open, say, keyOf };
}

const ask = (search: ReturnType<typeof createSearch>, query: string, more = {}) =>
  search.messages({ query, key: null, limit: 20, cursor: null, ...more });
const idsOf = async (...given: Parameters<typeof ask>): Promise<number[]> =>
  (await ask(...given)).hits.map((hit) => hit.messageId);

describe("searching", () => {
  test("finds words, beginnings, phrases and characters, newest first, with their places", async () => {
    const w = world();
    const search = w.open();
    const a = w.say("1", "The nightly build is green");
    const b = w.say("2", "Builds: nightly ones are red", "assistant");
    const c = w.say("1", "東京で会議をする");
    await search.settled();
    expect(search.state()).toEqual({ state: "ready", indexed: c, total: c });
    expect(await idsOf(search, "nightly")).toEqual([b, a]);
    expect(await idsOf(search, "build*")).toEqual([b, a]);
    expect(await idsOf(search, "build")).toEqual([a]);
    expect(await idsOf(search, '"nightly build"')).toEqual([a]);
    expect(await idsOf(search, "会議を")).toEqual([c]);
    expect(await idsOf(search, "会議")).toEqual([c]);
    expect(await idsOf(search, "る")).toEqual([c]);
    expect(await idsOf(search, "京都")).toEqual([]);
    const { hits } = await ask(search, "NIGHTLY");
    expect(hits[1]).toMatchObject({
      key: w.keyOf("1"),
      role: "user",
      snippet: "The nightly build is green",
    });
    expect(hits[1]!.matches).toEqual([{ start: 4, end: 11 }]);
  });

  test("a lane's own messages only, whichever of its sessions they are in", async () => {
    const w = world();
    const search = w.open();
    const old = w.say("1", "apple before");
    w.db.writeNow(() => w.directory.reset(w.keyOf("1"), "cli", null, w.clock.nowMs()));
    w.say("2", "apple elsewhere");
    const now = w.say("1", "apple after");
    await search.settled();
    expect(await idsOf(search, "apple", { key: w.keyOf("1") })).toEqual([now, old]);
  });

  test("pages go on where they ended; nothing is shown twice or left out", async () => {
    const w = world();
    const search = w.open();
    const said = Array.from({ length: 230 }, (_, n) => w.say(String(n % 3), `needle ${n}`));
    await search.settled();
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof ask>> = await ask(search, "needle", {
        cursor,
        limit: 60,
      });
      seen.push(...page.hits.map((hit) => hit.messageId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(said.toReversed());
  });

  test("a rewound row is hidden, a compacted one is found, a deleted one is gone", async () => {
    const w = world();
    const search = w.open();
    const [rewound, compacted, gone] = [w.say("1", "kiwi"), w.say("1", "kiwi"), w.say("1", "kiwi")];
    await search.settled();
    w.db.sql.prepare("UPDATE messages SET active = 0 WHERE id = ?").run(rewound);
    w.db.sql.prepare("UPDATE messages SET active = 0, compacted = 1 WHERE id = ?").run(compacted);
    w.db.sql.prepare("DELETE FROM messages WHERE id = ?").run(gone);
    expect(await idsOf(search, "kiwi")).toEqual([compacted]);
    await search.settled();
    expect(w.db.sql.prepare("SELECT * FROM search_changed").all()).toEqual([]);
  });

  test("a row whose text changed is found by what it says now", async () => {
    const w = world();
    const search = w.open();
    const id = w.say("1", "kiwi");
    await search.settled();
    w.db.sql.prepare("UPDATE messages SET content = 'mango' WHERE id = ?").run(id);
    await search.settled();
    expect(await idsOf(search, "kiwi")).toEqual([]);
    expect(await idsOf(search, "mango")).toEqual([id]);
  });

  test("what was said just now is found before it is indexed, and indexed soon after", async () => {
    const w = world();
    const search = w.open();
    await search.settled();
    const id = w.say("1", "fresh");
    expect(search.state().indexed).toBe(0);
    expect(await idsOf(search, "fresh")).toEqual([id]);
    w.bus.emit("messages.appended", { key: w.keyOf("1"), ids: [id] });
    w.clock.advance(200);
    await search.settled();
    expect(search.state().indexed).toBe(id);
  });

  test("signs are looked for in the rows", async () => {
    const w = world();
    const search = w.open();
    const id = w.say("1", "a -> b");
    await search.settled();
    expect(await idsOf(search, "->")).toEqual([id]);
    await expect(ask(search, '""')).rejects.toMatchObject({ code: "E_INPUT" });
    await expect(ask(search, "a", { cursor: "nonsense" })).rejects.toMatchObject({
      code: "E_INPUT",
    });
  });
});

describe("a broken index (lifecycle 15.2, field case 22)", () => {
  test.each<[string, (file: string) => void]>([
    ["is gone", (file) => truncateSync(file, 0)],
    ["is no database", (file) => writeFileSync(file, "x".repeat(9000))],
    [
      "has a damaged structure record",
      (file) => {
        const sql = new Sqlite(file);
        sql.unsafeMode();
        sql.exec("UPDATE messages_fts_data SET block = x'deadbeef' WHERE id = 10");
        sql.close();
      },
    ],
    [
      "finds nothing and says nothing",
      (file) => {
        const sql = new Sqlite(file);
        sql.unsafeMode();
        sql.exec("DELETE FROM messages_fts_idx; DELETE FROM messages_fts_data WHERE id > 10;");
        sql.exec("UPDATE messages_fts_data SET block = x'00000000000000' WHERE id = 10");
        sql.close();
      },
    ],
    [
      "belongs to another store",
      (file) => {
        const sql = new Sqlite(file);
        sql.exec("UPDATE feed SET store_id = 'other'");
        sql.close();
      },
    ],
    [
      "was open when the machine went down",
      (file) => {
        const sql = new Sqlite(file);
        sql.exec("UPDATE feed SET opened_on = 'an earlier boot'");
        sql.exec("DELETE FROM messages_fts WHERE rowid BETWEEN 5 AND 15");
        sql.close();
      },
    ],
    [
      "is ahead of the rows",
      (file) => {
        const sql = new Sqlite(file);
        sql.exec("UPDATE feed SET mark = 99999");
        sql.close();
      },
    ],
  ])("that %s is made anew; the rows are not touched", async (_name, damage) => {
    const w = world();
    const first = w.open();
    const ids = Array.from({ length: 60 }, (_, n) => w.say("1", `quokka number ${n}`));
    await first.settled();
    await first.close();
    for (const end of ["-wal", "-shm"]) expect(existsSync(w.file + end)).toBe(false);
    damage(w.file);
    const rows = () => w.db.sql.prepare("SELECT * FROM messages ORDER BY id").all();
    const before = rows();
    const search = w.open();
    const later = w.say("1", "quokka again");
    await search.settled();
    expect((await idsOf(search, "quokka", { limit: 100 })).toSorted((a, b) => a - b)).toEqual([
      ...ids,
      later,
    ]);
    expect(search.state()).toMatchObject({ state: "ready", indexed: later });
    expect(rows().slice(0, before.length)).toEqual(before);
  });

  test("breaking while it is used costs no search and no message", async () => {
    const w = world();
    const search = w.open();
    const a = w.say("1", "quokka");
    await search.settled();
    // Overwritten under an open connection, as a failing disk does it.
    const bytes = readFileSync(w.file);
    writeFileSync(w.file, Buffer.alloc(bytes.length, 0xff));
    writeFileSync(`${w.file}-wal`, Buffer.alloc(64, 0xff));
    const b = w.say("1", "quokka");
    expect(await idsOf(search, "quokka")).toEqual([b, a]);
    w.bus.emit("messages.appended", { key: w.keyOf("1"), ids: [b] });
    w.clock.advance(1_000);
    await search.settled();
    expect(await idsOf(search, "quokka")).toEqual([b, a]);
  });
});
