import { describe, expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { isSafeMode, settingAt, settingsStore } from "./settings.ts";
import { testTimer } from "./test-timer.ts";

async function opened() {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 3, nowMs: timer.nowMs() }, timer);
  const settings = settingsStore(bridge);
  settings.start();
  await timer.pass(1);
  return { timer, bridge, settings };
}

describe("the settings", () => {
  test("a change is shown as the gateway holds it, and null goes back to the default", async () => {
    const { settings } = await opened();
    await settings.actions.set("gateway.delivery_unknown", "ask");
    const read = () => settings.store.getState().value;
    expect(settingAt(read()?.value, "gateway.delivery_unknown")).toBe("ask");
    expect(settingAt(read()?.defaults, "gateway.delivery_unknown")).toBe("redeliver");
    await settings.actions.set("gateway.delivery_unknown", null);
    expect(settingAt(read()?.value, "gateway.delivery_unknown")).toBe("redeliver");
  });

  test("a refusal stands at its field until the next try", async () => {
    const { settings } = await opened();
    await settings.actions.set("max_concurrent_sessions", 0);
    expect([...settings.saving.getState().failures.keys()]).toEqual(["max_concurrent_sessions"]);
    expect(settings.saving.getState().busy.size).toBe(0);
    await settings.actions.set("max_concurrent_sessions", 2);
    expect(settings.saving.getState().failures.size).toBe(0);
    expect(settingAt(settings.store.getState().value?.value, "max_concurrent_sessions")).toBe(2);
  });

  test("a change made elsewhere is read again", async () => {
    const { timer, bridge, settings } = await opened();
    bridge.world.config = { ...bridge.world.config, log: { level: "debug" } };
    bridge.push("config.changed", { path: "" });
    await timer.pass(1);
    expect(settingAt(settings.store.getState().value?.value, "log.level")).toBe("debug");
  });
});

test.each([
  { of: { a: { b: 1 } }, path: "a.b", found: 1 },
  { of: { a: null }, path: "a.b", found: undefined },
  { of: { a: { b: null } }, path: "a.b", found: null },
  { of: "text", path: "length", found: undefined },
  { of: {}, path: "toString", found: undefined },
])("$path of $of is $found", ({ of, path, found }) => {
  expect(settingAt(of, path)).toBe(found);
});

test("safe mode is told by its code alone", () => {
  const problem = { message: "", where: null, remedy: null };
  expect(isSafeMode({ problems: [{ ...problem, code: "config.safe_mode" }] })).toBe(true);
  expect(isSafeMode({ problems: [{ ...problem, code: "config.unknown_key" }] })).toBe(false);
});
