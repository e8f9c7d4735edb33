import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contrast, laidOver, parseHex, themeTokens, type Rgb } from "./contrast.ts";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

/** The table of ux.md 6: the lowest ratio of each text colour on the three grounds. */
const promised = {
  light: {
    text: 15.0,
    "text-2": 6.8,
    "text-3": 4.8,
    edge: 3.2,
    "state-stuck": 6.1,
    "state-failed": 5.6,
    "state-waiting": 5.5,
    "state-suspended": 5.8,
    "state-running": 5.0,
    "state-queued": 5.2,
    "state-resume-pending": 5.2,
    "state-idle": 5.5,
    "state-ok": 5.3,
  },
  dark: {
    text: 12.1,
    "text-2": 7.5,
    "text-3": 5.3,
    edge: 3.5,
    "state-stuck": 7.0,
    "state-failed": 6.6,
    "state-waiting": 7.9,
    "state-suspended": 8.4,
    "state-running": 6.6,
    "state-queued": 6.7,
    "state-resume-pending": 7.5,
    "state-idle": 6.3,
    "state-ok": 7.7,
  },
};

test("the formula is WCAG's", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21);
  expect(contrast(parseHex("#767676"), [255, 255, 255])).toBeCloseTo(4.54, 2);
});

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const tokens = themeTokens(css, theme);
  const colour = (name: string): Rgb => parseHex(tokens.get(name) ?? "");
  const grounds = ["ground-0", "ground-1", "ground-2"].map(colour);
  const worst = (name: string) =>
    Math.min(...grounds.map((ground) => contrast(colour(name), ground)));

  test.each(Object.entries(promised[theme]))("%s keeps its ratio of %d", (name, ratio) => {
    expect(worst(name)).toBeGreaterThanOrEqual(ratio - 0.06); // the table is rounded to one digit
    expect(worst(name)).toBeGreaterThanOrEqual(name === "edge" ? 3 : 4.5);
  });

  test("every state colour is in the table", () => {
    const states = [...tokens.keys()].filter((name) => name.startsWith("state-"));
    expect(states.toSorted()).toEqual(
      Object.keys(promised[theme])
        .filter((name) => name.startsWith("state-"))
        .toSorted(),
    );
  });

  test("chips can be read on their tint", () => {
    const share = Number.parseFloat(tokens.get("tint") ?? "") / 100;
    const states = [...tokens.keys()].filter((name) => name.startsWith("state-"));
    const lowest = (ground: string) =>
      Math.min(
        ...states.map((name) =>
          contrast(colour(name), laidOver(colour(name), colour(ground), share)),
        ),
      );
    expect(lowest("ground-0")).toBeGreaterThanOrEqual(theme === "light" ? 4.97 : 5.88);
    expect(lowest("ground-1")).toBeGreaterThanOrEqual(4.5);
  });

  test("a danger button can be read", () => {
    const ratio = contrast(colour("ground-0"), colour("state-failed"));
    expect(ratio).toBeGreaterThanOrEqual(theme === "light" ? 6.5 : 8.1);
  });
});
