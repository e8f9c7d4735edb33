import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test, vi } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import { silentLog } from "../log/log.ts";
import { refused } from "../testing/refused.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { commitsIn, fileDatabase } from "../testing/test-database.ts";
import { fromSqlite, openDatabase } from "./database.ts";
import type { Database } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/** A database on disk with a table of the test's own. */
function store(): { db: Database; file: string } {
  const made = fileDatabase();
  made.db.sql.exec("CREATE TABLE things (key TEXT PRIMARY KEY, value TEXT)");
  return made;
}
const put = (db: Database, key: string, value = "x") =>
  db.sql.prepare("INSERT INTO things (key, value) VALUES (?, ?)").run(key, value);
const keys = (sql: Sqlite.Database): unknown[] =>
  sql.prepare("SELECT key FROM things ORDER BY key").pluck().all();

/** Every file of a directory, by what it holds. */
const bytesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dir, name)))
        .digest("hex"),
    ]),
  );

describe("group commit", () => {
  test("what is written in one tick is one commit, and on disk when it resolves", async () => {
    const { db, file } = store();
    const before = commitsIn(file);
    const writes = Array.from({ length: 50 }, (_, i) => db.write(() => put(db, `k${i}`)));
    await writes[0];
    const other = new Sqlite(file, { readonly: true });
    expect(keys(other)).toHaveLength(50);
    other.close();
    await Promise.all(writes);
    expect(commitsIn(file) - before).toBe(1);
  });

  test("ticks apart are commits apart, and a burst is cut into bounded groups", async () => {
    const { db, file } = store();
    const before = commitsIn(file);
    await db.write(() => put(db, "a"));
    await db.write(() => put(db, "b"));
    expect(commitsIn(file) - before).toBe(2);
    await Promise.all(Array.from({ length: 450 }, (_, i) => db.write(() => put(db, `c${i}`))));
    expect(commitsIn(file) - before).toBe(5);
  });

  test("each write gets its own value", async () => {
    const { db } = store();
    expect(await Promise.all([1, 2, 3].map((n) => db.write(() => n * 2)))).toEqual([2, 4, 6]);
  });

  test("one that throws undoes only itself", async () => {
    const { db } = store();
    const own = new SignalboxError("E_QUEUE_FULL", "no");
    const settled = await Promise.allSettled([
      db.write(() => put(db, "first")),
      db.write(() => {
        put(db, "half");
        throw own;
      }),
      db.write(() => put(db, "last")),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settled[1]).toMatchObject({ reason: own });
    expect(keys(db.sql)).toEqual(["first", "last"]);
  });

  test("a commit that fails rejects every write of its group and keeps none", async () => {
    const { db } = store();
    const orphan = db.write(() => {
      db.sql.pragma("defer_foreign_keys = ON"); // looked at by the commit itself
      db.sql
        .prepare("INSERT INTO messages (session_id, role, timestamp) VALUES ('nobody', 'user', 0)")
        .run();
    });
    const settled = await Promise.allSettled([db.write(() => put(db, "a")), orphan]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(db.sql.inTransaction).toBe(false);
    expect(keys(db.sql)).toEqual([]);
    await db.write(() => put(db, "b"));
    expect(keys(db.sql)).toEqual(["b"]);
  });

  test("close finishes what was handed over; what comes later is refused", async () => {
    const { db, file } = store();
    const writes = Array.from({ length: 450 }, (_, i) => db.write(() => put(db, `k${i}`)));
    const closed = db.close();
    await expect(db.write(() => put(db, "late"))).rejects.toEqual(refused("E_DRAINING"));
    await closed;
    await Promise.all(writes);
    const other = new Sqlite(file, { readonly: true });
    expect(keys(other)).toHaveLength(450);
    other.close();
  });
});

describe("what the disk refuses", () => {
  test("a full disk: the write is refused, nothing of it is kept, and room makes it work again", async () => {
    const { db } = store();
    const pages = db.sql.pragma("page_count", { simple: true }) as number;
    db.sql.pragma(`max_page_count = ${pages}`);
    const settled = await Promise.allSettled([
      db.write(() => put(db, "small")),
      db.write(() => put(db, "big", "x".repeat(1_000_000))),
    ]);
    // SQLite takes the whole transaction back, so the whole group is told.
    for (const one of settled)
      expect(one).toMatchObject({ status: "rejected", reason: refused("E_STORE_FULL") });
    expect(keys(db.sql)).toEqual([]);
    db.sql.pragma("max_page_count = 1000000");
    await db.write(() => put(db, "big", "x".repeat(1_000_000)));
    expect(keys(db.sql)).toContain("big");
  });

  test("a disk too full for a checkpoint: what was committed is told, and the gateway lives", async () => {
    const { db } = store();
    for (let i = 1; i < 50; i += 1) await db.write(() => put(db, `k${i}`));
    const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    const pragma = vi.spyOn(db.sql, "pragma").mockImplementation(() => {
      throw full;
    });
    await db.write(() => put(db, "k50")); // every 50th commit looks after the log
    expect(pragma).toHaveBeenCalled();
    pragma.mockRestore();
    expect(keys(db.sql)).toHaveLength(50);
  });

  test("a file that cannot be written to", async () => {
    const { db } = store();
    db.sql.pragma("query_only = ON");
    await expect(db.write(() => put(db, "a"))).rejects.toEqual(refused("E_READ_ONLY"));
    expect(() => db.writeNow(() => put(db, "a"))).toThrow(refused("E_READ_ONLY"));
  });

  test("a file that another program holds", async () => {
    const { db, file } = store();
    db.sql.pragma("busy_timeout = 0");
    const other = new Sqlite(file);
    other.exec("BEGIN IMMEDIATE");
    await expect(db.write(() => put(db, "a"))).rejects.toEqual(refused("E_STORE_BUSY"));
    other.exec("COMMIT");
    other.close();
    await db.write(() => put(db, "a"));
  });

  test.each([
    ["SQLITE_FULL", "E_STORE_FULL"],
    ["SQLITE_IOERR_FSYNC", "E_STORE_FULL"],
    ["SQLITE_READONLY_DBMOVED", "E_READ_ONLY"],
    ["SQLITE_CANTOPEN_ISDIR", "E_READ_ONLY"],
    ["SQLITE_PERM", "E_READ_ONLY"],
    ["SQLITE_CORRUPT_VTAB", "E_STORE_DAMAGED"],
    ["SQLITE_NOTADB", "E_STORE_DAMAGED"],
    ["SQLITE_BUSY_SNAPSHOT", "E_STORE_BUSY"],
    ["SQLITE_LOCKED", "E_STORE_BUSY"],
  ])("%s is %s", (sqlite, code) => {
    const cause = Object.assign(new Error("in the library's words"), { code: sqlite });
    expect(fromSqlite(cause)).toMatchObject({ code, cause, details: { sqlite } });
  });

  test("an error that is no refusal of the disk stays as it is", () => {
    const cause = Object.assign(new Error("unique"), { code: "SQLITE_CONSTRAINT_UNIQUE" });
    expect(fromSqlite(cause)).toBe(cause);
    const own = new SignalboxError("E_NOT_FOUND", "no");
    expect(fromSqlite(own)).toBe(own);
  });
});

describe("opening", () => {
  test("a new file is private, logged ahead, durable and checked", () => {
    const { db, file } = fileDatabase();
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const pragma = (name: string) => db.sql.pragma(name, { simple: true });
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    expect(db.version).toEqual({ from: 0, to: migrations.at(-1)?.version });
  });

  test("a file of a newer build is refused and stays as it was, to the byte", async () => {
    const dir = tempDir();
    const file = join(dir, "state.db");
    const newer = new Sqlite(file);
    newer.pragma("journal_mode = WAL");
    newer.exec(
      "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1); PRAGMA user_version = 99990",
    );
    // As a crash of that build leaves it: rows in the log only, nobody at work.
    const crashed = join(dir, "crashed");
    mkdirSync(crashed);
    for (const name of ["state.db", "state.db-wal"])
      writeFileSync(join(crashed, name), readFileSync(join(dir, name)));
    newer.close();
    const before = bytesIn(crashed);
    expect(() => openDatabase(join(crashed, "state.db"), silentLog)).toThrow(
      refused("E_STORE_FROM_FUTURE"),
    );
    expect(bytesIn(crashed)).toMatchObject(before);
    const reopened = new Sqlite(join(crashed, "state.db"));
    expect(reopened.prepare("SELECT a FROM theirs").pluck().all()).toEqual([1]);
    reopened.close();
  });

  test("a file that is no database is refused and stays as it was", () => {
    const dir = tempDir();
    const file = join(dir, "state.db");
    writeFileSync(file, "this is not a database, ".repeat(400));
    const before = bytesIn(dir);
    expect(() => openDatabase(file, silentLog)).toThrow(refused("E_STORE_DAMAGED"));
    expect(bytesIn(dir)).toEqual(before);
  });

  test("a file that a crash left to be rolled back first is opened", async () => {
    const dir = tempDir();
    const file = join(dir, "state.db");
    const old = new Sqlite(file);
    old.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
    old.pragma("cache_size = 10");
    old.exec("BEGIN; UPDATE theirs SET a = 2");
    const grow = old.prepare("INSERT INTO theirs VALUES (?)");
    for (let row = 0; row < 500; row += 1) grow.run("x".repeat(1_000)); // past the cache, so into the file
    const crashed = join(dir, "crashed");
    mkdirSync(crashed);
    for (const name of ["state.db", "state.db-journal"])
      writeFileSync(join(crashed, name), readFileSync(join(dir, name)));
    old.exec("ROLLBACK");
    old.close();
    const db = openDatabase(join(crashed, "state.db"), silentLog);
    expect(db.sql.prepare("SELECT a FROM theirs").pluck().all()).toEqual([1]);
    await db.close();
  });

  test("something else in the file's place is refused in words", () => {
    const dir = tempDir();
    mkdirSync(join(dir, "state.db"));
    expect(() => openDatabase(join(dir, "state.db"), silentLog)).toThrow(SignalboxError);
  });
});
