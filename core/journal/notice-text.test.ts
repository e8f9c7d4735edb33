import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextKeyOf, noticeText, renderedLines, targetOfContext } from "./notice-text.ts";

test("the text, byte for byte", () => {
  expect(noticeText("agent:main:subagent:child", 12)).toBe(
    'Session "agent:main:subagent:child" changed (other actor). Reconcile before acting: session_status sessionKey "agent:main:subagent:child" changesSince 12.',
  );
});

test.each([
  ["a quote", 'a"b', String.raw`"a\"b"`],
  ["a line break", "a\nb", String.raw`"a\nb"`],
  ["a backslash alone goes in as it is", String.raw`a\b`, String.raw`"a\b"`],
])("a key with %s cannot break out", (_what, key, shown) => {
  const text = noticeText(key, 1);
  expect(text.startsWith(`Session ${shown} changed`)).toBe(true);
  expect(text).not.toContain("\n");
});

describe("context keys", () => {
  test("come back as the key they were made of, and survive lower-casing; other keys have others (19.5)", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ unit: "grapheme", minLength: 1 }),
        (a, b) => {
          const context = contextKeyOf(a);
          expect(targetOfContext(context.toLowerCase())).toBe(a);
          if (a !== b) expect(context.toLowerCase()).not.toBe(contextKeyOf(b).toLowerCase());
        },
      ),
    );
  });

  test.each([
    "",
    "session-state:",
    "session-state:6",
    "session-state:6G",
    "session-state:6A",
    "session-state:ff",
    "cron:6161",
    "6161",
  ])("%j is none", (context) => {
    expect(targetOfContext(context)).toBeNull();
  });
});

test("lines are data: one a line, with their time, whatever they hold", () => {
  const lines = renderedLines(
    [
      { text: "one", queuedAt: Date.UTC(2027, 0, 15, 8, 0, 0) },
      { text: "two\nthree", queuedAt: Date.UTC(2027, 0, 15, 8, 0, 1) },
    ],
    () => "UTC",
  );
  expect(lines.split("\n")).toEqual([
    expect.stringMatching(/^System: \[2027-01-1\d \d\d:\d\d:00 UTC\] one$/),
    expect.stringMatching(/^System: \[2027-01-1\d \d\d:\d\d:01 UTC\] two three$/),
  ]);
});
