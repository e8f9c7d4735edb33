import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeOpenAiServer } from "../agents/testing/fake-openai-server.ts";
import { asSessionKey } from "../contract/ids.ts";
import { groupChat, lifecycleGateway, privateChat } from "../testing/lifecycle-gateway.ts";
import { until } from "../testing/until.ts";

describe("sessions.explain", () => {
  test("names each part of the key, who shares it and what comes next", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello", groupChat("7"));
    await g.idle(key);
    expect(await g.call("sessions.explain", { key })).toMatchObject({
      rule: "group_per_person",
      segments: [
        { name: "namespace", value: "agent:main" },
        { name: "platform", value: "telegram" },
        { name: "type", value: "group" },
        { name: "chat", value: "-100" },
        { name: "person", value: "7" },
      ],
      keyToday: null,
      isolation: { groupSessionsPerUser: true, threadSessionsPerUser: false, ofThisChat: false },
      sharing: { shared: false, speakers: ["Person 7"], otherLanes: [] },
      flags: [],
      nextMessage: { fate: "continue", because: null, waitsFor: null },
      busyMode: { now: "interrupt", own: null },
      questions: [],
    });
  });

  test("a chat with rules of its own, and a lane of yesterday's rules", async () => {
    const g = await lifecycleGateway();
    const old = await g.say("hello", groupChat("7"));
    await g.idle(old.key);
    const chats = { "telegram:-100": { group_sessions_per_user: false } };
    await g.call("config.set", { path: "chats", value: chats });
    const now = await g.say("hello", groupChat("8"));
    await g.idle(now.key);
    expect(now.key).toBe("agent:main:telegram:group:-100");
    expect(await g.call("sessions.explain", { key: now.key })).toMatchObject({
      rule: "group_shared",
      isolation: { groupSessionsPerUser: false, ofThisChat: true },
      sharing: { shared: true, speakers: ["Person 8"] },
    });
    expect(await g.call("sessions.explain", { key: old.key })).toMatchObject({
      rule: null,
      segments: [],
      keyToday: now.key,
    });
  });

  test("flags say since when, by whom and what clears them", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.call("sessions.suspend", { key, reason: "wrong person" });
    const { flags, nextMessage } = await g.call("sessions.explain", { key });
    expect(flags).toEqual([
      {
        name: "suspended",
        value: "wrong person",
        sinceMs: g.clock.nowMs(),
        by: "panel",
        clearedBy: "the next message, or taking it back",
      },
    ]);
    expect(nextMessage).toMatchObject({ fate: "start_fresh", because: "suspended" });
    await g.call("sessions.unsuspend", { key });
    await g.say("/new");
    const fresh = await g.call("sessions.explain", { key });
    expect(fresh.flags).toMatchObject([
      { name: "is_fresh_reset", by: "Person 7 via simulator", clearedBy: "the first turn" },
    ]);
  });

  test("a session that is not there", async () => {
    const g = await lifecycleGateway();
    const key = asSessionKey("agent:main:telegram:dm:nobody");
    for (const name of ["sessions.explain", "sessions.lineage", "sessions.context"] as const)
      await expect(g.call(name, { key })).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});

describe("sessions.lineage", () => {
  test("resets, branches, rewinds and compressions, to walk back through", async () => {
    const g = await lifecycleGateway();
    const say = async (text: string) => g.idle((await g.say(text)).key);
    const { key } = await say("one");
    await g.say("/new");
    await say("two");
    await g.say("/branch");
    await say("three");
    await g.say("/undo");
    await say("four");
    await g.call("config.set", { path: "compression.mode", value: "rotation" });
    await g.say("/compress here 1");
    const { nodes, current } = await g.call("sessions.lineage", { key });
    expect(nodes.map((node) => [node.kind, node.endReason, node.messageCount])).toEqual([
      ["start", "session_reset", 2],
      ["reset", "session_switch", 2],
      ["branch", "compression", 4],
      ["compression", null, 3],
    ]);
    expect(nodes.map((node) => node.parentId)).toEqual([
      null,
      nodes[0]?.sessionId,
      nodes[1]?.sessionId,
      nodes[2]?.sessionId,
    ]);
    expect(nodes[2]).toMatchObject({
      rewoundCount: 2,
      edits: [
        { kind: "rotation", childSessionId: current, rows: 2 },
        { kind: "rewind", turns: 1, rows: 2, excerpt: "three", restorable: false },
      ],
    });
    for (const node of nodes)
      expect((await g.rows(asSessionKey(node.key ?? ""), node.sessionId)).length).toBeGreaterThan(
        0,
      );
  });

  test("a suspension's replacement is told apart from a reset", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("one");
    await g.idle(key);
    await g.call("sessions.suspend", { key });
    await g.idle((await g.say("two")).key);
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes.map((node) => [node.kind, node.endReason])).toEqual([
      ["start", "suspended"],
      ["suspension", null],
    ]);
  });
});

describe("sessions.context (lifecycle 9)", () => {
  test("what is sent, what redaction would change, and what stays pinned", async () => {
    const g = await lifecycleGateway();
    const source = privateChat("7", { user_name: null });
    const { key } = await g.say("hello", source);
    await g.idle(key);
    const before = await g.call("sessions.context", { key });
    expect(before).toMatchObject({ redacts: false, redactable: true });
    expect(before.sent).toBe(before.plain);
    expect(before.plain).toContain('"7"');
    expect(before.redacted).not.toContain('"7"');
    expect(before.pinned).toEqual({
      text: before.sent,
      sinceMs: g.clock.nowMs(),
      redacted: false,
      isCurrent: true,
    });
    await g.call("config.set", { path: "privacy.redact_pii", value: true });
    const after = await g.call("sessions.context", { key });
    expect(after).toMatchObject({ redacts: true, pinned: { isCurrent: false } });
    expect(after.sent).toBe(after.redacted);
    await g.idle((await g.say("again", source)).key);
    expect((await g.call("sessions.context", { key })).pinned).toMatchObject({
      text: after.sent,
      redacted: true,
      isCurrent: true,
    });
    // Redaction never changes a key or what is stored (lifecycle 20.10).
    expect((await g.detail(key)).origin).toMatchObject({ chat_id: "7", user_id: "7" });
    await g.say("/new", source);
    expect((await g.call("sessions.context", { key })).pinned).toBeNull();
  });

  test("an internal turn is told the same words after a restart", async () => {
    const server = await startFakeOpenAiServer();
    onTestFinished(() => server.close());
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "agents.fake", value: { baseUrl: server.baseUrl } });
    await g.call("config.set", { path: "defaultAgent", value: "fake" });
    const { key } = await g.say("hello", privateChat("7", { chat_topic: "Trains" }));
    await g.idle(key);
    // The chat's topic changed; what the lane keeps of its origin still says the old one.
    await g.idle((await g.say("again", privateChat("7", { chat_topic: "Ships" }))).key);
    await g.call("background.start", { key, task: "count" });
    await g.restart();
    await until("it is back", async () => (await g.said(key)).length === 6);
    const systems = server.requests.flatMap(({ body }) => {
      const { messages } = (body ?? {}) as { messages?: { role: string; content: string }[] };
      const system = messages?.find(({ role }) => role === "system")?.content;
      return system?.includes("Current Session Context") ? [system] : [];
    });
    expect(systems.map((system) => /Topic:\*\* "(\w+)"/u.exec(system)?.[1])).toEqual([
      "Trains",
      "Ships",
      "Ships",
    ]);
    expect(systems[2]).toBe(systems[1]);
  });
});

describe("the same acts from the panel", () => {
  test("queue, steer, retry, branch and title leave receipts", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    const { sessionId } = await g.detail(key);
    expect(await g.call("sessions.title", { key, title: "Plan" })).toMatchObject({
      changed: true,
      row: { title: "Plan" },
    });
    expect(await g.call("sessions.retry", { key })).toMatchObject({ changed: true, text: "hello" });
    await g.idle(key);
    expect(await g.call("sessions.branch", { key, title: "Copy" })).toMatchObject({
      from: sessionId,
      titleTaken: false,
      row: { title: "Copy" },
    });
    await g.say("!sleep 60s !tool search 1KB slow");
    await g.running(key);
    const steered = await g.call("sessions.steer", { key, text: "and this" });
    expect(steered.steered).toBe(true);
    expect(await g.call("sessions.queue", { key, text: "later" })).toMatchObject({ depth: 2 });
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.said(key)).slice(-3)).toEqual([
      "You said: slow\nYou added: and this",
      "later",
      "You said: later",
    ]);
  });

  test("a summary by an agent that has no way of its own is asked for in an ordinary turn", async () => {
    const server = await startFakeOpenAiServer();
    onTestFinished(() => server.close());
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "agents.fake", value: { baseUrl: server.baseUrl } });
    await g.call("config.set", { path: "defaultAgent", value: "fake" });
    const { key } = await g.say("one");
    await g.idle(key);
    await g.idle((await g.say("two")).key);
    server.next({ kind: "text", text: "They counted to two." });
    const done = await g.call("sessions.compress", { key, focus: "numbers" });
    expect(done).toMatchObject({
      state: "compressed",
      archived: 4,
      summary: "They counted to two.",
    });
    const asked = server.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
    expect(asked.messages.at(-1)?.content).toContain("numbers");
    expect(asked.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(["one", "two"]),
    );
    await g.idle((await g.say("three")).key);
    const next = server.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
    expect(
      next.messages.filter(({ role }) => role === "user").map(({ content }) => content),
    ).toEqual([expect.stringContaining("They counted to two."), "three"]);
  });

  test("a server that fails leaves the conversation as it was", async () => {
    const server = await startFakeOpenAiServer();
    onTestFinished(() => server.close());
    const g = await lifecycleGateway();
    const { key } = await g.say("one");
    await g.idle(key);
    await g.idle((await g.say("two")).key);
    const before = await g.rows(key);
    await g.call("config.set", { path: "agents.fake", value: { baseUrl: server.baseUrl } });
    await g.call("config.set", { path: "defaultAgent", value: "fake" });
    server.otherwise = { kind: "status", status: 401, body: { error: { message: "who are you" } } };
    await expect(g.call("sessions.compress", { key })).rejects.toMatchObject({
      code: "E_AGENT_KEY",
    });
    expect(await g.rows(key)).toEqual(before);
    server.otherwise = { kind: "text", text: "ok" };
    expect(await g.call("sessions.compress", { key })).toMatchObject({ state: "compressed" });
  });
});
