import { expect, test } from "vitest";
import { ranked, score } from "./palette-search.ts";

const names = (text: string, ...all: string[]) =>
  ranked(
    text,
    all.map((name) => ({ name })),
  ).map(({ name }) => name);

test("nothing typed keeps everything, in order", () => {
  expect(names("", "b", "a")).toEqual(["b", "a"]);
});

test("a beginning beats a word inside, which beats scattered letters", () => {
  expect(names("set", "Reset Anna…", "My settings", "Settings", "s-e-t")).toEqual([
    "Settings",
    "My settings",
    "Reset Anna…",
    "s-e-t",
  ]);
});

test("words may come in any order and shortened", () => {
  expect(score("ann susp", { name: "Suspend Anna Petrova" })).toBeGreaterThan(0);
  expect(score("ann xyz", { name: "Suspend Anna Petrova" })).toBe(0);
});

test("^ wants the start of the name", () => {
  expect(names("^re", "Reset Anna", "Agents are", "Resume")).toEqual(["Resume", "Reset Anna"]);
});

test("letters far apart are no match", () => {
  expect(score("aov", { name: "A very long overview" })).toBe(0);
});

test("other words for a thing count less than its name", () => {
  const dark = { name: "Theme", words: "dark light" };
  expect(score("dark", dark)).toBeGreaterThan(0);
  expect(score("dark", dark)).toBeLessThan(score("the", dark));
});
