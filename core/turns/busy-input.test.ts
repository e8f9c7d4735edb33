import { expect, test } from "vitest";
import { busyModeOf } from "./busy-input.ts";

const none = { lane: null, legacyText: null, platform: null, display: "interrupt" } as const;

test.each([
  [none, "interrupt"],
  [{ ...none, display: "steer" }, "steer"],
  [{ ...none, platform: "queue", display: "steer" }, "queue"],
  [{ ...none, legacyText: "interrupt", platform: "queue" }, "interrupt"],
  [{ ...none, lane: "steer", legacyText: "interrupt", platform: "queue" }, "steer"],
] as const)("the nearest setting counts: %o → %s", (settings, mode) => {
  expect(busyModeOf(settings)).toBe(mode);
});
