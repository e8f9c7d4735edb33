import { describe, expect, test } from "vitest";
import type { NewNotice } from "../live/notice-store.ts";
import { silentLog } from "../log/log.ts";
import { testDatabase } from "../testing/test-database.ts";
import { openStores } from "../compose/stores.ts";
import { testLanes } from "../testing/test-lanes.ts";
import { settle, until } from "../testing/until.ts";
import { createWatchdog, decideStep, watchEveryMs } from "./watchdog.ts";
import type { Silence, WatchdogLimits, WatchdogStep } from "./watchdog.ts";

const minuteMs = 60_000;
const limits: WatchdogLimits = {
  stallMs: 5 * minuteMs,
  warningMs: 15 * minuteMs,
  timeoutMs: 30 * minuteMs,
};
const silent = (minutes: number, part: Partial<Silence> = {}): Silence => ({
  silentMs: minutes * minuteMs,
  waiting: 1,
  told: { stall: false, warning: false },
  ...part,
});

describe("what is said of a silent turn (lifecycle 17.3)", () => {
  const toldStall = { told: { stall: true, warning: false } };
  const toldBoth = { told: { stall: true, warning: true } };
  test.each<[what: string, found: Silence, part: Partial<WatchdogLimits>, step: WatchdogStep]>([
    ["nothing yet", silent(4.9), {}, null],
    ["a stall, where somebody waits", silent(5), {}, "stall"],
    ["no stall where nobody does", silent(5, { waiting: 0 }), {}, null],
    ["once per silence", silent(9, toldStall), {}, null],
    ["the warning, whoever waits", silent(15, { waiting: 0 }), {}, "warn"],
    ["the warning after the stall", silent(15, toldStall), {}, "warn"],
    ["the warning alone, where both are due", silent(20), {}, "warn"],
    ["the warning once", silent(29, toldBoth), {}, null],
    ["no stall after the warning", silent(16, { told: { stall: false, warning: true } }), {}, null],
    ["stalls switched off", silent(9), { stallMs: 0 }, null],
    ["warnings switched off", silent(20, toldStall), { warningMs: 0 }, null],
    ["no warning of a cut that never comes", silent(20, toldStall), { timeoutMs: 0 }, null],
  ])("%s", (_what, found, part, step) => {
    expect(decideStep(found, { ...limits, ...part })).toBe(step);
  });
});

function watchedLanes() {
  const raised: NewNotice[] = [];
  const delivered: string[] = [];
  const db = testDatabase();
  const stores = { db, ...openStores(db) };
  let watchdog: ReturnType<typeof createWatchdog> | null = null;
  const world = testLanes(
    {
      limits: () => ({ idleMs: limits.timeoutMs, graceMs: 2_000 }),
      onHung: (turn, replaced) => watchdog?.onCut(turn, replaced),
      onStarted: (turn) => watchdog?.onStarted(turn),
    },
    stores,
  );
  watchdog = createWatchdog({
    db,
    directory: stores.directory,
    inbox: stores.inbox,
    obligations: stores.obligations,
    bus: world.bus,
    clock: world.clock,
    log: silentLog,
    limits: () => limits,
    watched: () => world.lanes.watched(),
    readsTranscript: () => false,
    deliver: (key) => delivered.push(key),
    raise: (notice) => raised.push(notice),
  });
  watchdog.start();
  return {
    ...world,
    watchdog,
    raised,
    delivered,
    notices: () =>
      stores.obligations
        .open()
        .flatMap(({ kind, content }) => (kind === "notice" ? [content] : [])),
    bars: () => world.transcript("a").filter((line) => line.startsWith("boundary: ")),
    /** Time passes in steps, so that every look sees what the one before it did. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= watchEveryMs) {
        world.clock.advance(Math.min(left, watchEveryMs));
        await settle();
      }
    },
  };
}

describe("a hung turn with messages behind it", () => {
  test("is told of once, warned of once, cut, its agent replaced, and the lane goes on: each step a bar", async () => {
    const { agent, say, pass, notices, bars, ended, raised, lanes, key } = watchedLanes();
    agent.deaf = true;
    await say("a", "hang");
    await until("a turn", () => agent.live().length === 1);
    await say("a", "next");
    await pass(14 * minuteMs);
    expect(bars()).toEqual([
      "boundary: The agent has given no sign of life for 5 min. 1 message waits.",
    ]);
    expect(notices()).toEqual([
      "The agent has given no sign of life for 5 min. 1 message waits. /stop ends this turn, /new starts afresh.",
    ]);
    await pass(15 * minuteMs);
    expect(notices()).toHaveLength(2);
    expect(notices()[1]).toMatch(/for 15 min; in 15 min it is cut off\. 1 message waits\./);
    expect(raised).toEqual([]);

    await pass(1 * minuteMs); // the cut: it does not heed it
    expect(ended).toEqual([]);
    agent.deaf = false;
    await pass(2_000); // the grace is over: it is left behind
    await until("its end", () => ended.length === 1);
    expect(ended).toEqual([{ key: key("a"), state: "failed" }]);
    await until("the next turn", () => lanes.running(key("a")) !== null && agent.runs.length === 2);
    expect(agent.built).toBe(2);
    expect(agent.released).toBe(1);
    expect(bars().slice(2)).toEqual([
      "boundary: The agent gave no sign of life for 1800 s.",
      "boundary: The agent did not end when it was told to: it is replaced.",
      "boundary: The next message has started, with a new agent.",
    ]);
    expect(raised).toMatchObject([{ title: "A hung agent was replaced" }]);
    agent.live().at(-1)?.answer("here");
    await until("its reply", () => ended.length === 2);
  });

  test("success is not claimed before the next turn has started", async () => {
    const { agent, say, pass, bars, raised, ended } = watchedLanes();
    agent.deaf = true;
    await say("a", "hang");
    await until("a turn", () => agent.live().length === 1);
    await pass(30 * minuteMs + 2_000);
    await until("its end", () => ended.length === 1);
    expect(bars().at(-1)).toBe(
      "boundary: The agent did not end when it was told to: it is replaced.",
    );
    expect(raised).toEqual([]);
    agent.deaf = false;
    await say("a", "are you there?");
    await until("the next turn", () => bars().at(-1)?.includes("with a new agent") === true);
    expect(raised).toHaveLength(1);
  });

  test("an agent that heeds the cut is not replaced, and the lane says only that it goes on", async () => {
    const { agent, say, pass, bars, raised, ended } = watchedLanes();
    await say("a", "slow");
    await until("a turn", () => agent.live().length === 1);
    await say("a", "next");
    await pass(30 * minuteMs);
    await until("its end", () => ended.length === 1);
    await until("the next turn", () => agent.live().length === 1 && agent.runs.length === 2);
    expect(bars().slice(-2)).toEqual([
      "boundary: The agent gave no sign of life for 1800 s.",
      "boundary: The next message has started.",
    ]);
    expect(raised).toEqual([]);
  });
});

describe("a sign of life", () => {
  test("ends the silence; a second one is another, told of again", async () => {
    const { agent, say, pass, notices } = watchedLanes();
    await say("a", "slow");
    await until("a turn", () => agent.live().length === 1);
    await say("a", "next");
    await pass(6 * minuteMs);
    expect(notices()).toHaveLength(1);
    agent.live()[0]?.emit({ type: "alive" });
    await settle();
    await pass(4 * minuteMs);
    expect(notices()).toHaveLength(1);
    await pass(2 * minuteMs);
    expect(notices()).toHaveLength(2);
  });

  test("nobody is told where nobody waits, until the warning", async () => {
    const { agent, say, pass, notices, watchdog } = watchedLanes();
    await say("a", "slow");
    await until("a turn", () => agent.live().length === 1);
    await pass(14 * minuteMs);
    expect(notices()).toEqual([]);
    await pass(2 * minuteMs);
    expect(notices()).toHaveLength(1);
    watchdog.stop();
  });
});

test("a notice that cannot be written is written at the next look", async () => {
  const { agent, say, notices, watchdog, clock, obligations } = watchedLanes();
  await say("a", "slow");
  await until("a turn", () => agent.live().length === 1);
  await say("a", "next");
  const { owe } = obligations;
  obligations.owe = () => {
    throw new Error("not now");
  };
  watchdog.stop();
  clock.advance(6 * minuteMs);
  await watchdog.look();
  expect(notices()).toEqual([]);
  obligations.owe = owe;
  await watchdog.look();
  await watchdog.look();
  expect(notices()).toHaveLength(1);
});
