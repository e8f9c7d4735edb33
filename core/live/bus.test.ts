import { expect, test } from "vitest";
import { laneKey } from "../testing/samples.ts";
import { createBus } from "./bus.ts";

const event = { key: laneKey("a") };

test("every listener of a name hears, in order, until it leaves", () => {
  const bus = createBus(() => undefined);
  const heard: string[] = [];
  const leave = bus.on("session.removed", ({ key }) => heard.push(`1 ${key}`));
  bus.on("session.removed", () => heard.push("2"));
  bus.on("status.changed", () => heard.push("never"));
  bus.emit("session.removed", event);
  leave();
  leave();
  bus.emit("session.removed", event);
  expect(heard).toEqual([`1 ${event.key}`, "2", "2"]);
});

test("a listener that fails is told about and keeps neither the emitter nor the others", () => {
  const failed: unknown[] = [];
  const bus = createBus((name, cause) => failed.push([name, cause]));
  const cause = new Error("no");
  let heard = 0;
  bus.on("session.removed", () => {
    throw cause;
  });
  bus.on("session.removed", () => {
    heard += 1;
  });
  bus.emit("session.removed", event);
  expect(heard).toBe(1);
  expect(failed).toEqual([["session.removed", cause]]);
});
