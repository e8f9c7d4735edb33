import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import type { Run } from "../testing/scripted-agent.ts";
import { testLanes } from "../testing/test-lanes.ts";
import { settle, until } from "../testing/until.ts";
import type { CutShort } from "./turn-run.ts";

const stopped: CutShort = { outcome: "stopped", because: "Stopped.", tell: false };
const never = new AbortController().signal;

/** Everything that needs no turn of the event loop: what is handed to the disk is not yet there. */
async function microtasks(): Promise<void> {
  for (let left = 20; left > 0; left -= 1) await Promise.resolve();
}

describe("one lane", () => {
  test("its messages are answered one at a time, in order, each with what came before", async () => {
    const { agent, say, transcript, ended } = testLanes();
    await say("a", "one");
    await say("a", "two");
    await say("a", "three");
    for (const text of ["one", "two", "three"]) {
      await until("a turn", () => agent.live()[0]?.request.text === text);
      expect(agent.live()).toHaveLength(1);
      agent.live()[0]?.answer(`re ${text}`);
      await until("its end", () => transcript("a").includes(`assistant: re ${text}`));
    }
    expect(agent.runs[2]?.request.history.map((m) => m.text)).toEqual([
      "one",
      "re one",
      "two",
      "re two",
    ]);
    expect(transcript("a")).toEqual([
      "user: one",
      "assistant: re one",
      "user: two",
      "assistant: re two",
      "user: three",
      "assistant: re three",
    ]);
    await settle();
    expect(ended.map(({ state }) => state)).toEqual(["completed", "completed", "completed"]);
  });

  test("lanes do not wait for each other", async () => {
    const { agent, say } = testLanes();
    await Promise.all([say("a", "hi"), say("b", "hi"), say("c", "hi")]);
    await until("three turns", () => agent.live().length === 3);
  });

  test("a message that comes while a turn is cleaned up is answered too", async () => {
    const { agent, say, bus, lanes, key } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    const came: Promise<unknown>[] = [];
    bus.on("turn.end", () => {
      expect(lanes.isBusy(key("a"))).toBe(true);
      if (came.length === 0) came.push(say("a", "two"));
    });
    agent.live()[0]?.answer("re one");
    await until("the second turn", () => agent.live()[0]?.request.text === "two");
    await Promise.all(came);
  });

  test.each([0, 1, 2, 3])(
    "nor is one lost that comes %i turns of the event loop after the last end",
    async (turns) => {
      const { agent, say } = testLanes();
      await say("a", "one");
      await until("a turn", () => agent.live().length === 1);
      agent.live()[0]?.answer("re one");
      await settle(turns);
      await say("a", "two");
      await until("the second turn", () => agent.live()[0]?.request.text === "two");
    },
  );

  test("an answer and a failure leave the lane as it was found", async () => {
    const { agent, say, turns, inbox, directory, key, lanes, delivered } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    expect(directory.routing.get(key("a"))).toMatchObject({ state: "running" });
    expect(lanes.running(key("a"))).toMatchObject({ text: "" });
    agent.live()[0]?.say("so far");
    await until("text", () => lanes.running(key("a"))?.text === "so far");
    agent.live()[0]?.fail(new SignalboxError("E_AGENT_DOWN", "No server."));
    await until("rest", () => !lanes.isBusy(key("a")));
    expect(directory.routing.get(key("a"))).toMatchObject({
      state: "failed",
      errorCode: "E_AGENT_DOWN",
      activeTurnToken: null,
      queueDepth: 0,
    });
    expect([turns.unended(), inbox.started()]).toEqual([[], []]);
    expect(delivered).toEqual([key("a")]); // the failure is told
    await say("a", "two");
    await until("a turn", () => agent.live().length === 1);
    expect(directory.routing.get(key("a"))).toMatchObject({ state: "running", errorCode: null });
  });

  test("an agent that is gone from the settings fails the turn, and the person is told", async () => {
    const { say, ended, obligations, key } = testLanes({
      runtime: () => {
        throw new SignalboxError("E_AGENT_UNKNOWN", "There is no agent x.");
      },
    });
    await say("a", "hi");
    await until("the end", () => ended.length === 1);
    expect(ended).toEqual([{ key: key("a"), state: "failed" }]);
    expect(obligations.next(key("a"))?.content).toContain("There is no agent x.");
  });

  test("a start that breaks does not swallow the call of what came meanwhile", async () => {
    let broken = true;
    const { agent, say, logged, lanes, key } = testLanes({
      onStarted: () => {
        if (!broken) return;
        broken = false;
        throw new Error("a bug");
      },
    });
    await say("a", "one");
    await microtasks();
    lanes.wake(key("a")); // as every arrival does
    await until("the turn", () => agent.live()[0]?.request.text === "one");
    expect(logged.map(({ event }) => event)).toEqual(["lane.failed"]);
  });

  test("a turn that somebody else has ended changes nothing more", async () => {
    const { db, agent, say, turns, transcript, ended, lanes, key, logged } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    await db.write(() =>
      turns.end({
        turnId: turns.unended()[0]!.turnId,
        state: "stopped",
        endedAt: 1,
        errorCode: null,
        errorMessage: null,
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        replyMessageId: null,
      }),
    );
    agent.live()[0]?.answer("too late");
    await until("rest", () => !lanes.isBusy(key("a")));
    expect(transcript("a")).toEqual(["user: one"]);
    expect(ended).toEqual([]);
    expect(logged).toEqual([]);
  });
});

describe("cutting a turn short", () => {
  test("waits for its end; the next message follows", async () => {
    const { agent, say, lanes, key, transcript } = testLanes();
    await say("a", "one");
    await say("a", "two");
    await until("a turn", () => agent.live().length === 1);
    agent.live()[0]?.say("half");
    await settle();
    expect(await lanes.cut(key("a"), stopped)).toBe(true);
    expect(transcript("a")).toEqual(["user: one", "assistant: half", "boundary: Stopped."]);
    await until("the next", () => agent.live()[0]?.request.text === "two");
  });

  test("where none runs there is nothing to cut", async () => {
    const { lanes, key } = testLanes();
    expect(await lanes.cut(key("a"), stopped)).toBe(false);
  });

  test("a turn whose start is on its way to the disk is cut too", async () => {
    const { agent, say, lanes, key, ended } = testLanes();
    await say("a", "one");
    await microtasks();
    expect(lanes.isBusy(key("a"))).toBe(true);
    expect(lanes.running(key("a"))).toBeNull();
    expect(await lanes.cut(key("a"), stopped)).toBe(true);
    expect(ended.map(({ state }) => state)).toEqual(["stopped"]);
    expect(agent.live()).toEqual([]);
  });

  test("a turn of another session than the one that was meant goes on", async () => {
    const { agent, say, lanes, key } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    expect(await lanes.cut(key("a"), stopped, "another" as never)).toBe(false);
    expect(agent.live()).toHaveLength(1);
  });

  test("an agent that ignores it is left behind, and the next turn gets another", async () => {
    const { agent, say, lanes, key, clock, ended } = testLanes();
    agent.deaf = true;
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    const cut = lanes.cut(key("a"), stopped);
    await settle();
    expect(ended).toEqual([]);
    clock.advance(2_000);
    expect(await cut).toBe(true);
    expect(agent.released).toBe(1);
    await say("a", "two");
    await until("the next", () => agent.runs[1]?.request.text === "two");
    expect(agent.built).toBe(2);
  });
});

describe("when no turn may start", () => {
  test("at most so many run; the next starts when one has ended", async () => {
    const { agent, say, key, lanes, directory } = testLanes({ maxConcurrent: () => 2 });
    for (const chat of ["a", "b", "c", "d"]) await say(chat, "hi");
    await settle();
    expect(agent.live().map((run) => run.key)).toEqual([key("a"), key("b")]);
    expect(lanes.whyClosed(key("c"))).toContain("as many turns");
    expect(directory.routing.get(key("c"))).toMatchObject({ state: "queued" });
    agent.live()[0]?.answer("done");
    await until("the third", () => agent.live().some((run) => run.key === key("c")));
    expect(agent.live()).toHaveLength(2);
    agent.live()[0]?.answer("done");
    await until("the fourth", () => agent.live().some((run) => run.key === key("d")));
    expect(lanes.countRunning()).toBe(2);
  });

  test("while paused what runs goes on and what comes waits; after it, oldest first", async () => {
    const { agent, say, key, lanes } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    lanes.setPaused(true);
    await say("b", "two");
    await say("a", "three");
    agent.live()[0]?.answer("done");
    await settle();
    expect(agent.live()).toEqual([]);
    expect(lanes.whyClosed(key("b"))).toContain("paused");
    lanes.setPaused(false);
    await until("both", () => agent.live().length === 2);
    expect(agent.live().map((run) => run.request.text)).toEqual(["two", "three"]);
  });

  test("a command that holds a lane keeps its turns from starting, and no other lane's", async () => {
    const { agent, say, key, lanes } = testLanes();
    const [release, again] = [lanes.hold(key("a")), lanes.hold(key("a"))];
    await say("a", "one");
    await say("b", "two");
    await settle();
    expect(agent.live().map((run) => run.request.text)).toEqual(["two"]);
    release();
    release();
    await settle();
    expect(agent.live()).toHaveLength(1); // it is held twice
    again();
    await until("its turn", () => agent.live().length === 2);
  });
});

describe("draining", () => {
  test("nothing new starts, and it is over when the last turn is", async () => {
    const { agent, say, lanes, inbox, key } = testLanes();
    await say("a", "one");
    await say("a", "two");
    await until("a turn", () => agent.live().length === 1);
    lanes.shut();
    const drained = lanes.drain(60_000, never);
    await say("b", "three");
    await settle();
    agent.live()[0]?.answer("done");
    expect(await drained).toEqual([]);
    await settle();
    expect(agent.runs).toHaveLength(1);
    expect(inbox.waitingLanes()).toEqual([key("a"), key("b")]);
  });

  test("after its time, or when it is hurried, it says who is still at work", async () => {
    const { agent, say, lanes, key, clock } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    lanes.shut();
    const drained = lanes.drain(60_000, never);
    await settle();
    clock.advance(60_000);
    expect(await drained).toEqual([key("a")]);
    expect(await lanes.drain(60_000, AbortSignal.abort())).toEqual([key("a")]);
    const hurry = new AbortController();
    const again = lanes.drain(60_000, hurry.signal);
    hurry.abort();
    expect(await again).toEqual([key("a")]);
    expect(clock.pending).toBe(0);
  });

  test("a turn whose start is on its way to the disk does not begin behind its back", async () => {
    const { agent, say, lanes, key, turns, inbox } = testLanes();
    await say("a", "one");
    await microtasks();
    lanes.shut();
    expect(await lanes.drain(0, AbortSignal.abort())).toEqual([]);
    await settle();
    expect(agent.runs).toEqual([]);
    expect(turns.unended()).toEqual([]);
    expect(inbox.waitingLanes()).toEqual([key("a")]);
  });
});

describe("when the disk refuses", () => {
  const refuse = (db: ReturnType<typeof testLanes>["db"], on: boolean) => {
    db.sql.pragma(`query_only = ${on ? "ON" : "OFF"}`);
  };

  test("an answer is kept and written as soon as the disk takes it", async () => {
    const { db, agent, say, transcript, clock, logged, ended, inbox } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    refuse(db, true);
    agent.live()[0]?.answer("re one");
    await until("the refusal", () => logged.some(({ event }) => event === "turn.unsaved"));
    clock.advance(5_000);
    await settle();
    refuse(db, false);
    expect(transcript("a")).toEqual(["user: one"]);
    clock.advance(5_000);
    await until("the end", () => ended.length === 1);
    expect(transcript("a")).toEqual(["user: one", "assistant: re one"]);
    expect(inbox.started()).toEqual([]);
  });

  test("a start is tried again, and nothing of it happens twice", async () => {
    const { db, agent, say, transcript, clock, logged, lanes, key } = testLanes();
    lanes.setPaused(true);
    await say("a", "one");
    refuse(db, true);
    lanes.setPaused(false);
    await until("the refusal", () => logged.some(({ event }) => event === "lane.failed"));
    refuse(db, false);
    expect(lanes.isBusy(key("a"))).toBe(false);
    clock.advance(5_000);
    await until("a turn", () => agent.live().length === 1);
    expect(transcript("a")).toEqual(["user: one"]);
  });

  test("a stop does not wait for it: the turn keeps its marker for the next start", async () => {
    const { db, agent, say, lanes, key, turns, directory, logged } = testLanes();
    await say("a", "one");
    await until("a turn", () => agent.live().length === 1);
    lanes.shut();
    refuse(db, true);
    agent.live()[0]?.answer("re one");
    await until("rest", () => !lanes.isBusy(key("a")));
    refuse(db, false);
    expect(logged.map(({ event }) => event)).toContain("turn.unfinished");
    expect(turns.unended()).toHaveLength(1);
    expect(directory.routing.get(key("a"))?.activeTurnToken).toBe(turns.unended()[0]?.turnId);
  });
});

type Act =
  | { kind: "say"; chat: string; as: "message" | "queue" | "internal" }
  | { kind: "answer"; nth: number; how: "well" | "badly" }
  | { kind: "cut"; chat: string }
  | { kind: "pause"; on: boolean }
  | { kind: "rest"; turns: number };

const chat = fc.constantFrom("a", "b", "c");
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      chat,
      as: fc.constantFrom("message" as const, "queue" as const, "internal" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      nth: fc.nat(3),
      how: fc.constantFrom("well" as const, "well" as const, "badly" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const), chat }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), on: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rest" as const), turns: fc.nat(4) }) },
);

describe("any schedule", () => {
  test("no lane ever has two turns, and every accepted message has exactly one, in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 40 }),
        fc.constantFrom(null, 1, 2),
        async (acts, cap) => {
          const world = testLanes({ maxConcurrent: () => cap });
          const { agent, lanes, say, key, inbox, turns } = world;
          const accepted = new Map<string, string[]>();
          const saying: Promise<unknown>[] = [];
          let nth = 0;
          const check = (): void => {
            const keys = agent.live().map((run: Run) => run.key);
            expect(new Set(keys).size).toBe(keys.length);
            if (cap !== null) expect(keys.length).toBeLessThanOrEqual(cap);
          };
          for (const one of acts) {
            switch (one.kind) {
              case "say": {
                nth += 1;
                const text = String(nth);
                const more = one.as === "internal" ? { internal: true } : {};
                accepted.set(one.chat, [...(accepted.get(one.chat) ?? []), text]);
                saying.push(say(one.chat, text, one.as, more));
                break;
              }
              case "answer": {
                const live = agent.live();
                const run = live[one.nth % Math.max(1, live.length)];
                if (one.how === "well") run?.answer("done");
                else run?.fail(new Error("no"));
                break;
              }
              case "cut":
                void lanes.cut(key(one.chat), stopped);
                break;
              case "pause":
                lanes.setPaused(one.on);
                break;
              case "rest":
                await settle(one.turns);
                break;
            }
            check();
          }
          await Promise.all(saying);
          lanes.setPaused(false);
          await until("rest", () => {
            check();
            for (const run of agent.live()) run.answer("done");
            return inbox.waitingLanes().length === 0 && turns.unended().length === 0;
          });
          for (const [name, texts] of accepted)
            expect(
              agent.runs.filter((run) => run.key === key(name)).map((run) => run.request.text),
            ).toEqual(texts);
          expect(inbox.started()).toEqual([]);
          await settle(3);
          expect(["a", "b", "c"].some((name) => lanes.isBusy(key(name)))).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
