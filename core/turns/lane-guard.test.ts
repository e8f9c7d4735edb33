import { describe, expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { testLanes } from "../testing/test-lanes.ts";
import { settle, until } from "../testing/until.ts";
import { createLaneGuard } from "./lane-guard.ts";
import { createTurnLeases } from "./turn-lease.ts";

function guarded() {
  const leases = createTurnLeases(manualClock(), () => 1);
  const lanes = testLanes({ leases });
  return { ...lanes, leases, guard: createLaneGuard({ ...lanes, leases }) };
}

describe("the command guard (lifecycle 18)", () => {
  test("no turn starts while a command has the lane; what came meanwhile starts after it", async () => {
    const { guard, say, key, agent } = guarded();
    let finish = (): void => undefined;
    const command = guard.exclusive(
      key("a"),
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    await settle();
    await say("a", "hello");
    await settle();
    expect(agent.runs).toHaveLength(0);
    finish();
    await command;
    await until("a turn", () => agent.live().length === 1);
  });

  test("a turn that is on its way to the disk does not start behind a command's back", async () => {
    const { guard, say, key, agent } = guarded();
    const order: string[] = [];
    const accepted = say("a", "hello");
    await accepted;
    // The start is handed to the disk in this turn of the event loop; the command comes before it is there.
    await guard.exclusive(key("a"), async () => {
      order.push(`command, ${agent.runs.length} turns`);
      await settle();
      order.push(`still, ${agent.runs.length} turns`);
    });
    expect(order).toEqual(["command, 0 turns", "still, 0 turns"]);
    await until("a turn", () => agent.live().length === 1);
  });

  test("commands on a lane run one after the other, on others at once", async () => {
    const { guard, key } = guarded();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await settle(3);
      order.push(`${name} ends`);
    };
    await Promise.all([
      guard.exclusive(key("a"), work("first")),
      guard.exclusive(key("a"), work("second")),
      guard.exclusive(key("b"), work("other")),
    ]);
    expect(order.filter((line) => !line.startsWith("other"))).toEqual([
      "first begins",
      "first ends",
      "second begins",
      "second ends",
    ]);
    expect(order.indexOf("other begins")).toBeLessThan(order.indexOf("first ends"));
  });

  test("one that fails lets the next one run and the lane go on", async () => {
    const { guard, say, key, agent } = guarded();
    await say("b", "hello"); // a lane of its own
    await expect(guard.exclusive(key("a"), () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    await expect(guard.exclusive(key("a"), () => Promise.resolve(1))).resolves.toBe(1);
    await say("a", "hello");
    await until("two turns", () => agent.live().length === 2);
  });

  test("what needs an idle lane is refused mid-turn, and while the session is busy elsewhere", async () => {
    const { guard, say, key, agent, leases, transcript } = guarded();
    await say("a", "hello");
    await until("a turn", () => agent.live().length === 1);
    const nothing = () => Promise.resolve();
    await expect(guard.whenIdle(key("a"), nothing)).rejects.toMatchObject({ code: "E_BUSY" });
    agent.live()[0]?.answer("hi");
    await until("its end", () => transcript("a").includes("assistant: hi"));
    await settle();
    const id = await guard.withTranscript(key("a"), (session) => Promise.resolve(session));
    const elsewhere = leases.tryAcquire(id);
    await expect(guard.withTranscript(key("a"), nothing)).rejects.toMatchObject({ code: "E_BUSY" });
    elsewhere?.release();
    await expect(guard.withTranscript(key("a"), nothing)).resolves.toBeUndefined();
  });
});
