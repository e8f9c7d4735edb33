import { expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { agentsStore, EVERY_AGENT } from "./agents.ts";
import { testTimer } from "./test-timer.ts";

test("a probe marks the agent until it is answered, also when it fails", async () => {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 1, nowMs: timer.nowMs() }, { ...timer, answerMs: 50 });
  const agents = agentsStore(bridge);
  agents.start();
  await timer.pass(100);
  const probing = () => [...agents.probing.getState().ids];
  const one = agents.actions.probe("ollama");
  const all = agents.actions.probe(null);
  expect(probing()).toEqual(["ollama", EVERY_AGENT]);
  await timer.pass(60);
  await Promise.all([one, all]);
  expect(probing()).toEqual([]);
  bridge.failNext("agents.probe", "E_STORE_BUSY");
  const failed = agents.actions.probe("ollama");
  await timer.pass(60);
  expect((await failed).ok).toBe(false);
  expect(probing()).toEqual([]);
});

test("a new default is on screen with its answer", async () => {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 1, nowMs: timer.nowMs() }, timer);
  const agents = agentsStore(bridge);
  agents.start();
  await timer.pass(1);
  await agents.actions.setDefault("practice");
  const chosen = agents.store.getState().value?.filter((row) => row.isDefault);
  expect(chosen?.map((row) => row.id)).toEqual(["practice"]);
});
