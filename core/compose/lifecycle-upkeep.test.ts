import { expect, test } from "vitest";
import { lifecycleGateway, privateChat } from "../testing/lifecycle-gateway.ts";
import { until } from "../testing/until.ts";

const dayMs = 24 * 3600 * 1000;

test("old lanes go by the hour where the settings say so; what is said in them stays", async () => {
  const g = await lifecycleGateway();
  await g.idle((await g.say("hello")).key);
  const kept = await g.say("hello", privateChat("8"));
  await g.idle(kept.key);
  await g.call("sessions.suspend", { key: kept.key });
  g.clock.setWall(g.clock.nowMs() + 40 * dayMs);
  const lanes = async () =>
    (await g.call("sessions.list", {})).sessions.map((session) => session.key);
  g.clock.advance(3_600_000);
  expect(await lanes()).toHaveLength(2); // by default none goes (lifecycle 19)
  await g.call("config.set", { path: "session_store_max_age_days", value: 30 });
  await until("the lane is gone", async () => {
    g.clock.advance(300_000);
    return (await lanes()).length === 1;
  });
  expect(await lanes()).toEqual([kept.key]);
  const { key } = await g.say("I am back");
  await g.idle(key);
  expect((await g.said(key)).slice(0, 2)).toEqual(["hello", "You said: hello"]);
});

test("a question that nobody answered is no longer asked", async () => {
  const g = await lifecycleGateway({ asks: true });
  await g.idle((await g.say("hello")).key);
  await g.say("/new");
  await until("it expired", async () => {
    g.clock.advance(300_000);
    return (await g.call("approvals.list", {})).approvals[0]?.state === "expired";
  });
});
