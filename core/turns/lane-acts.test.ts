import { describe, expect, test } from "vitest";
import { testLanes } from "../testing/test-lanes.ts";
import { settle, until } from "../testing/until.ts";
import { actKit } from "./act-kit.ts";
import { createLaneActs } from "./lane-acts.ts";
import { createLaneGuard } from "./lane-guard.ts";
import { createTurnLeases } from "./turn-lease.ts";
import { createAgentCache } from "../agents/agent-cache.ts";
import { manualClock } from "../testing/manual-clock.ts";

function acting(graceMs = 2_000) {
  const leases = createTurnLeases(manualClock(), () => 1);
  const made = testLanes({ leases, limits: () => ({ idleMs: 0, graceMs }) });
  const guard = createLaneGuard({ ...made, leases });
  const deps = { ...made, guard, agents: createAgentCache() };
  const stopped: string[] = [];
  const acts = createLaneActs({
    ...deps,
    kit: actKit(deps),
    stopDetached: (_key, _id, reason) => stopped.push(reason),
    stopCompression: () => false,
    deliver: () => undefined,
  });
  return { ...made, acts, stopped };
}

describe("a reset (lifecycle 6.1)", () => {
  test("is told in its order, once the old session has ended", async () => {
    const { acts, say, key, agent, bus, directory, stopped, transcript } = acting();
    await say("a", "hello");
    await until("a turn", () => agent.live().length === 1);
    const before = directory.routing.get(key("a"))?.sessionId;
    const seen: string[] = [];
    for (const name of [
      "session.finalized",
      "session.ended",
      "session.reset",
      "session.begun",
    ] as const)
      bus.on(name, () => {
        const ended = before !== undefined && directory.incarnations.get(before)?.endReason;
        seen.push(`${name} ${String(ended)}`);
      });
    await acts.reset(key("a"), "test", null);
    expect(seen).toEqual([
      "session.finalized session_reset",
      "session.ended session_reset",
      "session.reset session_reset",
      "session.begun session_reset",
    ]);
    expect(stopped).toEqual(["Stopped: the session was reset."]);
    expect(agent.live()).toHaveLength(0);
    expect(transcript("a")).toEqual([
      "boundary: Reset by test. The conversation before it stays readable.",
    ]);
  });

  test("does not wait for a turn that does not end; what it still brings changes nothing", async () => {
    const { acts, say, key, agent, clock, directory, transcript, ended } = acting(3_600_000);
    agent.deaf = true;
    await say("a", "hello");
    const run = await until("a turn", () => agent.live()[0]);
    const reset = acts.reset(key("a"), "test", null);
    await settle();
    expect(transcript("a")).toEqual(["user: hello"]);
    clock.advance(5_000);
    await reset;
    const { sessionId } = directory.routing.get(key("a")) ?? {};
    run.answer("late words");
    await settle(40);
    clock.advance(3_600_000);
    await settle(40);
    expect(transcript("a").some((line) => line.includes("late words"))).toBe(false);
    expect(directory.routing.get(key("a"))).toMatchObject({ sessionId, activeTurnToken: null });
    expect(ended).toEqual([]);
    agent.deaf = false;
    await say("a", "again");
    const next = await until("the next turn", () =>
      agent.live().find((one) => one.request.text === "again"),
    );
    expect(next.request.history).toEqual([]);
  });
});
