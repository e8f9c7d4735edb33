import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, TurnRequest } from "../agents/runtime.ts";
import { createPracticeRuntime } from "../agents/practice.ts";
import type { SessionKey } from "../contract/ids.ts";
import { groupChat, lifecycleGateway, privateChat } from "../testing/lifecycle-gateway.ts";
import type { LifecycleGateway, Stored } from "../testing/lifecycle-gateway.ts";
import { settle } from "../testing/until.ts";
import { watchPractice } from "../testing/watch-practice.ts";

/** Lifecycle 20: what must hold whatever people do. */

const people = ["1", "2", "3"] as const;
const chats: readonly Stored[] = [
  privateChat("1"),
  privateChat("1", { chat_id: "second" }),
  groupChat("1", { thread_id: "t" }),
  groupChat("2", { thread_id: "t" }),
];
const acts = [
  "hello",
  "!sleep 3s slow",
  "!tool search 1KB !sleep 2s tool",
  "!fail once",
  "/queue queued",
  "/steer steered",
  "/stop",
  "/new",
  "/undo",
  "/retry",
  "/branch",
  "/compress here 1",
  "/resume 1",
  "/title Shared",
  "/busy queue",
  "/busy steer",
  "/busy interrupt",
  "/background !sleep 2s beside",
];

describe("20.1: one lane never runs two turns, one session never runs two turns", () => {
  test("whatever comes from wherever", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            chat: fc.nat(chats.length - 1),
            act: fc.constantFrom(...acts),
            wait: fc.constantFrom(0, 0, 1, 4_000),
          }),
          { minLength: 5, maxLength: 25 },
        ),
        async (steps) => {
          const watched = watchPractice();
          const g = await lifecycleGateway({ wrap: watched.wrap });
          const keys = new Set<SessionKey>();
          for (const { chat, act, wait } of steps) {
            const done = g.say(act, chats[chat]).then(({ key }) => keys.add(key));
            if (wait > 0) await done;
            await settle(2);
            g.clock.advance(wait);
          }
          for (let i = 0; i < 40; i += 1) {
            await settle(3);
            g.clock.advance(3_000);
          }
          for (const key of keys) await g.idle(key);
          expect(watched.overlaps).toEqual([]);
          expect(watched.begun).toBeGreaterThanOrEqual(0);
          await g.stop();
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("20.6: what is queued is answered, each once, in order", () => {
  test("whatever else arrives", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("queue", "text", "time", "restart", "steer"), {
          minLength: 4,
          maxLength: 20,
        }),
        fc.constantFrom("queue" as const, "steer" as const),
        async (steps, mode) => {
          const g = await lifecycleGateway();
          const { key } = await g.say("hello");
          await g.idle(key);
          await g.call("sessions.busyMode", { key, mode });
          await g.say("!sleep 30s !tool search 1KB first");
          const queued: string[] = [];
          for (const step of steps) {
            if (step === "queue") {
              queued.push(`item ${queued.length}`);
              await g.say(`/queue ${queued.at(-1) ?? ""}`);
            } else if (step === "text") await g.say("some text");
            else if (step === "steer") await g.say("/steer put in");
            else if (step === "time") {
              g.clock.advance(5_000);
              await settle(3);
            } else await g.restart();
          }
          await drain(g, key);
          const answered = (await g.said(key)).flatMap(
            (text) => /^You said: (item \d+)/.exec(text)?.[1] ?? [],
          );
          expect(answered).toEqual(queued);
          await g.stop();
        },
      ),
      { numRuns: 12 },
    );
  });
});

async function drain(g: LifecycleGateway, key: SessionKey): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await settle(3);
    g.clock.advance(3_000);
  }
  await g.idle(key);
}

describe("20.7: suspended beats resume pending beats everything", () => {
  test.each([
    { suspended: true, fresh: true },
    { suspended: false, fresh: false },
  ])("suspended: $suspended", async ({ suspended, fresh }) => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.say("!sleep 60s cut off");
    await g.running(key);
    if (suspended) await g.call("sessions.suspend", { key });
    const before = await g.detail(key);
    await g.restart(); // leaves the lane with a turn to take up
    const { nextMessage } = await g.call("sessions.explain", { key });
    expect(nextMessage.fate === "start_fresh").toBe(fresh);
    await g.say("again");
    await drain(g, key);
    expect((await g.detail(key)).sessionId !== before.sessionId).toBe(fresh);
  });
});

describe("20.8: time alone never gives a lane another session", () => {
  test("a minute, a day, ten years, and restarts between", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    const { sessionId } = await g.detail(key);
    for (const days of [0.001, 1, 400, 3_650]) {
      g.clock.advance(days * 86_400_000);
      await settle();
      expect((await g.detail(key)).sessionId).toBe(sessionId);
      await g.restart();
      g.clock.setWall(g.clock.nowMs() - 3 * 86_400_000);
      await g.idle((await g.say("still here?")).key);
      expect((await g.detail(key)).sessionId).toBe(sessionId);
    }
    expect((await g.said(key))[0]).toBe("hello");
  });
});

describe("20.9: a shared session's system prompt is the same for all its speakers", () => {
  test.each([true, false])("redacted: %s", async (redacted) => {
    const seen: TurnRequest[] = [];
    const watched = watchPractice((request) => seen.push(request));
    const g = await lifecycleGateway({ wrap: watched.wrap });
    await g.call("config.set", { path: "privacy.redact_pii", value: redacted });
    let key: SessionKey | null = null;
    for (const person of [...people, ...people]) {
      const source = groupChat(person, { thread_id: "t", chat_topic: "Trains" });
      key = (await g.say(`I am ${person}`, source)).key;
      await g.idle(key);
    }
    expect(new Set(seen.map((request) => request.system)).size).toBe(1);
    expect(seen[0]?.system).toContain("**Session type:** Multi-user thread");
    // Who said what stays with the words, in this turn and in the past that later turns are shown.
    expect(seen.at(-1)?.text).toBe("[Person 3] I am 3");
    const past = seen.at(-1)?.history.flatMap((row) => (row.role === "user" ? row.text : []));
    expect(past).toEqual([1, 2, 3, 1, 2].map((n) => `[Person ${n}] I am ${n}`));
    // A person reads what was written.
    expect((await g.said(key as SessionKey))[0]).toBe("I am 1");
  });
});

test("the watcher sees what it is to see: two turns at once are an overlap", async () => {
  const watched = watchPractice();
  const runtime = watched.wrap(createPracticeRuntime({ clock: (await lifecycleGateway()).clock }));
  const agent = () => runtime.createAgent({ key: "k" as SessionKey, sessionId: "s" as never });
  const request = { turnId: "t", key: "k", sessionId: "s", system: "", history: [], text: "!hang" };
  const first = agent().run(request as never, new AbortController().signal)[Symbol.asyncIterator]();
  const second = agent()
    .run({ ...request, text: "x" } as never, new AbortController().signal)
    [Symbol.asyncIterator]();
  void first.next();
  const event: IteratorResult<AgentEvent> = await second.next();
  expect(event.done).toBe(false);
  expect(watched.overlaps.length).toBeGreaterThan(0);
});
