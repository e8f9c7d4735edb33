import { expect, test } from "vitest";
import { fakeBridge } from "../../bridge/fake/fake-bridge.ts";
import { countsOf } from "../../bridge/fake/fake-world.ts";
import { gatewayStore } from "../../stores/gateway.ts";
import { testTimer } from "../../stores/test-timer.ts";
import { overviewStore } from "./overview-store.ts";

async function opened(answerMs = 0) {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 7, nowMs: timer.nowMs() }, { ...timer, answerMs });
  const gateway = gatewayStore(bridge, timer);
  gateway.start();
  const overview = overviewStore(bridge, gateway);
  const stop = overview.start();
  await timer.pass(answerMs + 1);
  return { timer, bridge, overview, stop, needy: () => overview.sessions.getState().value };
}

test("a session that no longer needs anybody leaves, one that does comes", async () => {
  const { bridge, needy } = await opened();
  const states = () =>
    needy()
      ?.rows.map((row) => row.state)
      .toSorted();
  expect(states()).toEqual(["failed", "stuck", "waiting"]);
  const rows = [...bridge.world.rows.values()];
  const failed = rows.find((row) => row.state === "failed");
  const idle = rows.find((row) => row.state === "queued");
  if (failed === undefined || idle === undefined) throw new Error("the seed has both");
  const upserts = [
    { ...failed, state: "running" as const },
    { ...idle, state: "waiting" as const },
  ];
  for (const row of upserts) bridge.world.rows.set(row.key, row);
  bridge.push("sessions.delta", { upserts, removed: [], counts: countsOf(bridge.world) });
  expect(states()).toEqual(["stuck", "waiting", "waiting"]);
  expect(needy()?.total).toBe(3);
});

test("a change while the list is on its way is not lost to the older answer", async () => {
  const { timer, bridge, needy } = await opened(20);
  bridge.link("lost");
  bridge.link("up"); // a gap: asks again
  const failed = [...bridge.world.rows.values()].find((row) => row.state === "failed");
  if (failed === undefined) throw new Error("the seed has one");
  const mended = { ...failed, state: "idle" as const };
  bridge.world.rows.set(mended.key, mended);
  bridge.push("sessions.delta", {
    upserts: [mended],
    removed: [],
    counts: countsOf(bridge.world),
  });
  await timer.pass(50);
  expect(needy()?.rows.some((row) => row.key === mended.key)).toBe(false);
});

test("unknown deliveries are asked for when their number changes", async () => {
  const { timer, bridge, overview } = await opened();
  expect(overview.deliveries.getState().value).toHaveLength(1);
  bridge.world.deliveries = [];
  await timer.pass(5_000);
  expect(overview.deliveries.getState().value).toHaveLength(0);
});
