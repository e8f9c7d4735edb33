import { join } from "node:path";
import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeOpenAiServer } from "../agents/testing/fake-openai-server.ts";
import type { SessionKey } from "../contract/ids.ts";
import { groupChat, lifecycleGateway, privateChat } from "../testing/lifecycle-gateway.ts";
import type { LifecycleGateway, Stored } from "../testing/lifecycle-gateway.ts";
import { settle } from "../testing/until.ts";

/** Lifecycle 20: what must hold whatever people do. */

interface Turn {
  lane: string;
  session: string;
  startedAt: number;
  endedAt: number;
}

/** The turns and the rows of a gateway's database, as they are on disk. */
function onDisk(dataDir: string): { turns: Turn[]; rows: { session: string; turn: string }[] } {
  const sql = new Sqlite(join(dataDir, "state.db"), { readonly: true });
  try {
    return {
      turns: sql
        .prepare<[], Turn>(
          `SELECT session_key AS lane, session_id AS session, started_at AS startedAt, ended_at AS endedAt FROM turns ORDER BY rowid`,
        )
        .all(),
      rows: sql
        .prepare<[], { session: string; turn: string }>(
          `SELECT session_id AS session, turn_id AS turn FROM messages
            WHERE turn_id IS NOT NULL AND role <> 'boundary' ORDER BY session_id, id`,
        )
        .all(),
    };
  } finally {
    sql.close();
  }
}

/** Pairs of turns of one lane or one session that ran at the same time. */
function overlaps(turns: readonly Turn[]): [Turn, Turn][] {
  return turns.flatMap((one, index) =>
    turns
      .slice(index + 1)
      .filter(
        (other) =>
          (other.lane === one.lane || other.session === one.session) &&
          other.startedAt < one.endedAt &&
          one.startedAt < other.endedAt,
      )
      .map((other): [Turn, Turn] => [one, other]),
  );
}

/** Turns whose rows are not in one piece: another turn's rows came between. */
function torn(rows: readonly { session: string; turn: string }[]): string[] {
  const closed = new Set<string>();
  const found: string[] = [];
  let open = "";
  for (const { session, turn } of rows) {
    const id = `${session} ${turn}`;
    if (id === open) continue;
    if (closed.has(id)) found.push(id);
    closed.add(open);
    open = id;
  }
  return found;
}

async function drain(g: LifecycleGateway, key: SessionKey): Promise<void> {
  for (let i = 0; i < 40; i += 1) {
    await settle(3);
    g.clock.advance(3_000);
  }
  await g.idle(key);
}

const chats: readonly Stored[] = [
  privateChat("1"),
  privateChat("1", { chat_id: "second" }),
  groupChat("1", { thread_id: "t" }),
  groupChat("2", { thread_id: "t" }),
];
const talk = ["hello", "!sleep 3s slow", "!sleep 9s slower", "!tool search 1KB !sleep 2s tool"];
const acts = [
  ...talk,
  ...talk,
  ...talk,
  "!fail once",
  "/queue queued",
  "/steer steered",
  "/stop",
  "/new",
  "/undo",
  "/retry",
  "/branch",
  "/compress here 1",
  "/title Shared",
  "/resume Shared",
  "/resume 1",
  "/sessions",
  "/busy queue",
  "/busy steer",
  "/busy interrupt",
  "/background !sleep 2s beside",
];

describe("20.1: one lane never runs two turns, one session never runs two turns", () => {
  test("what an overlap is", () => {
    const turn = { lane: "a", session: "s", startedAt: 0, endedAt: 10 };
    expect(overlaps([turn, { ...turn, startedAt: 10, endedAt: 20 }])).toEqual([]);
    expect(overlaps([turn, { ...turn, lane: "b", startedAt: 5, endedAt: 20 }])).toHaveLength(1);
    expect(torn(["a", "b", "a"].map((id) => ({ session: "s", turn: id })))).toEqual(["s a"]);
  });

  test("whatever comes from wherever", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            chat: fc.nat(chats.length - 1),
            act: fc.constantFrom(...acts),
            waits: fc.boolean(),
            passes: fc.constantFrom(0, 0, 1, 4_000),
          }),
          { minLength: 10, maxLength: 40, size: "max" },
        ),
        async (steps) => {
          const g = await lifecycleGateway();
          // Two chats in one session from the start.
          await g.idle((await g.say("hello", chats[0])).key);
          await g.say("/title Shared", chats[0]);
          const { key: second } = await g.say("/resume Shared", chats[1]);
          expect(
            (await g.call("sessions.explain", { key: second })).sharing.otherLanes,
          ).toHaveLength(1);
          const keys = new Set<SessionKey>();
          const under = new Set<Promise<unknown>>();
          for (const { chat, act, waits, passes } of steps) {
            const done = g.say(act, chats[chat]).then(({ key }) => keys.add(key));
            under.add(done);
            await (waits ? settle(10) : settle(1));
            g.clock.advance(passes);
          }
          for (let i = 0; i < 20; i += 1) {
            await settle(3);
            g.clock.advance(3_000);
          }
          await Promise.all(under);
          for (const key of keys) await g.idle(key);
          const { turns, rows } = onDisk(g.dataDir);
          expect(overlaps(turns)).toEqual([]);
          expect(torn(rows)).toEqual([]);
          await g.stop();
        },
      ),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

describe("20.6: what is queued is answered, each once, in order", () => {
  test("whatever else arrives, and over restarts", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("queue", "queue", "text", "time", "restart", "steer"), {
          minLength: 4,
          maxLength: 20,
          size: "max",
        }),
        fc.constantFrom("queue" as const, "steer" as const),
        async (steps, mode) => {
          const g = await lifecycleGateway();
          const { key } = await g.say("hello");
          await g.idle(key);
          await g.call("sessions.busyMode", { key, mode });
          await g.say("!sleep 30s !tool search 1KB first");
          const queued: string[] = [];
          let restarts = 0;
          for (const step of steps) {
            if (step === "queue") {
              queued.push(`item ${queued.length}`);
              await g.say(`/queue !sleep 2s ${queued.at(-1) ?? ""}`);
            } else if (step === "text") await g.say("some text");
            else if (step === "steer") await g.say("/steer put in");
            else if (step === "restart") {
              // More in a row are a crash loop, whose turns are kept for the operator (lifecycle 10.5).
              if ((restarts += 1) <= 2) await g.restart();
            } else {
              g.clock.advance(5_000);
              await settle(3);
            }
          }
          await drain(g, key);
          const answered = (await g.said(key)).flatMap(
            (text) => /^You said: (item \d+)/.exec(text)?.[1] ?? [],
          );
          expect(answered).toEqual(queued);
          await g.stop();
        },
      ),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

describe("20.7: suspended beats resume pending beats everything", () => {
  test.each([
    { suspended: true, fate: "start_fresh" },
    { suspended: false, fate: "continue_interrupted" },
  ])("suspended: $suspended", async ({ suspended, fate }) => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    await g.say("!sleep 60s cut off");
    await g.running(key);
    await g.call("gateway.pause", { on: true }); // so that the next start takes nothing up by itself
    if (suspended) await g.call("sessions.suspend", { key });
    const { sessionId } = await g.detail(key);
    await g.restart();
    expect((await g.call("sessions.explain", { key })).nextMessage.fate).toBe(fate);
    await g.call("gateway.pause", { on: false });
    await g.say("again");
    await drain(g, key);
    expect((await g.detail(key)).sessionId !== sessionId).toBe(suspended);
    expect((await g.said(key)).includes("hello")).toBe(!suspended);
  });
});

describe("20.8: time alone never gives a lane another session", () => {
  test("a minute, a day, ten years, stepped clocks, and restarts between", async () => {
    const g = await lifecycleGateway();
    const { key } = await g.say("hello");
    await g.idle(key);
    const { sessionId } = await g.detail(key);
    for (const days of [0.1, 1, 400, 3_650, -3_650]) {
      g.clock.advance(7_200_000); // two hours in which every timer fires
      g.clock.setWall(g.clock.nowMs() + days * 86_400_000);
      await settle();
      await g.restart();
      await g.idle((await g.say("still here?")).key);
      expect((await g.detail(key)).sessionId).toBe(sessionId);
    }
    expect((await g.said(key))[0]).toBe("hello");
  });
});

describe("20.9: a shared session's system prompt is the same for all its speakers", () => {
  test.each([true, false])("redacted: %s", async (redacted) => {
    const server = await startFakeOpenAiServer();
    onTestFinished(() => server.close());
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "agents.fake", value: { baseUrl: server.baseUrl } });
    await g.call("config.set", { path: "defaultAgent", value: "fake" });
    await g.call("config.set", { path: "privacy.redact_pii", value: redacted });
    let key: SessionKey | null = null;
    for (const person of ["1", "2", "3", "1"]) {
      const source = groupChat(person, { thread_id: "t", chat_topic: "Trains" });
      ({ key } = await g.say(`I am ${person}`, source));
      await g.idle(key);
    }
    const requests = server.requests.flatMap(({ body }) => {
      const { messages } = (body ?? {}) as { messages?: { role: string; content: string }[] };
      return messages ? [messages] : [];
    });
    expect(requests).toHaveLength(4);
    const systems = requests.map((messages) => messages.find(({ role }) => role === "system"));
    expect(new Set(systems.map((row) => row?.content)).size).toBe(1);
    expect(systems[0]?.content).toContain("**Session type:** Multi-user thread");
    // Who said what stays with the words, in this turn and in the past that later turns are shown.
    const words = requests.at(-1)?.flatMap(({ role, content }) => (role === "user" ? content : []));
    expect(words).toEqual([1, 2, 3, 1].map((n) => `[Person ${n}] I am ${n}`));
    // A person reads what was written.
    expect((await g.said(key as SessionKey))[0]).toBe("I am 1");
  });
});
