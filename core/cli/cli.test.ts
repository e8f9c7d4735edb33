import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionDetail } from "../contract/domain.ts";

/** The command line against a whole gateway, each in a process of its own. */

const CLI = join(import.meta.dirname, "..", "cli.ts");
const SLOW = 20_000;

let dataDir: string;
const running = new Set<ChildProcess>();
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "cli-"));
});
afterEach(async () => {
  for (const child of running) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(dataDir, { recursive: true, force: true });
});

function start(args: string[], ipc = false): ChildProcess {
  const child = spawn(process.execPath, [CLI, "--data", dataDir, ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(ipc ? (["ipc"] as const) : [])],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

async function run(...args: string[]): Promise<Ended> {
  const child = start(args);
  const text = { out: "", err: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.out += String(chunk)));
  child.stderr?.on("data", (chunk: Buffer) => (text.err += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...text };
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { out } = await run(...args, "--json");
  return JSON.parse(out) as Record<string, unknown>;
}

interface Ready {
  url: string;
  token: string;
  pid: number;
}

async function serve(ipc = false): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = start(["serve", "--json"], ipc);
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer];
  if (!String(line).includes('"url"')) throw new Error(`it did not start: ${String(line)}`);
  return { child, ready: JSON.parse(String(line)) as Ready };
}

async function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

test("a person's day: serve, talk, suspend, reset, stop", { timeout: SLOW }, async () => {
  const { child, ready } = await serve();
  expect(ready).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    token: readFileSync(join(dataDir, "token"), "utf8").trim(),
    pid: child.pid,
  });

  const sent = await json("send", "--new", "Plans", "--wait", "hello there");
  expect(sent).toMatchObject({ accepted: true, answer: { outcome: "completed" } });
  const key = String(sent["key"]);
  const [history, list] = await Promise.all([run("history", key), json("sessions")]);
  expect(history.out).toContain("hello there");
  expect(history.out).toContain("You said: hello there");
  expect(list).toMatchObject({ total: 1, sessions: [{ key, title: "Plans", state: "idle" }] });

  expect(await json("suspend", key)).toMatchObject({ changed: true });
  const session = (): Promise<SessionDetail> =>
    json("call", "sessions.get", JSON.stringify({ key })) as unknown as Promise<SessionDetail>;
  const suspended = await session();
  expect(suspended).toMatchObject({ state: "suspended", nextMessage: "start_fresh" });
  expect(JSON.stringify(suspended.flags)).toContain("cli");
  expect(await json("unsuspend", key)).toMatchObject({ changed: true });
  const before = (await session()).sessionId;
  expect((await run("reset", key)).code).toBe(0);
  expect((await session()).sessionId).not.toBe(before);

  const second = await run("serve", "--json");
  expect(second.code).toBe(1);
  expect(JSON.parse(second.out)).toMatchObject({
    ok: false,
    error: { code: "E_OWNED", details: { pid: child.pid } },
  });
  expect((await run("status")).out).toContain(`process ${child.pid}`);

  child.kill("SIGTERM");
  expect(await ended(child)).toBe(0);
  expect(existsSync(join(dataDir, "gateway.json"))).toBe(false);
  const after = await run("status");
  expect([after.code, after.out]).toEqual([1, ""]);
  expect(after.err).toContain("Start one with: signalbox serve");
  const log = readFileSync(join(dataDir, "logs", "signalbox.log"), "utf8");
  expect(log).not.toContain(ready.token);
  expect(log).not.toContain("hello there");
});

test(
  "kill -9, then start: what was accepted is there, the record is not believed",
  { timeout: SLOW },
  async () => {
    const first = await serve();
    const sent = await json("send", "--new", "Plans", "--wait", "one");
    const key = String(sent["key"]);
    await json("send", key, "!sleep 60s");
    first.child.kill("SIGKILL");
    await ended(first.child);
    expect(existsSync(join(dataDir, "gateway.json"))).toBe(true);
    expect((await run("status")).code).toBe(1);

    const again = await serve();
    const { out } = await run("history", key);
    expect(out).toContain("You said: one");
    expect(out).toContain("!sleep 60s");
    expect(await json("status")).toMatchObject({ previousExit: "unclean", pid: again.child.pid });
    again.child.kill("SIGKILL");
  },
);

test("it stops with its launcher, and when it is asked to", { timeout: SLOW }, async () => {
  const launched = await serve(true);
  launched.child.disconnect();
  expect(await ended(launched.child)).toBe(0);

  const asked = await serve();
  expect(await json("call", "gateway.stop", "{}")).toMatchObject({ draining: true });
  expect(await ended(asked.child)).toBe(0);
  expect(existsSync(join(dataDir, "gateway.json"))).toBe(false);
});
