import { expect, test } from "vitest";
import { nextTitle } from "./next-title.ts";

test.each([
  ["Plan", [], "Plan (2)"],
  ["Plan (2)", [], "Plan (3)"],
  ["Plan", ["Plan (2)", "Plan (3)"], "Plan (4)"],
  ["(2)", [], "(2) (2)"],
  ["Two\nlines", [], "Two\nlines (2)"],
])("%s, taken: %o → %s", (title, taken, next) => {
  expect(nextTitle(title, (name) => taken.includes(name))).toBe(next);
});

test("it gives up where every name is taken", () => {
  expect(nextTitle("Plan", () => true)).toBeNull();
});
