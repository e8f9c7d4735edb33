import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { ageMs, readMachine } from "./machine.ts";

const atMs = Date.UTC(2026, 10, 5, 12);
const then = { machineBoot: "run", uptimeMs: 1_000, atMs };
const dayMs = 86_400_000;

describe("how long ago something was (lifecycle 20.4)", () => {
  test("within one run of the machine no set clock counts", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: -1e12, max: 1e12 }), (passedMs, steppedMs) => {
        const now = {
          bootId: "run",
          uptimeMs: 1_000 + passedMs,
          nowMs: atMs + passedMs + steppedMs,
        };
        expect(ageMs(then, now)).toBe(passedMs);
      }),
    );
  });

  test.each([
    ["another run of the machine", { bootId: "next", uptimeMs: 5_000 }],
    ["a system that names no run", { bootId: null, uptimeMs: 5_000 }],
    ["an uptime that went back", { bootId: "run", uptimeMs: 999 }],
  ])("%s: by the wall clock, never negative", (_what, machine) => {
    expect(ageMs(then, { ...machine, nowMs: atMs + dayMs })).toBe(dayMs);
    expect(ageMs(then, { ...machine, nowMs: atMs - dayMs })).toBe(0);
  });

  test("a record without a run: by the wall clock", () => {
    const now = { bootId: "run", uptimeMs: 2_000, nowMs: atMs + 7 };
    expect(ageMs({ ...then, machineBoot: null }, now)).toBe(7);
    expect(ageMs({ ...then, uptimeMs: null }, now)).toBe(7);
  });

  test("the time zone is no part of it", () => {
    const zone = process.env["TZ"];
    const now = { bootId: null, uptimeMs: 0, nowMs: atMs + 5_000 };
    try {
      const ages = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"].map((name) => {
        process.env["TZ"] = name;
        return ageMs(then, now);
      });
      expect(new Set(ages)).toEqual(new Set([5_000]));
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  test("the machine is read without an error, and the same run twice", () => {
    const [first, second] = [readMachine(), readMachine()];
    expect(second.bootId).toBe(first.bootId);
    expect(second.uptimeMs).toBeGreaterThanOrEqual(first.uptimeMs);
  });

  test("a clock by hand: setting the wall moves no age, a reboot of the machine falls back to it", () => {
    const clock = manualClock();
    const start = { machineBoot: clock.machine().bootId, ...clock.machine(), atMs: clock.nowMs() };
    const age = (): number => ageMs(start, { ...clock.machine(), nowMs: clock.nowMs() });
    clock.advance(5_000);
    clock.setWall(clock.nowMs() + dayMs);
    expect(age()).toBe(5_000);
    clock.reboot();
    expect(age()).toBe(dayMs + 5_000);
  });
});
