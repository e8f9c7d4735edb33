import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { parsePractice } from "./practice-words.ts";
import { createPracticeRuntime } from "./practice.ts";
import { collect, handClock, turnRequest } from "./testing/collect.ts";

const session = {
  key: asSessionKey("agent:main:local:dm:one"),
  sessionId: asSessionId("20260101_000000_00000000"),
};

function practice(streamPauseMs = 0) {
  const clock = handClock();
  return { clock, agent: createPracticeRuntime({ clock, streamPauseMs }).createAgent(session) };
}

describe("the words at the start of a message", () => {
  it.each([
    ["hello", [], "hello"],
    ["  hello !fail x", [], "  hello !fail x"],
    ["!sleep 5s hi", [{ kind: "sleep", ms: 5000 }], "hi"],
    ["!sleep 250ms", [{ kind: "sleep", ms: 250 }], ""],
    ["!sleep 2m\nhi", [{ kind: "sleep", ms: 120_000 }], "hi"],
    [
      "!sleep 1s !tool read 1MB !size 5MB go",
      [
        { kind: "sleep", ms: 1000 },
        { kind: "tool", name: "read", bytes: 1_048_576 },
        { kind: "size", bytes: 5_242_880 },
      ],
      "go",
    ],
    [
      "!fail the disk is full !sleep 1s\nrest",
      [{ kind: "fail", reason: "the disk is full !sleep 1s" }],
      "rest",
    ],
    ["!fail", [{ kind: "fail", reason: "" }], ""],
    ["!silent", [{ kind: "silent" }], ""],
    ["!silently", [], "!silently"],
    ["!stream 200", [{ kind: "stream", words: 200 }], ""],
    ["!stream many", [], "!stream many"],
    ["!sleep 5 hi", [], "!sleep 5 hi"],
    ["!size 999999MB", [], "!size 999999MB"],
    ["!hang", [{ kind: "hang" }], ""],
    ["[Anna] !sleep 1s hi", [{ kind: "sleep", ms: 1000 }], "[Anna] hi"],
    ["[Anna] hi", [], "[Anna] hi"],
  ])("%j", (text, acts, rest) => {
    expect(parsePractice(text)).toEqual({ acts, rest });
  });

  it("loses no text that holds no word, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!text.includes("!"));
        expect(parsePractice(text)).toEqual({ acts: [], rest: text });
      }),
    );
  });
});

describe("the practice agent", () => {
  it("says what it was told, in a few deltas that never cut a character", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
        async (text) => {
          fc.pre(!text.includes("!"));
          const told = await collect(practice().agent, { text });
          expect(told.text).toBe(`You said: ${text}`);
          for (const event of told.events)
            if (event.type === "text") expect(event.delta.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it("sleeps by the given clock", async () => {
    const { clock, agent } = practice();
    let done = false;
    const told = collect(agent, { text: "!sleep 5s hi" }).finally(() => (done = true));
    await settle();
    clock.advance(4999);
    await settle();
    expect(done).toBe(false);
    clock.advance(1);
    expect((await told).text).toBe("You said: hi");
  });

  it("forgets its timer when it is stopped asleep", async () => {
    const { clock, agent } = practice();
    const stop = new AbortController();
    const told = collect(agent, { text: "!sleep 5s hi" }, stop.signal);
    await settle();
    stop.abort();
    expect((await told).error?.code).toBe("E_TURN_STOPPED");
    expect(clock.pending()).toBe(0);
  });

  it("fails with the given reason", async () => {
    const told = await collect(practice().agent, { text: "!fail no more paper" });
    expect(told.error).toMatchObject({ code: "E_AGENT_FAILED", message: "no more paper" });
  });

  it("answers exactly the silence marker", async () => {
    expect((await collect(practice().agent, { text: "!silent whatever" })).text).toBe("[SILENT]");
  });

  it("streams as many words as asked, in several deltas", async () => {
    const { clock, agent } = practice(10);
    const told = collect(
      agent,
      { text: "!stream 200" },
      undefined,
      () =>
        void settle().then(() => {
          clock.advance(10);
        }),
    );
    await settle();
    clock.advance(10);
    const { text, events } = await told;
    expect(text.split(" ")).toHaveLength(200);
    expect(events.length).toBeGreaterThan(20);
  });

  it("keeps the weight it was given until it is released", async () => {
    const { agent } = practice();
    await collect(agent, { text: "!size 5MB" });
    await collect(agent, { text: "!size 1MB" });
    expect(agent.liveBytes()).toBe(6 * 1024 * 1024);
    await agent.release();
    expect(agent.liveBytes()).toBe(0);
  });

  it("reports a tool call and its result, of the size asked, ids apart", async () => {
    const { events } = await collect(practice().agent, {
      text: "!tool read 1MB !tool write 2KB ok",
    });
    const calls = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
    const results = events.flatMap((event) => (event.type === "tool-result" ? [event] : []));
    expect(calls.map((call) => call.name)).toEqual(["read", "write"]);
    expect(results.map((result) => result.callId)).toEqual(calls.map((call) => call.id));
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    expect(results.map((result) => result.output.length)).toEqual([1_048_576, 2048]);
  });

  it("counts words as tokens, the past included", async () => {
    const history = [{ role: "user" as const, text: "one two" }];
    const { events } = await collect(practice().agent, {
      system: "be kind",
      history,
      text: "three",
    });
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 5, outputTokens: 3 } });
  });

  it("hangs whatever the signal says, and only another agent works again", async () => {
    const runtime = createPracticeRuntime({ clock: handClock() });
    const agent = runtime.createAgent(session);
    const stop = new AbortController();
    let settled = false;
    const hung = agent.run(turnRequest({ text: "!hang" }), stop.signal)[Symbol.asyncIterator]();
    hung.next().then(
      () => (settled = true),
      () => (settled = true),
    );
    await settle();
    stop.abort();
    await agent.release();
    await settle();
    expect(settled).toBe(false);
    expect((await collect(agent, { text: "hi" })).error?.code).toBe("E_BUSY");
    expect((await collect(runtime.createAgent(session), { text: "hi" })).text).toBe("You said: hi");
  });
});

/** Lets everything that is already due run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
