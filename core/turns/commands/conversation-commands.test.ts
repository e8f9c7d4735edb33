import { describe, expect, test } from "vitest";
import { groupChat, lifecycleGateway, privateChat } from "../../testing/lifecycle-gateway.ts";
import { settle, until } from "../../testing/until.ts";

async function talk(gateway: Awaited<ReturnType<typeof lifecycleGateway>>, ...texts: string[]) {
  let key = (await gateway.say(texts[0] ?? "hello")).key;
  await gateway.idle(key);
  for (const text of texts.slice(1)) {
    key = (await gateway.say(text)).key;
    await gateway.idle(key);
  }
  return key;
}

describe("/new and /reset (lifecycle 6.1)", () => {
  test("the old conversation ends, stays readable, and is not told to the agent", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "first");
    const before = (await g.detail(key)).sessionId;
    expect((await g.say("/new Plans")).reply).toBe("A fresh conversation.");
    const after = await g.detail(key);
    expect(after.sessionId).not.toBe(before);
    expect(after.title).toBe("Plans");
    expect(await g.said(key)).toEqual([]);
    expect(await g.said(key, before)).toEqual(["first", "You said: first"]);
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes.map((node) => [node.kind, node.endReason, node.isCurrent])).toEqual([
      ["start", "session_reset", false],
      ["reset", null, true],
    ]);
  });

  test("a title that another session has is refused with the reason", async () => {
    const g = await lifecycleGateway();
    await g.say("/new Plans");
    const { reply } = await g.say("/reset Plans");
    expect(reply).toContain("It has no title: another session is called “Plans”.");
  });

  test("it stops the running turn; what came before it is dropped, what came after is kept", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "hello");
    await g.call("sessions.busyMode", { key, mode: "queue" });
    await g.say("!sleep 60s !stream 8");
    await g.running(key);
    await g.say("dropped");
    const before = (await g.detail(key)).sessionId;
    const reset = g.say("/new");
    const kept = g.say("kept");
    expect((await reset).reply).toBe("A fresh conversation. 1 waiting message was dropped.");
    await kept;
    await g.idle(key);
    expect(await g.said(key)).toEqual(["kept", "You said: kept"]);
    expect(await g.said(key, before)).toEqual(["hello", "You said: hello", "!sleep 60s !stream 8"]);
  });
});

describe("a destructive command asks first", () => {
  test.each([
    ["yes", "A fresh conversation.", true],
    ["Yes.", "A fresh conversation.", true],
    ["/approve", "A fresh conversation.", true],
    ["always", "A fresh conversation.", true],
    ["no", "Left as it was.", false],
    ["cancel", "Left as it was.", false],
    ["/deny", "Left as it was.", false],
  ])("%s: %s", async (answer, line, happens) => {
    const g = await lifecycleGateway({ asks: true });
    const key = await talk(g, "hello");
    const before = (await g.detail(key)).sessionId;
    const question = await g.say("/new");
    expect(question.reply).toContain("End this conversation (2 messages)");
    expect((await g.detail(key)).sessionId).toBe(before);
    expect((await g.say(answer)).reply).toBe(line);
    expect((await g.detail(key)).sessionId !== before).toBe(happens);
    const { value } = await g.call("config.get", { path: "approvals.destructive_slash_confirm" });
    expect(value).toBe(answer !== "always");
  });

  test("the question survives a restart, and its answer does what was asked", async () => {
    const g = await lifecycleGateway({ asks: true });
    const key = await talk(g, "one", "two");
    expect((await g.say("/undo 2")).reply).toContain("the last 2 turns");
    await g.restart();
    expect((await g.say("yes")).reply).toBe("Undid 2 turns (4 messages): one");
    expect(await g.said(key)).toEqual([]);
  });

  test("whoever goes on talking has not agreed; a later yes is only a message", async () => {
    const g = await lifecycleGateway({ asks: true });
    const key = await talk(g, "hello");
    await g.say("/new");
    await g.say("what did I want?");
    await g.idle(key);
    expect((await g.say("yes")).reply).toBeNull();
    await g.idle(key);
    expect((await g.said(key)).slice(-2)).toEqual(["yes", "You said: yes"]);
  });

  test("in a shared chat only the one who asked answers", async () => {
    const g = await lifecycleGateway({ asks: true });
    await g.call("config.set", { path: "group_sessions_per_user", value: false });
    const { key } = await g.say("hello", groupChat("1"));
    await g.idle(key);
    const before = (await g.detail(key)).sessionId;
    await g.say("/new", groupChat("1"));
    expect((await g.say("yes", groupChat("2"))).reply).toBeNull();
    await g.idle(key);
    expect((await g.detail(key)).sessionId).toBe(before);
    expect((await g.say("yes", groupChat("1"))).reply).toContain("A fresh conversation.");
  });

  test("it waits ten minutes", async () => {
    const g = await lifecycleGateway({ asks: true });
    const key = await talk(g, "hello");
    await g.say("/new");
    g.clock.advance(10 * 60_000);
    expect((await g.say("/approve")).reply).toBe("Nothing waits for an answer here.");
    expect((await g.said(key)).length).toBe(2);
  });

  test("the operator answers from the panel", async () => {
    const g = await lifecycleGateway({ asks: true });
    const key = await talk(g, "hello");
    await g.say("/new");
    const { approvals } = await g.call("approvals.list", { key });
    const id = approvals[0]?.id ?? "";
    const done = await g.call("approvals.answer", { id, answer: "once" });
    expect(done).toMatchObject({ reply: "A fresh conversation.", approval: { state: "once" } });
    await expect(g.call("approvals.answer", { id, answer: "once" })).rejects.toMatchObject({
      code: "E_EXPIRED",
    });
  });
});

describe("/undo", () => {
  test("takes the last turns out, for the agent and for the eye; it can be taken back", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two", "three");
    expect((await g.say("/undo 2")).reply).toBe("Undid 2 turns (4 messages): two");
    expect(await g.said(key)).toEqual(["one", "You said: one"]);
    expect(await g.detail(key)).toMatchObject({ messageCount: 2 });
    const { nodes } = await g.call("sessions.lineage", { key });
    const edit = nodes[0]?.edits[0];
    expect(edit).toMatchObject({ kind: "rewind", turns: 2, rows: 4, restorable: true });
    await g.call("sessions.restore", { key, edit: edit?.edit ?? 0 });
    expect(await g.said(key)).toHaveLength(6);
  });

  test("once something was said it stays undone", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two");
    const { edit } = await g.call("sessions.undo", { key });
    await talk(g, "three");
    await expect(g.call("sessions.restore", { key, edit: edit ?? 0 })).rejects.toMatchObject({
      code: "E_CONFLICT",
    });
    expect(await g.said(key)).toEqual(["one", "You said: one", "three", "You said: three"]);
  });

  test.each([
    ["/undo 99", "Undid 2 turns (4 messages): one"],
    ["/undo 0", "Undid 1 turn (2 messages): two"],
    ["/undo two", "Usage: /undo [number of turns]"],
  ])("%s → %s", async (text, reply) => {
    const g = await lifecycleGateway();
    await talk(g, "one", "two");
    expect((await g.say(text)).reply).toBe(reply);
  });

  test("of an empty conversation there is nothing to undo", async () => {
    const g = await lifecycleGateway();
    await g.say("/status");
    expect((await g.say("/undo")).reply).toBe("There is nothing to undo.");
  });
});

describe("/retry", () => {
  test("the last message runs again in the place of the first try", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "!fail of the practice", "!tool search 1KB two");
    expect((await g.say("/retry")).reply).toBe("Trying again: !tool search 1KB two");
    await g.idle(key);
    expect((await g.said(key)).slice(0, 3)).toEqual([
      "one",
      "You said: one",
      "!fail of the practice",
    ]);
    expect((await g.said(key)).filter((text) => text === "You said: two")).toHaveLength(1);
  });

  test("what failed can be tried again", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "!fail once");
    expect((await g.detail(key)).state).toBe("failed");
    await g.say("/retry");
    await until("two turns failed", async () => (await g.detail(key)).turnCount === 2);
    await g.idle(key);
    expect(await g.said(key)).toEqual(["!fail once"]);
  });

  test("in a shared session it is said again by the one who said it", async () => {
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "group_sessions_per_user", value: false });
    const { key } = await g.say("hello", groupChat("1"));
    await g.idle(key);
    await g.say("/retry", groupChat("2"));
    await g.idle(key);
    const rows = (await g.rows(key)).filter((row) => row.role === "user");
    expect(rows.map((row) => [row.from, row.text])).toEqual([["Person 1", "hello"]]);
  });

  test("nothing to try again", async () => {
    const g = await lifecycleGateway();
    await g.say("/status");
    expect((await g.say("/retry")).reply).toBe("There is no message to try again.");
  });
});

describe("/branch and /title", () => {
  test("the copy goes on, the original stays", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one");
    await g.say("/title Plan");
    const before = (await g.detail(key)).sessionId;
    const { reply } = await g.say("/branch");
    expect(reply).toBe(
      `Branched: this is “Plan (2)” now. The original is ${before}; /resume goes back to it.`,
    );
    await talk(g, "two");
    expect(await g.said(key)).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(await g.said(key, before)).toEqual(["one", "You said: one"]);
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes.map((node) => node.kind)).toEqual(["start", "branch"]);
  });

  test("a title is shown, set, refused where it is taken, and not kept over a reset", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one");
    expect((await g.say("/title")).reply).toContain("has no title");
    expect((await g.say("/title  My\u0007 plan ")).reply).toBe(
      "This session is called “My plan” now.",
    );
    expect((await g.say("/title")).reply).toBe("“My plan”");
    expect((await g.detail(key)).title).toBe("My plan");
    await talk(g, "other");
    await g.idle((await g.say("hello", privateChat("8"))).key);
    expect((await g.say("/title My plan", privateChat("8"))).reply).toBe(
      "Another session is called “My plan”.",
    );
    await g.say("/new");
    expect((await g.detail(key)).title).toBe("Person 7");
  });
});

describe("/compress (lifecycle 14)", () => {
  const mode = (value: "in_place" | "rotation") => ({ path: "compression.mode", value });

  test("in place: the session goes on, the old messages stay readable", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two", "three");
    const { sessionId } = await g.detail(key);
    expect((await g.say("/compress here 1")).reply).toBe(
      "Compressed: 4 messages became a summary, 2 stayed.",
    );
    expect((await g.detail(key)).sessionId).toBe(sessionId);
    expect(await g.said(key)).toEqual([
      "one",
      "You said: one",
      "two",
      "You said: two",
      "three",
      "You said: three",
      expect.stringContaining("Summary of the conversation so far (4 messages)"),
    ]);
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes[0]).toMatchObject({ archivedCount: 4, edits: [{ kind: "compaction", rows: 4 }] });
  });

  test("twice in place: the second summary stands for the first", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two", "three");
    await g.say("/compress here 1");
    await talk(g, "four", "five");
    expect((await g.say("/compress here 1")).reply).toBe(
      "Compressed: 5 messages became a summary, 2 stayed.",
    );
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes[0]?.archivedCount).toBe(9);
    expect((await g.say("/undo")).reply).toBe("Undid 1 turn (2 messages): five");
  });

  test("by rotation: a new session goes on in every lane, the old one stays whole", async () => {
    const g = await lifecycleGateway();
    await g.call("config.set", mode("rotation"));
    const key = await talk(g, "one", "two", "three");
    await g.say("/title Plan");
    const before = await g.detail(key);
    expect((await g.say("/compress here 1 ")).reply).toBe(
      "Compressed: 4 messages became a summary, 2 stayed.",
    );
    const after = await g.detail(key);
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(after.updatedAtMs).toBe(before.updatedAtMs);
    expect(after.title).toBe("Plan");
    expect(await g.said(key)).toEqual([
      expect.stringContaining("Summary of the conversation so far"),
      "three",
      "You said: three",
    ]);
    expect(await g.said(key, before.sessionId)).toHaveLength(6);
    const { nodes } = await g.call("sessions.lineage", { key });
    expect(nodes.map((node) => [node.kind, node.endReason])).toEqual([
      ["start", "compression"],
      ["compression", null],
    ]);
    expect((await g.say(`/resume ${before.sessionId}`)).reply).toBe("You are in “Plan” already.");
    expect((await g.say("/status")).reply).toMatch(/Tokens: (?!0 in)/);
  });

  test.each(["in_place", "rotation"] as const)("%s: on failure nothing is lost", async (how) => {
    const g = await lifecycleGateway();
    await g.call("config.set", mode(how));
    const key = await talk(g, "one", "two");
    const before = { rows: await g.rows(key), detail: await g.detail(key) };
    expect((await g.say("/compress !fail no words left")).reply).toBe("no words left");
    expect((await g.say("/compress !silent")).reply).toBe("The agent gave an empty summary.");
    expect(await g.rows(key)).toEqual(before.rows);
    expect((await g.detail(key)).sessionId).toBe(before.detail.sessionId);
  });

  test("too short, nothing older, a preview", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one");
    expect((await g.say("/compress")).reply).toContain("has 2 messages, and it takes 4");
    await talk(g, "two");
    expect((await g.say("/compress here 2")).reply).toBe(
      "Nothing to compress: all of it would be kept.",
    );
    const { reply } = await g.say("/compress --preview here 1");
    expect(reply).toContain("2 messages (16 characters) would become a summary, 2 would stay.");
    expect(await g.said(key)).toHaveLength(4);
  });

  test("while it runs turns wait, a second one is refused, /stop breaks it off", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two");
    const running = g.call("sessions.compress", { key, focus: "!sleep 60s" });
    const ended = expect(running).rejects.toMatchObject({ code: "E_CANCELLED" });
    await settle();
    const waiting = await g.say("three");
    expect(waiting.reply).toContain("is being compressed");
    await expect(g.call("sessions.compress", { key })).rejects.toMatchObject({ code: "E_BUSY" });
    expect((await g.detail(key)).turn).toBeNull();
    await g.say("/stop");
    await ended;
    await talk(g, "four");
    expect((await g.said(key)).slice(0, 4)).toEqual([
      "one",
      "You said: one",
      "two",
      "You said: two",
    ]);
  });

  test("a person who starts over meanwhile is not overtaken by the summary", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two");
    const { sessionId } = await g.detail(key);
    const running = g.call("sessions.compress", { key, focus: "!sleep 60s" });
    const ended = expect(running).rejects.toMatchObject({ code: "E_CANCELLED" });
    await g.say("/new");
    await ended;
    expect(await g.said(key)).toEqual([]);
    expect(await g.said(key, sessionId)).toHaveLength(4);
  });

  test("a lane that goes on elsewhere meanwhile is left alone", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "zero");
    await g.say("/title Zero");
    await g.say("/new");
    await talk(g, "one", "two");
    const { sessionId } = await g.detail(key);
    const running = g.call("sessions.compress", { key, focus: "!sleep 60s" });
    const ended = expect(running).rejects.toMatchObject({ code: "E_CONFLICT" });
    await settle();
    expect((await g.say("/resume Zero")).reply).toBe("Back in “Zero”: 2 messages.");
    g.clock.advance(60_000);
    await ended;
    expect(await g.said(key, sessionId)).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(await g.said(key)).toEqual(["zero", "You said: zero"]);
  });

  test("a slow summary keeps no channel waiting: the chat is told later", async () => {
    const g = await lifecycleGateway();
    const key = await talk(g, "one", "two");
    const asked = g.say("/compress !sleep 30s the plan");
    await until("it is compressing", async () => {
      g.clock.advance(1_000);
      const settled = await Promise.race([asked, Promise.resolve(null)]);
      return settled;
    });
    expect((await asked).reply).toContain("You will be told");
    await until("the summary is there", async () => {
      g.clock.advance(5_000);
      return (await g.rows(key)).some((row) => row.text.startsWith("Compressed: 4 messages"));
    });
  });
});
