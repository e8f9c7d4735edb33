import { expect, test } from "vitest";
import { fakeBridge } from "../../bridge/fake/fake-bridge.ts";
import { testTimer } from "../../stores/test-timer.ts";
import { simulatorStore, sourceOf, type Post } from "./simulator-store.ts";

const post: Post = {
  platform: "telegram",
  chatType: "group",
  chatId: " -1001 ",
  threadId: "",
  userId: "anna",
  userName: " ",
  text: "hi",
};

test("what is left empty is absent, never an empty text", () => {
  expect(sourceOf(post)).toMatchObject({
    platform: "telegram",
    chat_id: "-1001",
    chat_type: "group",
    user_id: "anna",
    user_name: null,
    thread_id: null,
  });
});

test("the key and the refusals are remembered, newest first", async () => {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 1, nowMs: timer.nowMs() }, timer);
  const simulator = simulatorStore(bridge, timer.nowMs);
  await simulator.actions.post(post);
  bridge.failNext("channels.simulate", "E_QUEUE_FULL");
  await simulator.actions.post(post);
  const { landings, posting } = simulator.store.getState();
  expect(posting).toBe(false);
  expect(landings.map(({ outcome }) => outcome.kind)).toEqual(["refused", "accepted"]);
  expect(landings[1]?.outcome).toMatchObject({ key: "agent:main:telegram:group:-1001" });
});
