import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testServer, type TestServer } from "../server/server-testing.ts";
import { dataDirFor } from "../state/data-dir.ts";
import { browserCommand } from "./open-browser.ts";
import { runCommand } from "./program.ts";
import { panelDir } from "./serve.ts";
import { harmless, type Terminal } from "./terminal.ts";
import { ago, historyText, table } from "./words.ts";

class FakeTerminal implements Terminal {
  stdout = "";
  stderr = "";
  env: NodeJS.ProcessEnv = {};
  interactive = false;
  input = "";
  answer = "";
  asked: string[] = [];
  out = (text: string): void => {
    this.stdout += text;
  };
  err = (text: string): void => {
    this.stderr += text;
  };
  readInput = (): Promise<string> => Promise.resolve(this.input);
  ask = (question: string): Promise<string> => {
    this.asked.push(question);
    return Promise.resolve(this.answer);
  };
  nowMs = (): number => Date.UTC(2026, 10, 30);
}

const KEY = "agent:main:local:dm:1";
let terminal: FakeTerminal;
let under: TestServer;
let replies: Record<string, unknown>;
beforeEach(async () => {
  terminal = new FakeTerminal();
  under = await testServer();
  replies = {};
  under.gateway.reply = (name) =>
    name in replies
      ? { ok: true, value: replies[name] }
      : { ok: false, error: { code: "E_NOT_FOUND", message: `no ${name}`, details: {} } };
  publish({ url: under.server.url });
});
afterEach(() => under.close());

function publish(more: Record<string, unknown>): void {
  const record = { pid: process.pid, startedAtMs: 5, host: "headless", ...more };
  writeFileSync(join(under.dataDir, "gateway.json"), JSON.stringify(record));
}
const run = (...args: string[]): Promise<number> =>
  runCommand(["--data", under.dataDir, ...args], terminal);
const printed = (): unknown => JSON.parse(terminal.stdout) as unknown;
const asked = (): unknown[] => under.gateway.asked.map(({ name, input }) => [name, input]);

describe("answers", () => {
  test("--json prints the call's value and nothing else, wherever the option stands", async () => {
    replies["channels.list"] = { channels: [] };
    expect(await run("channels", "--json")).toBe(0);
    expect(printed()).toEqual({ channels: [] });
    expect(terminal.stdout.endsWith("}\n")).toBe(true);
    terminal.stdout = "";
    expect(await run("--json", "channels")).toBe(0);
    expect(printed()).toEqual({ channels: [] });
    expect(terminal.stderr).toBe("");
    expect(under.gateway.asked[0]?.context.actor).toBe("cli");
  });

  test("an error is told in words, or as JSON, and ends with 1", async () => {
    expect(await run("suspend", KEY)).toBe(1);
    expect([terminal.stdout, terminal.stderr]).toEqual(["", "signalbox: no sessions.suspend\n"]);
    terminal.stderr = "";
    expect(await run("suspend", KEY, "--json")).toBe(1);
    expect(printed()).toEqual({
      ok: false,
      error: { code: "E_NOT_FOUND", message: "no sessions.suspend", details: {} },
    });
    expect(terminal.stderr).toBe("");
  });

  test.each([
    [["nope"], /unknown command 'nope'/],
    [["suspend"], /missing required argument 'key'/],
    [["sessions", "--limit", "many"], /whole number/],
    [["serve", "--port", "70000"], /at most 65535/],
    [["logs", "--level", "loud"], /Allowed choices/],
    [["call", "gateway.status", "{"], /not JSON/],
    [["send"], /Name a session key/],
    [["send", KEY], /nothing to send/],
  ])("%j is refused with 1", async (args, message) => {
    expect(await run(...args)).toBe(1);
    expect(terminal.stderr).toMatch(message);
    expect(terminal.stdout).toBe("");
    expect(await run(...args, "--json")).toBe(1);
    expect(printed()).toMatchObject({ ok: false, error: { code: "E_INPUT" } });
    expect(asked()).toEqual([]);
  });

  test("--version and --help", async () => {
    expect(await run("--version")).toBe(0);
    expect(terminal.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await run("--help")).toBe(0);
    for (const command of ["serve", "sessions", "send", "reset", "config", "call"])
      expect(terminal.stdout).toContain(`  ${command} `);
  });
});

describe("finding the gateway", () => {
  test("none was ever here", async () => {
    const empty = mkdtempSync(join(tmpdir(), "cli-"));
    expect(await runCommand(["--data", empty, "status"], terminal)).toBe(1);
    expect(terminal.stderr).toBe(
      `signalbox: No gateway runs on ${empty}. Start one with: signalbox serve --data ${empty}\n`,
    );
    rmSync(empty, { recursive: true });
  });

  test.each([
    ["of a process that is gone", { pid: 2 ** 22 + 1 }],
    ["of a port where nobody listens", { url: "http://127.0.0.1:1" }],
    ["without an address", { url: undefined }],
  ])("a stale record %s is no gateway", async (_name, more) => {
    publish({ url: under.server.url, ...more });
    expect(await run("status", "--json")).toBe(1);
    expect(printed()).toMatchObject({ error: { code: "E_NOT_RUNNING" } });
    expect(asked()).toEqual([]);
  });

  test("something else on its port is told apart", async () => {
    publish({ url: `${under.server.url}/nothing` });
    expect(await run("status", "--json")).toBe(1);
    expect(printed()).toMatchObject({ ok: false });
  });

  test("SIGNALBOX_DATA names the directory where --data does not", async () => {
    terminal.env = { SIGNALBOX_DATA: under.dataDir };
    replies["channels.list"] = { channels: [] };
    expect(await runCommand(["channels"], terminal)).toBe(0);
  });
});

describe("commands", () => {
  const receipt = { key: KEY, accepted: true, duplicate: false, inputId: 1, reply: null };

  test("call passes its JSON on and prints JSON", async () => {
    replies["x.y"] = { a: [1] };
    expect(await run("call", "x.y", '{"b":2}')).toBe(0);
    expect(printed()).toEqual({ a: [1] });
    expect(asked()).toEqual([["x.y", { b: 2 }]]);
  });

  test("sessions, with filter, order and page", async () => {
    replies["sessions.list"] = { sessions: [], total: 0, counts: {}, nextCursor: null };
    expect(await run("sessions", "state:running", "ada", "--sort", "-title", "-n", "5")).toBe(0);
    expect(asked()).toEqual([
      ["sessions.list", { filter: "state:running ada", sort: "-title", limit: 5 }],
    ]);
    expect(terminal.stdout).toBe("No sessions.\n");
  });

  test("send joins its words, or reads standard input", async () => {
    replies["sessions.send"] = receipt;
    await run("send", KEY, "hello", "there", "--message-id", "m1");
    terminal.input = "from a file\n";
    await run("send", KEY);
    expect(asked()).toEqual([
      ["sessions.send", { key: KEY, text: "hello there", messageId: "m1" }],
      ["sessions.send", { key: KEY, text: "from a file\n" }],
    ]);
    expect(terminal.stdout).toBe(`Accepted: ${KEY}\n`.repeat(2));
  });

  test("send --new starts a conversation first", async () => {
    replies["sessions.create"] = { key: "new-key" };
    replies["sessions.send"] = { ...receipt, key: "new-key", reply: "a command's answer" };
    await run("send", "--new", "Plans", "hello");
    await run("send", "--new", "--", "hello", "again");
    expect(asked()).toEqual([
      ["sessions.create", { title: "Plans" }],
      ["sessions.send", { key: "new-key", text: "hello" }],
      ["sessions.create", {}],
      ["sessions.send", { key: "new-key", text: "hello again" }],
    ]);
    expect(terminal.stdout).toBe("a command's answer\n".repeat(2));
  });

  test("reset asks a person, and nobody else", async () => {
    replies["sessions.resetPreview"] = {
      waitingDropped: 2,
      runningSinceMs: 1,
      messageCount: 9,
    };
    replies["sessions.reset"] = { key: KEY, changed: true, undoUntilMs: null, row: null };
    terminal.interactive = true;
    terminal.answer = "";
    expect(await run("reset", KEY)).toBe(1);
    expect(terminal.asked[0]).toMatch(/9 messages, stops the running turn and drops 2 waiting/);
    expect(asked()).toEqual([["sessions.resetPreview", { key: KEY }]]);
    terminal.answer = "y";
    expect(await run("reset", KEY)).toBe(0);
    expect(await run("reset", KEY, "--yes", "--title", "Anew")).toBe(0);
    expect(await run("reset", KEY, "--json")).toBe(0);
    terminal.interactive = false;
    expect(await run("reset", KEY)).toBe(0);
    expect(terminal.asked).toHaveLength(2);
    expect(asked()).toContainEqual(["sessions.reset", { key: KEY, title: "Anew" }]);
  });

  test("config set takes JSON or text", async () => {
    replies["config.set"] = { value: "v" };
    for (const value of ["debug", "5", "true", "null", '{"a":1}', "http://127.0.0.1:1/v1"])
      await run("config", "set", "p.q", value);
    expect(under.gateway.asked.map(({ input }) => (input as { value: unknown }).value)).toEqual([
      "debug",
      5,
      true,
      null,
      { a: 1 },
      "http://127.0.0.1:1/v1",
    ]);
  });

  test("open gives a link that works once", async () => {
    expect(await run("open", "--json")).toBe(0);
    const { url } = printed() as { url: string };
    const link = new URL(url);
    expect((await under.ask("GET", link.pathname + link.search)).status).toBe(303);
    expect(terminal.stdout).not.toContain(under.token);
  });
});

describe("words", () => {
  test("a stranger's text cannot steer the terminal", () => {
    expect(harmless("a\u{1b}[2Jb\u{7}\r\nc\td\u{202e}e")).toBe(
      "a\u{fffd}[2Jb\u{fffd}\nc\td\u{fffd}e",
    );
    expect(harmless("👩‍🚀 ok")).toBe("👩‍🚀 ok");
  });

  test("columns line up, long cells are cut", () => {
    expect(
      table([
        ["A", "B"],
        ["long", "x"],
        ["y".repeat(70), "z"],
      ]),
    ).toBe(`A${" ".repeat(61)}B\nlong${" ".repeat(58)}x\n${"y".repeat(59)}…  z\n`);
  });

  test.each([
    [5, "5 s"],
    [119, "119 s"],
    [120, "2 min"],
    [7200, "2 h"],
    [172_800, "2 d"],
    [-9, "0 s"],
  ])("%i seconds ago is %s", (seconds, text) => {
    expect(ago(1_000_000_000 - seconds * 1000, 1_000_000_000)).toBe(text);
  });

  test("a transcript reads like one", () => {
    const row = {
      id: 1,
      sessionId: "s" as never,
      text: "hi\nyou",
      from: "Ada",
      atMs: new Date(2026, 10, 30, 21, 42, 21).getTime(),
      turnId: null,
      cut: null,
      tools: [],
      textBytes: 6,
      delivery: null,
    };
    expect(
      historyText([
        { ...row, role: "user" },
        { ...row, role: "assistant", from: null, cut: "stopped", delivery: "unknown", text: "ok" },
        { ...row, role: "boundary", text: "Reset." },
      ]),
    ).toBe(
      "2026-11-30 21:42:21  Ada\n    hi\n    you\n" +
        "2026-11-30 21:42:21  assistant (stopped) [unknown]\n    ok\n" +
        "---- 2026-11-30 21:42:21  Reset.\n",
    );
  });
});

describe("places", () => {
  test("the data directory: asked for, named, else the platform's", () => {
    expect(dataDirFor("/x", {}, "linux", "/home/a")).toBe("/x");
    expect(dataDirFor(undefined, { SIGNALBOX_DATA: "/y" }, "linux", "/home/a")).toBe("/y");
    const place = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string =>
      dataDirFor(undefined, env, platform, "/home/a");
    expect(place("linux", {})).toBe("/home/a/.local/share/signalbox");
    expect(place("linux", { XDG_DATA_HOME: "/data" })).toBe("/data/signalbox");
    expect(place("linux", { XDG_DATA_HOME: "data" })).toBe("/home/a/.local/share/signalbox");
    expect(place("darwin", {})).toBe("/home/a/Library/Application Support/Signalbox");
    expect(place("win32", { APPDATA: "C:\\A" })).toBe("C:\\A\\Signalbox");
  });

  test("a browser is opened only where one can appear", () => {
    const url = "http://127.0.0.1:1/";
    expect(browserCommand(url, {}, "linux")).toBeNull();
    expect(browserCommand(url, { DISPLAY: ":0" }, "linux")?.file).toBe("xdg-open");
    expect(browserCommand(url, { BROWSER: "lynx" }, "linux")?.file).toBe("lynx");
    expect(browserCommand(url, {}, "darwin")?.file).toBe("open");
    expect(browserCommand(url, {}, "win32")?.args).toEqual(["/c", "start", '""', url]);
  });

  test("the panel is found from the sources and from the bundle", () => {
    expect(panelDir(join("/repo", "core", "cli"))).toBe(join("/repo", "dist", "renderer"));
    expect(panelDir(join("/repo", "dist", "core"))).toBe(join("/repo", "dist", "renderer"));
    expect(panelDir(join("/repo", "dist", "core", "chunks"))).toBe(
      join("/repo", "dist", "renderer"),
    );
  });
});
