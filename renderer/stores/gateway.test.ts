import { expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { gatewayStore } from "./gateway.ts";
import { testTimer } from "./test-timer.ts";

async function started() {
  const timer = testTimer();
  const world = { ...timer, nowMs: () => timer.nowMs() + 5_000 }; // the gateway's clock is ahead
  const bridge = fakeBridge({ sessions: 3, nowMs: timer.nowMs() }, world);
  const gateway = gatewayStore(bridge, timer);
  gateway.start();
  await timer.pass(10);
  return { timer, bridge, gateway };
}

test("times count from the gateway's clock", async () => {
  const { timer, gateway } = await started();
  expect(gateway.nowMs() - timer.nowMs()).toBe(5_000);
});

test("it asks by itself, so that silence is noticed", async () => {
  const { timer, bridge, gateway } = await started();
  const before = bridge.calls.length;
  await timer.pass(20_000);
  expect(bridge.calls.length).toBeGreaterThan(before);
  expect(gateway.store.getState().stale).toBe(false);
});

test("ten silent seconds make it stale; a word makes it fresh", async () => {
  const { timer, bridge, gateway } = await started();
  const call = bridge.call.bind(bridge);
  bridge.call = () => new Promise(() => {}); // answers nothing more
  await timer.pass(9_000);
  expect(gateway.store.getState().stale).toBe(false);
  await timer.pass(3_000);
  expect(gateway.store.getState().stale).toBe(true);
  bridge.call = call;
  const status = gateway.store.getState().status!;
  bridge.push("gateway.status", status);
  expect(gateway.store.getState().stale).toBe(false);
});

test("a lost link is stale at once, and fresh once the gateway was asked again", async () => {
  const { timer, bridge, gateway } = await started();
  bridge.link("lost");
  expect(gateway.store.getState()).toMatchObject({ link: "lost", stale: true });
  bridge.link("up");
  await timer.pass(10);
  expect(gateway.store.getState()).toMatchObject({ link: "up", stale: false });
});
