import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Sqlite from "better-sqlite3";
import { describe, expect, test, vi } from "vitest";
import type { PushName } from "./contract/bridge.ts";
import { createGateway } from "./gateway.ts";
import type { Connection } from "./gateway-api.ts";
import { manualClock } from "./testing/manual-clock.ts";
import { refused } from "./testing/refused.ts";
import { dmSource } from "./testing/samples.ts";
import { tempDir } from "./testing/temp-dir.ts";
import { testGateway } from "./testing/test-gateway.ts";
import { settle, until } from "./testing/until.ts";

vi.setConfig({ testTimeout: 20_000 }); // whole gateways, each with a disk of its own

const queue = { display: { busy_input_mode: "queue" } };

describe("a message's way through", () => {
  test("it goes in, its answer comes out, both are in the transcript", async () => {
    const { channel, key, replied, transcript, call, untilState } = await testGateway();
    expect(await channel.post("hello", { messageId: "m1" })).toMatchObject({
      kind: "accepted",
      key,
    });
    expect(await replied(1)).toEqual(["You said: hello"]);
    expect(channel.sent[0]).toMatchObject({ replyTo: "m1", recovered: false, kind: "reply" });
    await untilState("idle");
    expect(await transcript()).toEqual(["user: hello", "assistant: You said: hello"]);
    const { sessions, counts } = await call("sessions.list");
    expect(sessions).toMatchObject([{ key, title: "Person 7", messageCount: 2, turnCount: 1 }]);
    expect(counts).toEqual({ all: 1, needsMe: 0, running: 0, suspended: 0 });
  });

  test("a redelivery is answered once", async () => {
    const { channel, replied, replies } = await testGateway();
    await channel.post("hello", { messageId: "m1" });
    await replied(1);
    expect(await channel.post("hello", { messageId: "m1" })).toMatchObject({ kind: "duplicate" });
    await settle();
    expect(replies()).toHaveLength(1);
  });

  test("messages of a lane are answered in order, each of them", async () => {
    const { channel, replied } = await testGateway({ settings: queue });
    const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
    await Promise.all(texts.map((text) => channel.post(text)));
    expect(await replied(20)).toEqual(texts.map((text) => `You said: ${text}`));
  });

  test("a turn that fails is told in its chat, in the panel and as a notice", async () => {
    const { channel, replied, call, key, untilState } = await testGateway();
    await channel.post("!fail the moon is wrong");
    expect(await replied(1)).toEqual([expect.stringContaining("the moon is wrong")]);
    await untilState("failed");
    expect(await call("sessions.get", { key })).toMatchObject({
      error: { code: "E_AGENT_FAILED" },
    });
    const raised = await until("the notice", async () => (await call("notices.list")).notices[0]);
    expect(raised).toMatchObject({ kind: "failed", body: "the moon is wrong" });
  });

  test("a panel that watches sees the turn begin, speak and end", async () => {
    const { gateway, channel, key } = await testGateway();
    const connection: Connection = { id: "panel", watching: new Set([key]) };
    const seen: PushName[] = [];
    const leave = gateway.connect(connection, (name) => seen.push(name));
    await channel.post("hello");
    await until("all of it", () => seen.includes("turn.end") && seen.includes("sessions.delta"));
    leave();
    expect(seen.indexOf("transcript.append")).toBeLessThan(seen.indexOf("turn.end"));
    expect(seen).toContain("turn.text");
  });
});

describe("what an operator does", () => {
  test("suspend: the next message starts fresh, is told so, and the old conversation stays", async () => {
    const { channel, key, replied, call, transcript, untilState } = await testGateway();
    await channel.post("remember the tea");
    await replied(1);
    await untilState("idle");
    const before = await call("sessions.get", { key });
    await call("sessions.suspend", { key, reason: "operator" });
    expect(await call("sessions.get", { key })).toMatchObject({
      state: "suspended",
      nextMessage: "start_fresh",
    });
    await channel.post("hello again");
    const [, notice, answer] = await replied(3);
    expect(notice).toContain("/resume");
    expect(answer).toBe("You said: hello again");
    await untilState("idle");
    expect((await transcript()).filter((row) => !row.startsWith("boundary"))).toEqual([
      "user: hello again",
      "assistant: You said: hello again",
    ]);
    const old = await call("sessions.history", { key, sessionId: before.sessionId });
    expect(old.messages.map(({ text }) => text)).toContain("remember the tea");
  });

  test("taking a suspension back: the conversation goes on", async () => {
    const { channel, key, replied, call } = await testGateway();
    await channel.post("one");
    await replied(1);
    const before = await call("sessions.get", { key });
    await call("sessions.suspend", { key });
    const { changed, undoUntilMs } = await call("sessions.unsuspend", { key });
    expect({ changed, undoable: undoUntilMs !== null }).toEqual({ changed: true, undoable: true });
    await channel.post("two");
    await replied(2);
    expect(await call("sessions.get", { key })).toMatchObject({ sessionId: before.sessionId });
  });

  test("reset: the turn is stopped, what waits is dropped, the next message starts fresh", async () => {
    const { channel, key, replies, call, transcript } = await testGateway({ settings: queue });
    await channel.post("!sleep 60s");
    await until("a turn", async () => (await call("sessions.get", { key })).turn);
    await channel.post("never mind");
    await channel.post("never mind this either");
    await call("sessions.reset", { key });
    expect(await call("sessions.get", { key })).toMatchObject({ state: "idle", queueDepth: 0 });
    await channel.post("fresh");
    await until("the answer", () => replies().includes("You said: fresh"));
    await settle();
    expect(replies().join()).not.toContain("never mind");
    expect((await transcript()).join()).not.toContain("never mind");
  });

  test("stop: an agent that ignores everything is left behind, the lane goes on", async () => {
    const clock = manualClock();
    const { channel, key, replies, call, transcript } = await testGateway({ clock });
    await channel.post("!hang");
    await until("a turn", async () => (await call("sessions.get", { key })).turn);
    const stopping = call("sessions.stop", { key });
    await settle();
    clock.advance(2_000);
    expect(await stopping).toMatchObject({ stopped: true });
    expect((await transcript()).at(-1)).toMatch(/^boundary: /);
    await channel.post("are you there?");
    await until("the answer", () => replies().includes("You said: are you there?"));
  });

  test("there is nothing to do to a session that is not there", async () => {
    const { call } = await testGateway();
    for (const name of [
      "sessions.suspend",
      "sessions.reset",
      "sessions.stop",
      "sessions.get",
    ] as const)
      await expect(call(name, { key: "agent:main:telegram:dm:nobody" })).rejects.toEqual(
        refused("E_NOT_FOUND", { field: "key" }),
      );
  });
});

describe("stopping and starting", () => {
  test("everything is still there, and what was acknowledged is recognised", async () => {
    const first = await testGateway();
    await first.channel.post("hello", { messageId: "m1" });
    await first.replied(1);
    await first.untilState("idle");
    await first.call("sessions.suspend", { key: first.key });
    const before = await first.call("sessions.get", { key: first.key });
    await first.stop();

    const second = await testGateway({ dataDir: first.dataDir });
    expect(await second.call("sessions.get", { key: first.key })).toEqual(before);
    expect(await second.transcript()).toEqual(["user: hello", "assistant: You said: hello"]);
    expect(await second.channel.post("hello", { messageId: "m1" })).toMatchObject({
      kind: "duplicate",
    });
    expect(await second.call("gateway.status")).toMatchObject({
      previousExit: "clean",
      state: "up",
    });
    await settle();
    expect(second.replies()).toEqual([]);
  });

  test("what waits when it stops is answered after the next start, in order", async () => {
    const first = await testGateway({ settings: { max_concurrent_sessions: 1 } });
    await first.channel.post("!sleep 60s", { source: dmSource("busy") });
    await until("it runs", async () => (await first.call("gateway.status")).counts.running === 1);
    await first.channel.post("one");
    await first.channel.post("two");
    await first.stop();
    const second = await testGateway({ dataDir: first.dataDir });
    const mine = await until("both", () => {
      const texts = second.channel.sent
        .filter(({ key }) => key === first.key)
        .map(({ text }) => text);
      return texts.length === 2 && texts;
    });
    expect(mine).toEqual(["You said: one", "You said: two"]);
  });

  test("a stop waits for the turn that runs, and for its reply", async () => {
    const clock = manualClock();
    const { gateway, channel, call, key, replies, dataDir } = await testGateway({ clock });
    await channel.post("!sleep 5s ready");
    await until("it runs", async () => (await call("sessions.get", { key })).turn);
    const stopped = gateway.stop("test");
    await settle();
    clock.advance(5_000);
    await stopped;
    expect(replies()).toEqual(["You said: ready"]);
    const next = await testGateway({ dataDir });
    expect(await next.call("gateway.status")).toMatchObject({ previousExit: "clean" });
    await settle();
    expect(next.replies()).toEqual([]);
  });

  test("stopping twice is stopping once", async () => {
    const { gateway } = await testGateway();
    await Promise.all([gateway.stop("one"), gateway.stop("two", { now: true })]);
    await gateway.stop("three");
  });

  test("a directory belongs to one gateway at a time", async () => {
    const { dataDir, stop } = await testGateway();
    const other = () => createGateway({ dataDir, host: "embedded", discoverAgents: false });
    expect(other).toThrow(refused("E_OWNED", { pid: process.pid }));
    await stop();
    const next = other();
    await next.start();
    await next.stop("test", { now: true });
  });

  test("a store of a newer build is refused, left as it was, and its directory is free again", async () => {
    const { dataDir, stop } = await testGateway();
    await stop();
    const file = join(dataDir, "state.db");
    const newer = new Sqlite(file);
    newer.pragma("user_version = 99990");
    newer.close();
    const before = readFileSync(file);
    const begin = () => createGateway({ dataDir, host: "embedded", discoverAgents: false });
    expect(begin).toThrow(refused("E_STORE_FROM_FUTURE"));
    expect(begin).toThrow(refused("E_STORE_FROM_FUTURE")); // and not E_OWNED
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe("a process that is killed", () => {
  test("the database opens, and everything that was confirmed is there, once", async () => {
    const dataDir = tempDir();
    const confirmed: string[] = [];
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "testing", "kill-worker.ts"), dataDir],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    for await (const id of createInterface({ input: child.stdout })) {
      confirmed.push(id);
      if (confirmed.length === 60) break;
    }
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");

    const { channel, call } = await testGateway({ dataDir });
    expect(await call("gateway.status")).toMatchObject({ previousExit: "unclean", state: "up" });
    for (const messageId of confirmed) {
      const n = Number(messageId.slice("kill-".length));
      const again = channel.post("again", { messageId, source: dmSource(String(n % 5)) });
      expect(await again).toMatchObject({ kind: "duplicate" });
    }
    await until("rest", async () => {
      const { counts } = await call("gateway.status");
      return counts.running === 0 && counts.queued === 0;
    });
    const { sessions } = await call("sessions.list");
    const texts = new Map<string, number>();
    for (const { key } of sessions) {
      const { messages } = await call("sessions.history", { key, limit: 500 });
      for (const { role, text } of messages)
        for (const line of role === "user" ? text.split("\n") : [])
          texts.set(line, (texts.get(line) ?? 0) + 1);
    }
    for (const messageId of confirmed)
      expect(texts.get(`message ${messageId.slice("kill-".length)}`)).toBe(1);
  }, 60_000);
});
