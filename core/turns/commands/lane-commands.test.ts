import { describe, expect, test } from "vitest";
import { groupChat, lifecycleGateway } from "../../testing/lifecycle-gateway.ts";
import { settle, until } from "../../testing/until.ts";

type Gateway = Awaited<ReturnType<typeof lifecycleGateway>>;

/** A turn that runs until the test moves the clock by a minute. */
async function busyLane(g: Gateway, text = "!sleep 60s first") {
  const { key } = await g.say("hello");
  await g.idle(key);
  await g.call("sessions.busyMode", { key, mode: "queue" });
  await g.say(text);
  await g.running(key);
  return key;
}

describe("/stop (lifecycle 12.8, 18)", () => {
  test("stops the turn and keeps the conversation; what is next up is dropped, the rest waits for the next message", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g);
    await g.say("/queue a");
    await g.say("/queue b");
    await g.say("/queue c");
    expect((await g.say("/stop")).reply).toBe("Stopped before it said anything.");
    const stopped = await until("it stopped", async () => {
      const now = await g.detail(key);
      return now.turn === null && now;
    });
    expect(stopped.waiting.map((item) => item.preview)).toEqual(["b", "c"]);
    await g.say("d");
    await g.idle(key);
    const said = (await g.said(key)).filter((text) => text.startsWith("You said"));
    expect(said).toEqual(["You said: hello", "You said: b", "You said: c", "You said: d"]);
  });

  test("an idle lane says so", async () => {
    const g = await lifecycleGateway();
    await g.idle((await g.say("hello")).key);
    expect((await g.say("/stop")).reply).toBe("Nothing is running in this conversation.");
  });

  test("a message that waits for a pause to end was stopped before it began", async () => {
    const g = await lifecycleGateway();
    await g.call("gateway.pause", { on: true });
    const { key } = await g.say("hello");
    expect((await g.say("/stop")).reply).toBe("Stopped before it began.");
    await g.call("gateway.pause", { on: false });
    await g.idle(key);
    expect(await g.said(key)).toEqual([]);
  });

  test("in a thread it stops the turns of the others there, and nobody else's", async () => {
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "thread_sessions_per_user", value: true });
    const thread = { thread_id: "t1" };
    const mine = await g.say("hello", groupChat("1", thread));
    await g.idle(mine.key);
    const beside = await g.say("!sleep 60s beside", groupChat("2", thread));
    const elsewhere = await g.say("!sleep 60s elsewhere", groupChat("2", { thread_id: "t2" }));
    await g.running(beside.key);
    await g.running(elsewhere.key);
    expect((await g.say("/stop", groupChat("1", thread))).reply).toBe(
      "Stopped 1 turn of others in this thread.",
    );
    await g.idle(beside.key);
    expect((await g.detail(elsewhere.key)).turn).not.toBeNull();
  });
});

describe("/queue and /busy (lifecycle 12.3)", () => {
  test("queued texts are turns of their own, in order", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g);
    expect((await g.say("/queue a")).reply).toBe("Queued.");
    expect((await g.say("/queue b")).reply).toBe("Queued as number 2.");
    g.clock.advance(60_000);
    await g.idle(key);
    const said = (await g.said(key)).filter((text) => text.startsWith("You said"));
    expect(said.slice(1)).toEqual(["You said: first", "You said: a", "You said: b"]);
  });

  test("the mode is the lane's own, survives a restart, and is shown", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    expect((await g.say("/busy")).reply).toContain("Busy mode here: interrupt");
    expect((await g.say("/busy queue")).reply).toBe(
      "Busy mode here: queue (a message waits for the running turn to end); the settings say interrupt.",
    );
    await g.restart();
    expect(await g.call("sessions.busyMode", { key })).toMatchObject({
      now: "queue",
      own: "queue",
    });
    expect((await g.say("/busy fast")).reply).toContain("Usage: /busy");
    await g.call("sessions.busyMode", { key, mode: null });
    expect((await g.say("/busy")).reply).toContain("interrupt");
  });

  test("interrupt: the message stops the turn and is answered next", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("!sleep 60s first");
    await g.running(key);
    expect((await g.say("second")).reply).toBe("Interrupted: your message is next.");
    await g.idle(key);
    expect((await g.said(key)).at(-1)).toBe("You said: second");
  });

  test("a lane has a word for its sender at most once in 30 s", async () => {
    const g = await lifecycleGateway();
    await busyLane(g, "!sleep 300s first");
    expect((await g.say("a")).reply).toBe("Queued: it is next.");
    expect((await g.say("b")).reply).toBeNull();
    g.clock.advance(30_000);
    expect((await g.say("c")).reply).toBe("Queued: 3 wait now.");
  });
});

describe("steering (lifecycle 12.3)", () => {
  test("/steer: the text goes in after the next tool call, and is part of that turn", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g, "!sleep 60s !tool search 1KB first");
    expect((await g.say("/steer second")).reply).toBe(
      "It goes into the running turn after its next tool call.",
    );
    g.clock.advance(60_000);
    await g.idle(key);
    const rows = (await g.rows(key)).filter((row) => row.role !== "boundary").slice(2);
    expect(rows.map((row) => [row.role, row.text])).toEqual([
      ["user", "!sleep 60s !tool search 1KB first"],
      ["assistant", ""],
      ["user", "second"],
      ["assistant", "You said: first\nYou added: second"],
    ]);
    expect(new Set(rows.map((row) => row.turnId)).size).toBe(1);
    expect((await g.say("/undo")).reply).toContain("Undid 1 turn");
    expect(await g.said(key)).toEqual(["hello", "You said: hello"]);
  });

  test("where the turn takes none it is answered in the next one", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g, "!sleep 60s first");
    expect((await g.say("/steer second")).reply).toBe(
      "The running turn cannot take it; 1 message waits for the next one.",
    );
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.said(key)).slice(-2)).toEqual(["second", "You said: second"]);
  });

  test("a turn that ends before its tool call leaves the text to the next one", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g, "!sleep 60s !fail halfway !tool search 1KB first");
    await g.say("/steer second");
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.said(key)).slice(-2)).toEqual(["second", "You said: second"]);
  });

  test("the mode steer does so with every message; nothing behind it is stranded", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g, "!sleep 60s !tool search 1KB first");
    await g.call("sessions.busyMode", { key, mode: "steer" });
    expect((await g.say("second")).reply).toContain("after its next tool call");
    await g.say("third");
    await g.say("/queue fourth");
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.said(key)).slice(-3)).toEqual([
      "You said: first\nYou added: second\nYou added: third",
      "fourth",
      "You said: fourth",
    ]);
  });

  test("idle: it is sent", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("/steer hello");
    await g.idle(key);
    expect(await g.said(key)).toEqual(["hello", "You said: hello"]);
  });

  test("a stop keeps what had gone in, and answers nothing twice", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g, "!sleep 60s !tool search 1KB !sleep 60s first");
    await g.say("/steer second");
    g.clock.advance(60_000);
    await settle();
    await g.say("/stop");
    await g.idle(key);
    await g.say("third");
    await g.idle(key);
    expect((await g.said(key)).filter((text) => text === "second")).toHaveLength(1);
    expect((await g.said(key)).at(-1)).toBe("You said: third");
  });
});

describe("mid-turn (lifecycle 18)", () => {
  test.each(["/resume", "/sessions", "/retry", "/undo", "/compress", "/title x", "/branch"])(
    "%s is refused and changes nothing",
    async (text) => {
      const g = await lifecycleGateway();
      const key = await busyLane(g);
      const before = await g.detail(key);
      expect((await g.say(text)).reply).toContain("can't run mid-turn");
      const after = await g.detail(key);
      expect([after.sessionId, after.turn?.id, after.title]).toEqual([
        before.sessionId,
        before.turn?.id,
        before.title,
      ]);
    },
  );

  test.each(["/status", "/busy", "/help", "/pause off", "/approve", "/deny", "/restart"])(
    "%s is answered at once",
    async (text) => {
      const g = await lifecycleGateway();
      const key = await busyLane(g);
      const { reply } = await g.say(text);
      expect(reply).not.toContain("mid-turn");
      expect((await g.detail(key)).turn).not.toBeNull();
    },
  );

  test("a name that is no command never interrupts", async () => {
    const g = await lifecycleGateway();
    const key = await busyLane(g);
    expect((await g.say("/dance")).reply).toBe("/dance can't run mid-turn.");
    expect((await g.detail(key)).turn).not.toBeNull();
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.say("/dance")).reply).toBe("There is no command /dance. /help lists them.");
  });
});
