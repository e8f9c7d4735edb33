import { describe, expect, test } from "vitest";
import { absoluteTime, byteSize, coarse, middleEllipsis, shortCount, shortTime } from "./format.ts";

describe("lengths of time", () => {
  test.each([
    [-5, 0, "s"],
    [999, 0, "s"],
    [59_999, 59, "s"],
    [60_000, 1, "min"],
    [3_599_999, 59, "min"],
    [3_600_000, 1, "h"],
    [47 * 3_600_000, 47, "h"],
    [48 * 3_600_000, 2, "d"],
  ])("%d ms is %d %s", (ms, value, unit) => {
    expect(coarse(ms)).toEqual({ value, unit });
  });
});

describe("points in time", () => {
  const at = Date.UTC(2026, 7, 4, 9, 5, 7);
  test("today is a time of day, another day is named", () => {
    expect(shortTime(at, at + 60_000, "en", "utc")).toBe("09:05:07Z");
    expect(shortTime(at, at + 86_400_000, "en", "utc")).toBe("Aug 4, 09:05Z");
  });
  test("the absolute form tells UTC to the second", () => {
    expect(absoluteTime(at, "en").utc).toBe("2026-08-04 09:05:07 UTC");
  });
});

describe("numbers", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1_240, "1.2 k"],
    [41_300, "41 k"],
    [2_500_000, "2.5 M"],
  ])("%d tokens are %s", (value, text) => {
    expect(shortCount(value, "en")).toBe(text);
  });
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1 kB"],
    [5_240_000, "5.2 MB"],
    [212_400_000, "212 MB"],
    [999_600, "1 MB"],
  ])("%d bytes are %s", (value, text) => {
    expect(byteSize(value, "en")).toBe(text);
  });
});

describe("ids", () => {
  test("a long one keeps its head and its last six", () => {
    expect(middleEllipsis("agent:main:telegram:dm:123456", 12)).toEqual({
      head: "agent:main:t",
      tail: "123456",
    });
  });
  test("one that would not get shorter stays whole", () => {
    expect(middleEllipsis("agent:main:x:123456", 12)).toEqual({
      head: "agent:main:x:123456",
      tail: null,
    });
  });
});
