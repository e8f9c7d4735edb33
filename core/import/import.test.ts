import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ImportStatus } from "../contract/calls-data.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { createBus } from "../live/bus.ts";
import type { NewNotice } from "../live/notice-store.ts";
import { silentLog } from "../log/log.ts";
import { entryToStored, freshEntry } from "../sessions/session-entry.ts";
import { originOf } from "../sessions/routing-store.ts";
import { sessionSource } from "../sessions/session-source.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defaultRules } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testStores } from "../testing/test-database.ts";
import { createImporter } from "./importer.ts";

function world() {
  const stores = testStores();
  const notices: NewNotice[] = [];
  const dataDir = tempDir();
  const bus = createBus((_name, cause) => {
    throw cause;
  });
  const importer = createImporter({
    ...stores,
    bus,
    clock: manualClock(),
    log: silentLog,
    dataDir,
    isHealthy: true,
    keyRules: () => defaultRules,
    raise: (notice) => notices.push(notice),
  });
  onTestFinished(() => importer.close());
  const said = (id: string) =>
    stores.directory.messages.live(asSessionId(id)).map((row) => `${row.role}: ${row.text}`);
  const lane = (key: string) => stores.directory.routing.get(asSessionKey(key));
  /** Every row of every table, for "nothing changed". */
  const everything = (): string => {
    const tables = stores.db.sql
      .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
      .pluck()
      .all();
    return JSON.stringify(
      tables.map((table) => stores.db.sql.prepare(`SELECT * FROM "${table}"`).all()),
    );
  };
  return { ...stores, bus, importer, notices, dataDir, said, lane, everything };
}

/** What a folder holds, to the byte and the millisecond. */
function fingerprint(dir: string): string[] {
  return readdirSync(dir, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const stat = statSync(join(dir, name));
      const bytes = stat.isFile() ? readFileSync(join(dir, name)) : "";
      return `${name} ${stat.mtimeMs} ${createHash("sha256").update(bytes).digest("hex")}`;
    });
}

const testdata = join(import.meta.dirname, "../testdata/01-store-truncated");

function openClawFolder(variant: "sessions.json" | "sessions.zero.json" = "sessions.json"): string {
  const dir = tempDir();
  cpSync(testdata, dir, { recursive: true });
  renameSync(join(dir, variant), join(dir, "index"));
  for (const name of ["sessions.json", "sessions.zero.json", "expected.json"])
    if (existsSync(join(dir, name))) renameSync(join(dir, name), join(tempDir(), name));
  renameSync(join(dir, "index"), join(dir, "sessions.json"));
  return dir;
}

describe("an OpenClaw folder whose index was cut (field case 01)", () => {
  const id = (n: number): string => `0a1b2c3d-0001-4000-8000-00000000000${n}`;

  test("is taken over as far as it can be read, and not touched", async () => {
    const w = world();
    const dir = openClawFolder();
    const before = fingerprint(dir);
    const empty = w.everything();
    const preview = await w.importer.start(dir, true);
    expect(w.everything()).toBe(empty);
    const { report } = await w.importer.start(dir, false);
    expect(fingerprint(dir)).toEqual(before);
    expect(report).toEqual({ ...preview.report, taken: report!.taken });
    expect(report!.taken).toEqual({ lanes: 3, sessions: 4, messages: 8 });
    expect(preview.report!.taken).toEqual(report!.taken);
    expect(
      createHash("sha256")
        .update(readFileSync(join(dir, "sessions.json")))
        .digest("hex"),
    ).toBe("2322701b5f60a5ff3bf3f9ec9dcfbfed867a3bc7f8e9417b737c8898bda8590a");

    expect(w.lane("agent:main:main")).toMatchObject({
      sessionId: id(1),
      platform: "local",
      totalTokens: 1540,
    });
    const topic = w.lane("agent:main:telegram:group:-1001000000001:topic:17")!;
    expect(topic).toMatchObject({ sessionId: id(2), messageCount: 2, createdAt: 1793496500000 });
    expect(originOf(topic)).toMatchObject({ chatId: "-1001000000001", threadId: "17" });
    const third = w.lane("agent:main:discord:channel:900000000000000011")!;
    expect(third).toMatchObject({ sessionId: id(3), originJson: null, platform: "discord" });
    expect(w.said(id(3))).toEqual(["user: ping", "assistant: pong"]);

    const store = await w.importer.start(dir, true);
    expect(store.report!.taken).toEqual({ lanes: 0, sessions: 0, messages: 0 });
    expect(report!.partial).toEqual(
      expect.arrayContaining([
        {
          what: "sessions.json",
          reason: "the file is cut or damaged; 3 of its records could be read",
        },
        {
          what: "agent:main:discord:channel:900000000000000011",
          reason: "the file ends inside its record; where its replies went is not known",
        },
        { what: `${id(4)}.jsonl`, reason: "its last 142 bytes are half a line" },
        {
          what: `${id(4)}.jsonl`,
          reason: "no record of sessions.json leads to it: it can be attached to a lane by hand",
        },
      ]),
    );
    expect(report).toMatchObject({ unattached: 1, skippedTotal: 0 });
    expect(w.said(id(4))).toEqual(["user: book the room", "assistant: Done."]);
    expect(w.notices).toHaveLength(1);
    expect(w.notices[0]!.body).toContain("3 lanes, 4 sessions and 8 messages were taken over");
  });

  test("a second import changes nothing at all, and tells nobody", async () => {
    const w = world();
    const dir = openClawFolder();
    await w.importer.start(dir, false);
    const before = w.everything();
    await w.importer.start(dir, false);
    expect(w.everything()).toBe(before);
    expect(w.notices).toHaveLength(1);
  });

  test("an empty index leaves four transcripts to be attached", async () => {
    const w = world();
    const { report } = await w.importer.start(openClawFolder("sessions.zero.json"), false);
    expect(report).toMatchObject({
      taken: { lanes: 0, sessions: 4, messages: 8 },
      unattached: 4,
    });
    expect(w.notices).toHaveLength(1);
  });

  test("what is said there later is added, unless the conversation went on here", async () => {
    const w = world();
    const dir = openClawFolder();
    await w.importer.start(dir, false);
    const later = (n: number, text: string): void => {
      appendFileSync(
        join(dir, `${id(n)}.jsonl`),
        `${JSON.stringify({ type: "message", id: `2000000${n}`, parentId: "10000001", timestamp: "2026-11-02T09:00:00.000Z", message: { role: "user", content: text } })}\n`,
      );
    };
    later(1, "more");
    later(3, "more");
    w.db.writeNow(() =>
      w.directory.messages.append({
        sessionId: asSessionId(id(3)),
        role: "user",
        content: "here",
        timestamp: 1,
      }),
    );
    const { report } = await w.importer.start(dir, false);
    expect(report!.taken).toMatchObject({ sessions: 0, messages: 1 });
    expect(w.said(id(1)).at(-1)).toBe("user: more");
    expect(w.said(id(3)).at(-1)).toBe("user: here");
    expect(report!.skipped.map(({ what }) => what)).toEqual([id(3)]);
  });

  test("a message under the key of our own rule goes on with the lane", async () => {
    const w = world();
    await w.importer.start(openClawFolder(), false);
    const source = sessionSource({
      platform: "telegram",
      chatId: "-1001000000001",
      chatType: "group",
      threadId: "17",
      userId: "5550001001",
    });
    const key = asSessionKey("agent:main:telegram:group:-1001000000001:17");
    const row = w.db.writeNow(() =>
      w.directory.ensureLane({ key, identity: null, channelId: "telegram", source }, 1),
    );
    expect(row).toMatchObject({ sessionKey: key, sessionId: id(2) });
    expect(w.lane("agent:main:telegram:group:-1001000000001:topic:17")).toBeUndefined();
  });
});

describe("an OpenClaw transcript", () => {
  test("keeps tool calls, hides left branches, and shows what was compacted", async () => {
    const w = world();
    const dir = tempDir();
    const entry = (id: string, parentId: string | null, part: object) =>
      JSON.stringify({ id, parentId, timestamp: "2026-11-01T09:00:00.000Z", ...part });
    const message = (id: string, parent: string | null, message_: object) =>
      entry(id, parent, { type: "message", message: message_ });
    writeFileSync(
      join(dir, "one.jsonl"),
      [
        '{"type":"session","version":3,"id":"one","timestamp":"2026-11-01T08:00:00.000Z"}',
        message("a", null, { role: "user", content: "old question" }),
        message("b", "a", { role: "assistant", content: [{ type: "text", text: "old answer" }] }),
        message("x", "b", { role: "user", content: "left branch" }),
        message("c", "b", { role: "user", content: "kept question" }),
        entry("s", "c", { type: "compaction", summary: "They talked.", firstKeptEntryId: "c" }),
        message("d", "s", {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "secret" },
            { type: "text", text: "Reading." },
            { type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } },
          ],
          stopReason: "toolUse",
        }),
        message("e", "d", {
          role: "toolResult",
          toolCallId: "t1",
          toolName: "read",
          content: [{ type: "text", text: "A" }],
          isError: true,
        }),
        message("f", "e", {
          role: "assistant",
          content: [],
          stopReason: "error",
          errorMessage: "overloaded",
        }),
        entry("l", "f", { type: "label", targetId: "a" }),
      ].join("\n"),
    );
    await w.importer.start(dir, false);
    expect(w.said("one")).toEqual([
      "system: They talked.",
      "user: kept question",
      "assistant: Reading.",
      "tool: A",
      "boundary: overloaded",
    ]);
    const hidden = w.db.sql
      .prepare("SELECT content, compacted FROM messages WHERE active = 0 ORDER BY id")
      .all();
    expect(hidden).toEqual([
      { content: "old question", compacted: 1 },
      { content: "old answer", compacted: 1 },
      { content: "left branch", compacted: 0 },
    ]);
    const [call] = w.directory.messages
      .live(asSessionId("one"))
      .flatMap((row) => row.toolCalls ?? []);
    expect(JSON.parse(call!)).toEqual([{ id: "t1", name: "read", args: { path: "a" } }]);
  });

  test("agents' folders of a whole installation are found", async () => {
    const w = world();
    const dir = tempDir();
    mkdirSync(join(dir, "agents/main/sessions"), { recursive: true });
    cpSync(openClawFolder(), join(dir, "agents/main/sessions"), { recursive: true });
    writeFileSync(join(dir, "agents/main/sessions/gone.jsonl.deleted.2026"), "x");
    const { report } = await w.importer.start(dir, true);
    expect(report).toMatchObject({
      kind: "openclaw",
      found: { lanes: 3, sessions: 4, messages: 8 },
    });
    expect(report!.skipped).toEqual([
      { what: "gone.jsonl.deleted.2026", reason: expect.stringContaining("archived") as string },
    ]);
  });
});

/** A hermes-agent home: tables of lifecycle 7.2 and 7.3, the index beside them. */
function hermesHome(more: (sql: Sqlite.Database) => void = () => undefined): string {
  const dir = tempDir();
  mkdirSync(join(dir, "sessions"));
  const sql = new Sqlite(join(dir, "state.db"));
  sql.pragma("journal_mode = WAL");
  sql.exec(`
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT, chat_type TEXT,
      thread_id TEXT, display_name TEXT, origin_json TEXT, model TEXT, model_config TEXT, system_prompt TEXT, parent_session_id TEXT,
      started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0,
      output_tokens INTEGER DEFAULT 0, title TEXT, brand_new_column TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
      tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT, platform_message_id TEXT,
      active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE gateway_routing (scope TEXT, session_key TEXT, entry_json TEXT, updated_at REAL, PRIMARY KEY (scope, session_key));`);
  const session = sql.prepare(
    `INSERT INTO sessions (id, source, session_key, parent_session_id, started_at, ended_at, end_reason, input_tokens, title) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const key = "agent:main:telegram:dm:12345";
  session.run(
    "20260101_000000_aaaaaaaa",
    "telegram",
    key,
    null,
    1767225600.5,
    1767229200,
    "session_reset",
    7,
    "First",
  );
  session.run(
    "20260102_000000_bbbbbbbb",
    "telegram",
    key,
    "20260101_000000_aaaaaaaa",
    1767312000,
    null,
    null,
    9,
    null,
  );
  session.run(
    "20260103_000000_cccccccc",
    "cli",
    null,
    null,
    1767398400,
    null,
    null,
    0,
    "At the desk",
  );
  session.run("20260104_000000_dddddddd", "cli", null, null, 1767398400, null, null, 0, null);
  const say = sql.prepare(
    `INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp, active, compacted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  say.run("20260101_000000_aaaaaaaa", "user", "hello", null, null, null, 1767225601.25, 1, 0);
  say.run("20260102_000000_bbbbbbbb", "user", "again", null, null, null, 1767312001, 0, 1);
  say.run("20260102_000000_bbbbbbbb", "user", "undone", null, null, null, 1767312001, 0, 0);
  say.run(
    "20260102_000000_bbbbbbbb",
    "user",
    '\u0000json:[{"type":"text","text":"look"},{"type":"image_url"}]',
    null,
    null,
    null,
    1767312002,
    1,
    0,
  );
  say.run(
    "20260102_000000_bbbbbbbb",
    "assistant",
    "",
    '[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\\"dir\\":\\"/\\"}"}}]',
    null,
    null,
    1767312003,
    1,
    0,
  );
  say.run("20260102_000000_bbbbbbbb", "tool", "etc", null, "c1", "ls", 1767312004, 1, 0);
  say.run("20260102_000000_bbbbbbbb", "session_meta", "{}", null, null, null, 1767312004, 1, 0);
  say.run("20260103_000000_cccccccc", "user", "from the desk", null, null, null, 1767398401, 1, 0);
  more(sql);
  sql.close();
  const source = sessionSource({
    platform: "telegram",
    chatId: "12345",
    chatType: "dm",
    userId: "12345",
    userName: "Ada",
  });
  const entry = {
    ...entryToStored(
      freshEntry(asSessionKey(key), asSessionId("20260102_000000_bbbbbbbb"), source, 1767312000000),
    ),
    active_turn_token: "f".repeat(32),
    active_turn_started_at: "2026-01-02T00:00:03+00:00",
  };
  writeFileSync(
    join(dir, "sessions/sessions.json"),
    JSON.stringify({ _README: "x", [key]: entry, bad: { session_key: "bad" } }),
  );
  return dir;
}

describe("a hermes-agent home", () => {
  const [first, second, desk] = [
    "20260101_000000_aaaaaaaa",
    "20260102_000000_bbbbbbbb",
    "20260103_000000_cccccccc",
  ] as const;

  test("is taken over through a copy: lanes, past sessions, hidden rows, tool calls", async () => {
    const w = world();
    const dir = hermesHome();
    const before = fingerprint(dir);
    const { report } = await w.importer.start(dir, false);
    expect(fingerprint(dir)).toEqual(before);
    expect(existsSync(join(w.dataDir, "import"))).toBe(false);
    expect(report).toMatchObject({
      kind: "hermes",
      taken: { lanes: 1, sessions: 3, messages: 7 },
      unattached: 1,
      skipped: [
        { what: "bad", reason: "session_id is missing" },
        { what: "20260104_000000_dddddddd", reason: "nothing was said in it" },
      ],
    });
    const key = "agent:main:telegram:dm:12345";
    // the turn that ran there is none of ours
    expect(w.lane(key)).toMatchObject({
      sessionId: second,
      activeTurnToken: null,
      resumePending: 0,
      state: "idle",
      title: "Ada",
      messageCount: 4,
    });
    expect(w.directory.incarnations.get(asSessionId(first))).toMatchObject({
      sessionKey: key,
      startedAt: 1767225600500,
      endReason: "session_reset",
      inputTokens: 7,
      title: "First",
    });
    expect(w.directory.incarnations.get(asSessionId(second))?.parentSessionId).toBe(first);
    expect(w.directory.incarnations.get(asSessionId(desk))?.sessionKey).toBeNull();
    expect(w.said(second)).toEqual(["user: look\n[image_url]", "assistant: ", "tool: etc"]);
    const rows = w.directory.messages.live(asSessionId(second));
    expect(JSON.parse(rows[1]!.toolCalls!)).toEqual([{ id: "c1", name: "ls", args: { dir: "/" } }]);
    expect(rows[0]!.timestamp).toBe(1767312002000);
  });

  test("a second import changes nothing; a grown source adds what is new", async () => {
    const w = world();
    const dir = hermesHome();
    await w.importer.start(dir, false);
    const before = w.everything();
    const again = await w.importer.start(dir, false);
    expect(w.everything()).toBe(before);
    expect(again.report!.found).toMatchObject({ sessions: 3, messages: 7 });
    const sql = new Sqlite(join(dir, "state.db"));
    sql.exec(
      `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('${desk}', 'assistant', 'hi', 1767398402)`,
    );
    sql.close();
    const grown = await w.importer.start(dir, false);
    expect(grown.report!.taken).toEqual({ lanes: 0, sessions: 0, messages: 1 });
    expect(w.said(desk)).toEqual(["user: from the desk", "assistant: hi"]);
  });

  test("a lane that is here already keeps its session; the other is one of its past", async () => {
    const w = world();
    const key = asSessionKey("agent:main:telegram:dm:12345");
    const source = sessionSource({ platform: "telegram", chatId: "12345", chatType: "dm" });
    const mine = w.db.writeNow(() =>
      w.directory.ensureLane({ key, identity: null, channelId: "telegram", source }, 1),
    );
    const { report } = await w.importer.start(hermesHome(), false);
    expect(w.lane(key)?.sessionId).toBe(mine.sessionId);
    expect(w.directory.incarnations.get(asSessionId(second))).toMatchObject({
      sessionKey: key,
      endReason: "session_switch",
    });
    expect(report).toMatchObject({ taken: { lanes: 0, sessions: 3 }, partialTotal: 1 });
  });

  test("WhatsApp lanes are filed under the person, by what the source's bridge had learned", async () => {
    const w = world();
    const dir = hermesHome((sql) => {
      const lane = (chat: string, id: string, at: number): void => {
        const key = asSessionKey(`agent:main:whatsapp:dm:${chat}`);
        const source = sessionSource({
          platform: "whatsapp",
          chatId: chat,
          chatType: "dm",
          userId: chat,
        });
        sql.prepare(`INSERT INTO gateway_routing VALUES ('s', ?, ?, ?)`).run(
          key,
          JSON.stringify(
            entryToStored({
              ...freshEntry(key, asSessionId(id), source, at * 1000),
              updatedAtMs: at * 1000,
            }),
          ),
          at,
        );
        sql
          .prepare(
            `INSERT INTO sessions (id, source, session_key, started_at) VALUES (?, 'whatsapp', ?, ?)`,
          )
          .run(id, key, at);
        sql
          .prepare(
            `INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`,
          )
          .run(id, chat, at);
      };
      lane("240000000000001@lid", "wa_lid", 1767000000);
      lane("15550001111@s.whatsapp.net", "wa_phone", 1767000100);
    });
    const bridge = join(dir, "platforms/whatsapp/session");
    mkdirSync(bridge, { recursive: true });
    writeFileSync(join(bridge, "lid-mapping-240000000000001.json"), '"15550001111"');
    await w.importer.start(dir, false);
    const key = "agent:main:whatsapp:dm:15550001111";
    expect(w.lane(key)?.sessionId).toBe("wa_phone"); // the one used last
    expect(w.directory.incarnations.get(asSessionId("wa_lid"))).toMatchObject({
      sessionKey: key,
      endReason: "session_switch",
    });
    expect(
      readFileSync(
        join(w.dataDir, "platforms/whatsapp/session/lid-mapping-240000000000001.json"),
        "utf8",
      ),
    ).toBe('"15550001111"');
  });
});

describe("importing", () => {
  test("can be stopped, and goes on from there", async () => {
    const w = world();
    const dir = tempDir();
    const lines = Array.from({ length: 1_500 }, (_, n) =>
      JSON.stringify({
        type: "message",
        id: `m${n}`,
        parentId: n === 0 ? null : `m${n - 1}`,
        timestamp: "2026-11-01T09:00:00Z",
        message: { role: "user", content: `number ${n}` },
      }),
    );
    writeFileSync(
      join(dir, "long.jsonl"),
      ['{"type":"session","version":3,"id":"long"}', ...lines].join("\n"),
    );
    const seen: ImportStatus[] = [];
    w.bus.on("import.progress", (status) => seen.push(status));
    const stop = setImmediate(function look() {
      if ((w.db.sql.prepare("SELECT count(*) FROM messages").pluck().get() as number) > 0)
        w.importer.cancel();
      else setImmediate(look);
    });
    const first = await w.importer.start(dir, false);
    clearImmediate(stop);
    expect(first.state).toBe("cancelled");
    const part = first.report!.taken.messages;
    expect(part).toBeLessThan(1_500);
    const second = await w.importer.start(dir, false);
    expect(second).toMatchObject({ state: "done", report: { taken: { messages: 1_500 - part } } });
    expect(w.said("long")).toEqual(Array.from({ length: 1_500 }, (_, n) => `user: number ${n}`));
    expect(seen.at(0)).toMatchObject({ state: "running", phase: "opening it" });
    expect(seen.at(-1)).toMatchObject({ state: "done" });
  });

  test("refuses what is no source, and a second import beside the first", async () => {
    const w = world();
    await expect(w.importer.start(join(tempDir(), "nowhere"), true)).rejects.toMatchObject({
      code: "E_NOT_FOUND",
    });
    await expect(w.importer.start(tempDir(), true)).rejects.toMatchObject({ code: "E_INPUT" });
    await expect(w.importer.start(w.dataDir, true)).rejects.toMatchObject({ code: "E_INPUT" });
    const both = [
      w.importer.start(openClawFolder(), true),
      w.importer.start(openClawFolder(), true),
    ];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });
});
