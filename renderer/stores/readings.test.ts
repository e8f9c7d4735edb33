import { expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { gatewayStore } from "./gateway.ts";
import { growth, readingsStore } from "./readings.ts";
import { testTimer } from "./test-timer.ts";

async function watched() {
  const timer = testTimer(1_000_000);
  const bridge = fakeBridge({ sessions: 20, nowMs: timer.nowMs() }, timer);
  const gateway = gatewayStore(bridge, timer);
  const readings = readingsStore(gateway, timer);
  gateway.start();
  readings.start();
  await timer.pass(1);
  return { timer, bridge, gateway, points: () => readings.store.getState().points };
}

test("readings of ten seconds are one point, the busiest of them", async () => {
  const { timer, bridge, gateway, points } = await watched();
  const { status } = gateway.store.getState();
  if (status === null) throw new Error("no status");
  const busy = { ...status.counts, running: 9 };
  bridge.push("gateway.status", { ...status, counts: busy, loopDelayP99Ms: 80 });
  bridge.push("gateway.status", { ...status, loopDelayP99Ms: 4 });
  expect(points()).toHaveLength(1);
  expect(points()[0]).toMatchObject({ running: 9, loopDelayMs: 80 });
  await timer.pass(13_000);
  expect(points()).toHaveLength(2);
  expect(points()[1]).toMatchObject({ running: status.counts.running });
});

test("while the gateway is away there are gaps, not repetitions", async () => {
  const { timer, bridge, points } = await watched();
  bridge.link("lost");
  await timer.pass(30_000);
  bridge.link("up");
  await timer.pass(5_000);
  const memory = points().map((point) => point.rssBytes);
  expect(memory.at(-1)).toBe(148_000_000);
  expect(memory.slice(1, -1)).toEqual([null, null]);
});

test("half an hour is kept", async () => {
  const { timer, points } = await watched();
  await timer.pass(3_600_000);
  expect(points()).toHaveLength(180);
});

test.each([
  { points: [1, 1, 4, 9], grew: [0, 3, 5] },
  { points: [9, 2], grew: [2] },
  { points: [3, null, 5, 6], grew: [null, null, 1] },
  { points: [7], grew: [] },
  { points: [], grew: [] },
])("$points grew by $grew", ({ points, grew }) => {
  expect(growth(points)).toEqual(grew);
});
