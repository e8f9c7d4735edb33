import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLog } from "../log/log.ts";
import { startServer } from "../server/server.ts";
import { loadToken } from "../server/token.ts";
import { lifecycleGateway } from "../testing/lifecycle-gateway.ts";
import { runCommand } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** A command line beside a whole gateway. */
async function world() {
  const g = await lifecycleGateway();
  const server = await startServer({
    gateway: g.gateway,
    hooks: g.gateway.hooks,
    token: loadToken(g.dataDir),
    panelDir: g.dataDir,
    clock: systemClock,
    log: silentLog,
  });
  onTestFinished(() => server.close());
  g.gateway.publishUrl(server.url);
  const run = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const said = { out: "", err: "" };
    const terminal: Terminal = {
      out: (text) => (said.out += text),
      err: (text) => (said.err += text),
      env: {},
      interactive: false,
      readInput: () => Promise.resolve(""),
      ask: () => Promise.resolve(""),
      nowMs: () => g.clock.nowMs(),
    };
    const code = await runCommand(["--data", g.dataDir, ...args], terminal);
    return { code, ...said };
  };
  const talk = async (...texts: string[]) => {
    let { key } = await g.say(texts[0] ?? "hello");
    await g.idle(key);
    for (const text of texts.slice(1)) ({ key } = await g.idle((await g.say(text)).key));
    return key;
  };
  return { ...g, run, talk };
}

describe("the acts of lifecycle 18 on the command line", () => {
  test("explained, walked back through, undone and put back", async () => {
    const w = await world();
    const key = await w.talk("one", "two");
    expect((await w.run("explain", key)).out).toContain("Rule: private chat\n");
    expect((await w.run("explain", key)).out).toMatch(/^chat +7 +the chat's id$/mu);
    expect((await w.run("context", key)).out).toContain("## Current Session Context");
    const undone = await w.run("undo", key, "1");
    const edit = /restore \S+ (\d+)/.exec(undone.out)?.[1] ?? "";
    expect(undone.out).toContain("Undid 1 turns.");
    expect((await w.run("lineage", key)).out).toContain("rewind");
    expect((await w.run("restore", key, edit)).out).toBe("2 messages are back.\n");
    expect(await w.said(key)).toHaveLength(4);
    expect((await w.run("undo", key, "no")).code).toBe(1);
  });

  test("named, branched, resumed, compressed", async () => {
    const w = await world();
    const key = await w.talk("one", "two");
    const { sessionId } = await w.detail(key);
    expect((await w.run("title", key, "Plan")).out).toBe("Named.\n");
    expect((await w.run("branch", key, "Copy")).out).toContain(`the original is ${sessionId}`);
    expect((await w.run("resume", key)).out).toContain("Plan");
    expect((await w.run("resume", key, "Plan")).out).toBe(`In ${sessionId} now: 4 messages.\n`);
    expect((await w.run("compress", key, "--preview", "--keep", "1")).out).toContain(
      "2 messages (16 characters) would become a summary, 2 would stay.",
    );
    expect((await w.run("compress", key, "--rotate")).out).toContain(
      "4 messages became a summary, 0 stayed.",
    );
    expect((await w.detail(key)).sessionId).not.toBe(sessionId);
    const failed = await w.run("compress", key, "--json");
    expect(JSON.parse(failed.out)).toMatchObject({ state: "too_short" });
  });

  test("the lane's mode, queue, steer and tasks beside it", async () => {
    const w = await world();
    const key = await w.talk("one");
    expect((await w.run("busy", key)).out).toBe("interrupt (as the settings say)\n");
    expect((await w.run("busy", key, "queue")).out).toBe("queue\n");
    expect((await w.run("busy", key, "fast")).err).toContain("interrupt, queue, steer or default");
    expect((await w.run("steer", key, "hello", "there")).out).toContain("it is queued");
    await w.idle(key);
    expect(await w.said(key)).toContain("You said: hello there");
    const started = await w.run("background", key, "!sleep", "60s", "count", "--json");
    const { id } = JSON.parse(started.out) as { id: string };
    expect((await w.run("runs", "list", key)).out).toContain("running");
    expect((await w.run("runs", "stop", id)).out).toBe("Stopped.\n");
    await w.idle(key);
    expect((await w.run("runs")).out).toContain("interrupted");
    expect((await w.run("retry", key)).out).toBe("Trying again: hello there\n");
  });

  test("a pause, and a question answered in a person's place", async () => {
    const w = await world();
    expect((await w.run("pause", "moving", "house")).out).toBe("New turns are paused.\n");
    expect((await w.call("gateway.pause", {})).paused).toMatchObject({
      reason: "moving house",
      by: "cli",
    });
    expect((await w.run("pause", "--off")).out).toBe("New turns start.\n");
    await w.call("config.set", { path: "approvals.destructive_slash_confirm", value: true });
    const key = await w.talk("one");
    await w.say("/undo");
    const { approvals } = await w.call("approvals.list", { key });
    expect((await w.run("approvals", key)).out).toContain("Take the last turn out");
    expect((await w.run("approve", approvals[0]?.id ?? "")).out).toContain("Undid 1 turn");
    expect((await w.run("deny", approvals[0]?.id ?? "")).err).toContain("no longer waits");
    expect((await w.run("restart")).err).toContain("cannot restart");
  });
});
