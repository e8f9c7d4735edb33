import { expect, test } from "vitest";
import { caseRunner } from "./vector-run.ts";

const run = caseRunner((input) => {
  if (input["fail"] === true) throw new Error("no");
  return { b: [1, 2], a: input["a"] ?? null };
});

test("members in any order, lists in theirs, and a case that throws fails alone", async () => {
  const outcomes = await run([
    { id: "same", input: { a: 1 }, expected: { a: 1, b: [1, 2] } },
    { id: "list", input: { a: 1 }, expected: { a: 1, b: [2, 1] } },
    { id: "throws", input: { fail: true }, expected: null },
    { id: "empty" },
  ]);
  expect(outcomes.map(({ id, difference }) => [id, difference === null])).toEqual([
    ["same", true],
    ["list", false],
    ["throws", false],
    ["empty", false],
  ]);
});

test("a file that is no list of cases is refused", () => {
  expect(() => run({})).toThrow("not a list");
});
