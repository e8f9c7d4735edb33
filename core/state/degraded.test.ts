import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStores } from "../compose/stores.ts";
import { silentLog } from "../log/log.ts";
import { prepareRouting } from "../sessions/prepare-routing.ts";
import { entryOf } from "../sessions/routing-store.ts";
import { entryToStored } from "../sessions/session-entry.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testDatabase } from "../testing/test-database.ts";
import { degradedFile, openStore } from "./degraded.ts";
import { degradedTables } from "./degraded-merge.ts";

const nowMs = Date.UTC(2026, 10, 30, 21, 42, 21);
const origin = laneOrigin(dmSource("7"));
const other = laneOrigin(dmSource("8"));

/** One start of the store on a data directory. */
function start(dir: string) {
  const sessionsDir = join(dir, "sessions");
  const { db, degraded } = openStore(dir, sessionsDir, silentLog, nowMs);
  onTestFinished(() => db.close());
  const stores = openStores(db);
  const prepared = prepareRouting({
    ...stores,
    db,
    degraded,
    standInFile: degradedFile(dir),
    sessionsDir,
    nowMs,
    log: silentLog,
  });
  const say = (
    to: typeof origin,
    role: "user" | "assistant" | "tool",
    content: string,
    at = nowMs,
  ) =>
    db.write(() => {
      const { sessionId } = stores.directory.ensureLane(to, at);
      return stores.directory.messages.append({ sessionId, role, content, timestamp: at });
    });
  const said = (to: typeof origin): string[] => {
    const row = stores.directory.routing.get(to.key);
    return row ? stores.directory.messages.live(row.sessionId).map((each) => each.text) : [];
  };
  /** What the mirror would hold. */
  const writeMirror = (): void => {
    const rows = stores.directory.routing.page("", 1_000);
    const lanes = rows.map((row) => [row.sessionKey, entryToStored(entryOf(row))]);
    writeFileSync(join(sessionsDir, "sessions.json"), JSON.stringify(Object.fromEntries(lanes)));
  };
  return { db, degraded, prepared, sessionsDir, say, said, writeMirror, ...stores };
}

const digest = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex");

/** A data directory with two lanes and their mirror, whose database is then put away. */
async function lostDatabase() {
  const dir = tempDir();
  const before = start(dir);
  await before.say(origin, "user", "before", nowMs - 5_000);
  await before.say(other, "user", "untouched", nowMs - 5_000);
  before.writeMirror();
  await before.db.close();
  const file = join(dir, "state.db");
  renameSync(file, `${file}.good`);
  const heal = (): void => {
    for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) throw new Error("touched");
    renameSync(file, `${file}.bad`);
    renameSync(`${file}.good`, file);
  };
  return { dir, file, heal };
}

describe("the degraded mode (lifecycle 3.10)", () => {
  test.each<[string, (file: string) => void]>([
    ["no database", (file) => writeFileSync(file, "not a database, but text ".repeat(100))],
    ["a folder in its place", (file) => mkdirSync(file)],
    [
      "a damaged page",
      (file) => {
        const bytes = readFileSync(`${file}.good`);
        bytes.fill(0xee, 4096); // all but the header's page
        writeFileSync(file, bytes);
      },
    ],
  ])("%s: lanes go on from the mirror, and everything comes back", async (_name, damage) => {
    const { dir, file, heal } = await lostDatabase();
    damage(file);
    const was = safeDigest(file);
    const degraded = start(dir);
    expect(degraded.degraded?.problem.remedy).toContain("merged back");
    expect(degraded.directory.routing.get(origin.key)).toBeDefined();
    await degraded.say(origin, "user", "meanwhile", nowMs);
    await degraded.say(origin, "assistant", "yes", nowMs + 1);
    const { sessionId } = degraded.directory.routing.get(origin.key)!;
    const lines = readFileSync(join(dir, "sessions", `${sessionId}.jsonl`), "utf8");
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { role: "user", content: "meanwhile", timestamp: "2026-11-30T21:42:21.000Z" },
      { role: "assistant", content: "yes" },
    ]);
    await degraded.db.close();
    expect(safeDigest(file)).toBe(was);

    // a second degraded start goes on where the first ended
    const again = start(dir);
    expect(again.said(origin)).toEqual(["meanwhile", "yes"]);
    await again.say(origin, "user", "more", nowMs + 2);
    await again.db.close();

    heal();
    const healthy = start(dir);
    expect(healthy.degraded).toBeNull();
    expect(healthy.prepared.merged).toEqual({ rows: 3 });
    expect(healthy.said(origin)).toEqual(["before", "meanwhile", "yes", "more"]);
    expect(healthy.said(other)).toEqual(["untouched"]);
    expect(healthy.directory.routing.get(origin.key)?.messageCount).toBe(4);
    expect(readdirSync(join(dir, "sessions"))).toContain(`${sessionId}.jsonl.imported`);
    expect(readdirSync(join(dir, "sessions"))).not.toContain(`${sessionId}.jsonl`);
    await healthy.db.close();

    const later = start(dir);
    expect(later.prepared.merged).toBeNull();
    expect(later.said(origin)).toEqual(["before", "meanwhile", "yes", "more"]);
  });

  test("what waited, was owed or answered meanwhile is brought back once", async () => {
    const { dir, file, heal } = await lostDatabase();
    writeFileSync(file, "not a database".repeat(500));
    const degraded = start(dir);
    const message = (id: string, state: "accepted" | "ended") => {
      const row = {
        sessionKey: origin.key,
        channelId: "test",
        chatRef: "test/7",
        platformMessageId: id,
        senderRef: "7",
        kind: "message" as const,
        place: "slot" as const,
        eventJson: "{}",
        acceptedAt: nowMs,
      };
      return state === "ended"
        ? degraded.inbox.insertEnded(row, "answered")
        : degraded.inbox.insert(row);
    };
    const reply = await degraded.say(origin, "assistant", "owed", nowMs);
    await degraded.db.write(() => {
      message("answered", "ended");
      message("waiting", "accepted");
      degraded.directory.reset(other.key, "cli", null, nowMs);
      degraded.db.sql
        .prepare(
          `INSERT INTO delivery_obligations (obligation_id, session_key, channel_id, platform, chat_id, target_json, content, message_id, state, created_at, updated_at)
           VALUES ('o1', ?, 'test', 'telegram', '7', '{}', 'owed', ?, 'pending', 0, 0)`,
        )
        .run(origin.key, reply);
    });
    const fresh = degraded.directory.routing.get(other.key)!.sessionId;
    await degraded.db.close();
    heal();
    const healthy = start(dir);
    expect(healthy.inbox.waiting(origin.key).map((row) => row.platformMessageId)).toEqual([
      "waiting",
    ]);
    expect(healthy.inbox.seen("test/7", "answered")).toBeDefined();
    expect(healthy.list.counts().all).toBe(2);
    // a reset of the degraded time holds, and the session before it has ended
    expect(healthy.directory.routing.get(other.key)?.sessionId).toBe(fresh);
    const past = healthy.db.sql
      .prepare("SELECT end_reason FROM sessions WHERE session_key = ? ORDER BY started_at")
      .pluck();
    expect(past.all(other.key)).toEqual(["session_reset", null]);
    const owed = healthy.db.sql
      .prepare(
        `SELECT m.content FROM delivery_obligations o JOIN messages m ON m.id = o.message_id`,
      )
      .pluck();
    expect(owed.all()).toEqual(["owed"]);
    expect(readdirSync(dir).filter((name) => name.startsWith("degraded.db"))).toEqual([
      "degraded.db.imported-20261130T214221Z",
    ]);
  });

  test("a commit that fails leaves no line behind", async () => {
    const { dir, file } = await lostDatabase();
    writeFileSync(file, "not a database".repeat(500));
    const { db, say, sessionsDir, directory } = start(dir);
    await say(origin, "user", "one");
    const { sessionId } = directory.routing.get(origin.key)!;
    const lines = () =>
      readFileSync(join(sessionsDir, `${sessionId}.jsonl`), "utf8").split("\n").length - 1;
    expect(lines()).toBe(1);
    expect(() =>
      db.writeNow(() => {
        directory.messages.append({ sessionId, role: "user", content: "two", timestamp: nowMs });
        throw new Error("no");
      }),
    ).toThrow("no");
    // deferred, so that it is the commit that is refused
    db.sql.pragma("defer_foreign_keys = ON");
    await expect(
      db.write(() => {
        db.sql.pragma("defer_foreign_keys = ON");
        directory.messages.append({ sessionId, role: "user", content: "three", timestamp: nowMs });
        db.sql
          .prepare("UPDATE sessions SET parent_session_id = 'nobody' WHERE id = ?")
          .run(sessionId);
      }),
    ).rejects.toThrow();
    expect(lines()).toBe(1);
    await say(origin, "user", "four");
    expect(lines()).toBe(2);
  });

  test("a newer store is refused, and stays as it is to the byte", async () => {
    const { dir, file } = await lostDatabase();
    renameSync(`${file}.good`, file);
    const db = testDatabase(file);
    db.sql.pragma("user_version = 4097");
    await db.close();
    const was = digest(file);
    expect(() => start(dir)).toThrow(expect.objectContaining({ code: "E_STORE_FROM_FUTURE" }));
    expect(digest(file)).toBe(was);
    expect(existsSync(degradedFile(dir))).toBe(false);
  });

  test("another program's database is refused, not worked beside", () => {
    const dir = tempDir();
    const db = testDatabase(join(dir, "other.db"));
    db.sql.exec("PRAGMA user_version = 0; DROP TABLE turns");
    db.sql.close();
    renameSync(join(dir, "other.db"), join(dir, "state.db"));
    expect(() => start(dir)).toThrow(expect.objectContaining({ code: "E_CONFLICT" }));
    expect(existsSync(degradedFile(dir))).toBe(false);
  });

  test("lines that another program left, or that cannot be read, are told apart", async () => {
    const dir = tempDir();
    mkdirSync(join(dir, "sessions"));
    const at = (name: string): string => join(dir, "sessions", name);
    writeFileSync(at("foreign.jsonl"), '{"type":"session","version":3}\n{"role":"user"}\n');
    writeFileSync(
      at("mine.jsonl"),
      [
        '{"role":"user","content":"same","timestamp":1793523600.5}',
        "half a li",
        '{"role":"user","content":"same","timestamp":1793523600500}',
        '{"role":"assistant","content":"and","timestamp":"2026-11-01T09:00:01Z"}',
        '{"role":"user","content":"cut',
      ].join("\n"),
    );
    const { db, directory, prepared } = start(dir);
    expect(prepared.merged).toEqual({ rows: 3 });
    expect(directory.messages.live("mine" as never).map((row) => row.text)).toEqual([
      "same",
      "same",
      "and",
    ]);
    expect(readdirSync(join(dir, "sessions")).toSorted()).toEqual([
      "foreign.jsonl",
      "mine.jsonl.imported",
    ]);
    // the same file once more adds nothing
    writeFileSync(at("mine.jsonl"), readFileSync(at("mine.jsonl.imported")));
    await db.close();
    expect(start(dir).prepared.merged).toEqual({ rows: 0 });
  });

  test("every table is either brought back or left, on purpose", () => {
    const db = testDatabase();
    const tables = db.sql
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .pluck()
      .all();
    expect(tables.filter((name) => !degradedTables.has(String(name)))).toEqual([]);
  });
});

function safeDigest(path: string): string {
  try {
    return digest(path);
  } catch {
    return "a folder";
  }
}
