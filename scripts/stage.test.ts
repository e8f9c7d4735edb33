import { expect, test } from "vitest";
import { honest, readTally, sum } from "./stage.ts";

test("a stage that ended badly without a failed test counts one failure", () => {
  expect(honest({ passed: 7, failed: 0 }, false)).toEqual({ passed: 7, failed: 1 });
  expect(honest({ passed: 7, failed: 2 }, false)).toEqual({ passed: 7, failed: 2 });
  expect(honest({ passed: 7, failed: 0 }, true)).toEqual({ passed: 7, failed: 0 });
});

test("the last count of a program's output is its result", () => {
  expect(readTally("a: 1 passed, 0 failed\nall: 12 passed, 3 failed\n")).toEqual({
    passed: 12,
    failed: 3,
  });
  expect(readTally("nothing was counted")).toBeUndefined();
});

test("stages add up", () => {
  expect(
    sum([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3 },
    ]),
  ).toEqual({ passed: 3, failed: 3 });
});
