import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bareAnswer } from "./bare-answer.ts";

test.each([
  ["yes", "once"],
  [" Yes! ", "once"],
  ["OK.", "once"],
  ["always", "always"],
  ["NO", "deny"],
  ["cancel", "deny"],
  ["yes please", null],
  ["yes?", null],
  ["", null],
  ["constructor", null],
  ["/approve", null],
] as const)("“%s” → %s", (text, answer) => {
  expect(bareAnswer(text)).toBe(answer);
});

test("nothing longer than a word is an answer", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (a, b) => {
      expect(bareAnswer(`${a} word ${b} word`)).toBeNull();
    }),
  );
});
