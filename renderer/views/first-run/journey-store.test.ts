import { expect, test } from "vitest";
import { fakeBridge } from "../../bridge/fake/fake-bridge.ts";
import { testTimer } from "../../stores/test-timer.ts";
import { watching } from "../../stores/watching.ts";
import { journeyStore } from "./journey-store.ts";

function started() {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 2, nowMs: timer.nowMs() }, timer);
  const lanes = watching(bridge);
  lanes.start();
  const journeys = journeyStore({ bridge, lanes, timer, title: "Test" });
  const stop = journeys.start();
  return { timer, bridge, journeys, stop, journey: () => journeys.store.getState().journey };
}

test("a test message is watched from before it is sent until it is delivered", async () => {
  const { timer, bridge, journeys, journey } = started();
  await timer.pass(1);
  const sending = journeys.actions.send("hello there");
  await timer.pass(2_000);
  await sending;
  expect(journey()).toMatchObject({ over: true, failure: null, answer: "You said: hello there" });
  const made = bridge.calls.map(({ name }) => name);
  expect(made.indexOf("sessions.watch")).toBeLessThan(made.indexOf("sessions.send"));
  expect(made).toContain("sessions.create");
});

test("the second one goes into the same conversation", async () => {
  const { timer, bridge, journeys } = started();
  await timer.pass(1);
  for (const text of ["one", "two"]) {
    const sending = journeys.actions.send(text);
    await timer.pass(2_000);
    await sending;
  }
  expect(bridge.calls.filter(({ name }) => name === "sessions.create")).toHaveLength(1);
});

test("where it is refused, the reason is shown", async () => {
  const { timer, bridge, journeys, journey } = started();
  await timer.pass(1);
  bridge.failNext("sessions.send", "E_QUEUE_FULL");
  const sending = journeys.actions.send("hello");
  await timer.pass(100);
  await sending;
  expect(journey()).toMatchObject({ over: true, failure: { code: "E_QUEUE_FULL" } });
});

test("it stops watching with its view", async () => {
  const { timer, bridge, journeys, stop } = started();
  await timer.pass(1);
  const sending = journeys.actions.send("hello");
  await timer.pass(2_000);
  await sending;
  stop();
  await timer.pass(1);
  const watches = bridge.calls.filter(({ name }) => name === "sessions.watch");
  expect(watches.at(-1)?.input).toEqual({ keys: [] });
});
