import { describe, expect, test } from "vitest";
import { lifecycleGateway, privateChat } from "../../testing/lifecycle-gateway.ts";
import { settle, until } from "../../testing/until.ts";
import { commandRules } from "../command-parse.ts";

describe("/status and /help", () => {
  test("status says what the conversation is, from the database", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("one two three");
    await g.idle(key);
    await g.say("/title Plan");
    const { sessionId, inputTokens, outputTokens } = await g.detail(key);
    const { reply } = await g.say("/status");
    expect(reply?.split("\n")).toEqual([
      `Session ${sessionId} (Plan), 2 messages`,
      `Lane ${key}`,
      "State: idle, 0 messages waiting",
      "Agent: practice (practice)",
      `Context: ${inputTokens} tokens in the last request`,
      `Tokens: ${inputTokens} in, ${outputTokens} out`,
      "Connected: local, simulator",
      "Next message: continue",
    ]);
  });

  test("help lists every command", async () => {
    const g = await lifecycleGateway();
    const { reply } = await g.say("/help");
    const { commands } = await g.call("commands.list", {});
    expect(commands.map((command) => command.name)).toEqual(Object.keys(commandRules));
    for (const { usage } of commands) expect(reply).toContain(usage);
  });
});

describe("/pause (lifecycle 18)", () => {
  test("no new turn starts anywhere, messages are kept, also over a restart", async () => {
    const g = await lifecycleGateway();
    expect((await g.say("/pause moving house")).reply).toContain(
      "New turns are paused everywhere.",
    );
    const { key, reply } = await g.say("hello");
    expect(reply).toBe(
      "New turns are paused (moving house). Your message is kept and will be answered.",
    );
    await g.restart();
    const paused = await g.call("gateway.pause", {});
    expect(paused.paused).toMatchObject({ reason: "moving house", by: "Person 7 via simulator" });
    await settle();
    expect((await g.detail(key)).waiting).toHaveLength(1);
    expect((await g.call("sessions.explain", { key })).nextMessage.waitsFor).toBe(
      "new turns are paused",
    );
    expect((await g.say("/pause off")).reply).toBe("New turns start again.");
    await g.idle(key);
    expect(await g.said(key)).toEqual(["hello", "You said: hello"]);
    expect((await g.say("/pause off")).reply).toBe("New turns were not paused.");
  });

  test("a running turn goes on, and so do commands", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("!sleep 60s hello");
    await g.running(key);
    expect((await g.say("/pause")).reply).toContain("1 running turn will end first");
    g.clock.advance(60_000);
    await g.idle(key);
    expect((await g.said(key)).at(-1)).toBe("You said: hello");
  });
});

describe("/restart", () => {
  test("asks the host once; a second one tells how far it is", async () => {
    const g = await lifecycleGateway();
    expect((await g.say("/restart")).reply).toBe("This host cannot restart the gateway.");
    const asked: unknown[] = [];
    g.gateway.onStopRequested((options) => asked.push(options));
    const { key } = await g.say("!sleep 60s hello");
    await g.running(key);
    expect((await g.say("/restart")).reply).toBe("Restarting. 1 turn to end first.");
    expect((await g.say("/restart")).reply).toBe("Restarting already. 1 turn to end first.");
    await until("the host was asked", () => asked.length > 0);
    expect(asked).toEqual([{ restart: true }]);
  });
});

describe("/background (lifecycle 13, 18)", () => {
  test("the result comes back into the conversation as a turn of its own", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    const { reply } = await g.say("/background !sleep 60s count the trains");
    expect(reply).toMatch(/^Started beside this conversation \([0-9a-f]{12}\)/);
    await g.idle((await g.say("meanwhile")).key);
    g.clock.advance(60_000);
    await until("it is back", async () => (await g.said(key)).length === 6);
    await g.idle(key);
    expect((await g.said(key)).slice(4)).toEqual([
      "Background task is done: !sleep 60s count the trains\n\nYou said: count the trains",
      expect.stringContaining("You said: Background task is done"),
    ]);
    const { runs } = await g.call("background.list", { key });
    expect(runs[0]).toMatchObject({ state: "completed", delivery: "handed" });
    const { nodes } = await g.call("sessions.lineage", { key });
    const own = nodes.find((node) => node.kind === "background");
    expect(await g.said(key, own?.sessionId)).toEqual([
      "!sleep 60s count the trains",
      "You said: count the trains",
    ]);
  });

  test("after /new its result belongs to nobody: dropped, and found in its record", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.say("/background !sleep 60s count");
    await g.say("/new");
    const run = await until("it was dropped", async () => {
      const { runs } = await g.call("background.list", { key });
      return runs[0]?.delivery === "dropped" && runs[0];
    });
    expect(run).toMatchObject({ state: "interrupted", result: "Stopped: the session was reset." });
    await g.idle(key);
    expect(await g.said(key)).toEqual([]);
  });

  test("/stop interrupts it, and the conversation is told", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.say("/background !sleep 60s count");
    expect((await g.say("/stop")).reply).toBe("Stopped.");
    await until("it is back", async () => (await g.said(key)).length === 4);
    expect((await g.said(key))[2]).toContain("Background task was interrupted");
  });

  test("a failed one says why; one that a restart cut off is told as interrupted", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.say("/background !fail no trains today");
    await until("it is back", async () => (await g.said(key)).length === 4);
    expect((await g.said(key))[2]).toBe(
      "Background task failed: !fail no trains today\n\nno trains today",
    );
    await g.say("/background !sleep 60s count");
    await g.restart();
    await until("it is back", async () => (await g.said(key)).length === 6);
    expect((await g.said(key))[4]).toContain("Background task was interrupted: !sleep 60s count");
  });

  test("compression does not lose the way back", async () => {
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "compression.mode", value: "rotation" });
    const { key } = await g.say("one");
    await g.idle(key);
    await g.idle((await g.say("two")).key);
    await g.say("/background !sleep 60s count");
    await g.say("/compress");
    g.clock.advance(60_000);
    await until("it is back", async () => (await g.said(key)).length === 3);
    expect((await g.said(key))[1]).toContain("Background task is done");
  });

  test("in another session by then: dropped", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello", privateChat("9"));
    await g.idle(key);
    await g.say("/background !sleep 60s count", privateChat("9"));
    await g.say("/branch", privateChat("9"));
    g.clock.advance(60_000);
    await until("it was dropped", async () => {
      const { runs } = await g.call("background.list", {});
      return runs[0]?.delivery === "dropped";
    });
    expect(await g.said(key)).toEqual(["hello", "You said: hello"]);
  });
});
