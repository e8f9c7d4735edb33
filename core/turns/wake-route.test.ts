import { expect, test } from "vitest";
import { asSessionId } from "../contract/ids.ts";
import { decideWake } from "./wake-route.ts";

const s = asSessionId("s");
const child = asSessionId("child");

test.each([
  ["live, and the lane is in it", { endReason: null }, s, s, "run"],
  ["compressed, and the lane followed", { endReason: "compression" }, child, child, "run"],
  ["compressed, and the lane will follow", { endReason: "compression" }, child, child, "run"],
  ["gone", null, s, s, "its session is gone"],
  ["reset", { endReason: "session_reset" }, s, s, "its session ended (session_reset)"],
  ["left for another", { endReason: "session_switch" }, s, s, "its session ended (session_switch)"],
  ["suspended and replaced", { endReason: "suspended" }, s, s, "its session ended (suspended)"],
  ["closed by accident", { endReason: "agent_close" }, s, s, "its session ended (agent_close)"],
  ["about to start fresh", { endReason: null }, s, null, "the lane is about to start fresh"],
  [
    "live, but the lane is elsewhere",
    { endReason: null },
    s,
    child,
    "the lane is in another session",
  ],
] as const)("%s", (_name, pinned, pinnedTip, next, fate) => {
  const decided = decideWake({ pinned, pinnedTip, next });
  expect(decided.kind === "run" ? "run" : decided.because).toBe(fate);
});
