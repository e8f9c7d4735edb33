import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideReply, isAutonomousSilence, isSilence, mayBecomeSilence } from "./silence.ts";
import type { FinishedTurn, ReplyVerdict } from "./silence.ts";

const markers = ["[SILENT]", "SILENT", "NO_REPLY", "NO REPLY", "[静默]", "静默", "[沉默]", "沉默"];

describe("silence markers (lifecycle 12.6)", () => {
  test.each([
    ["[SILENT", false],
    ["*[SILENT]*", true],
    ["“no reply”", true],
    ["NO_REPLY .", true],
    ["NO_REPLY, since nothing changed", false],
    ["[NO_REPLY]", false],
    ["NO-REPLY", false],
    ["", false],
    [" \n", false],
    [`NO_REPLY${".".repeat(57)}`, false],
  ])("%j: %s", (text, silent) => {
    expect(isSilence(text)).toBe(silent);
  });

  test("blanks, case and punctuation at the edges change nothing", () => {
    const blank = fc.stringMatching(/^[ \t\n]{0,4}$/);
    const points = fc.stringMatching(/^[.*_!«»—]{0,8}$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...markers),
        blank,
        points,
        fc.boolean(),
        (marker, around, edge, lower) => {
          const text = `${around}${edge}${lower ? marker.toLowerCase() : marker}${edge}${around}`;
          expect(isSilence(text)).toBe(true);
          expect(mayBecomeSilence(text)).toBe(true);
          expect(isAutonomousSilence(text)).toBe(true);
        },
      ),
    );
  });

  test("every beginning of a marker is withheld while it streams; prose is not", () => {
    for (const marker of markers)
      for (let end = 1; end <= marker.length; end++)
        expect(mayBecomeSilence(marker.slice(0, end))).toBe(true);
    expect(mayBecomeSilence("Now")).toBe(false);
    expect(mayBecomeSilence("")).toBe(false);
  });

  test("what is silence is never let through by the streaming rule", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isSilence(text)) expect(mayBecomeSilence(text)).toBe(true);
      }),
    );
  });

  test.each([
    ["[SILENT]\n\nNothing new.", true],
    ["2 offers filtered\n\nNO_REPLY", true],
    ["[silent] nothing new this time", true],
    ["SILENT mode was switched on", false],
    ["The marker is [SILENT] today", false],
    ["a\nNO_REPLY\nb", false],
    ["", false],
  ])("autonomous lanes, %j: %s", (text, silent) => {
    expect(isAutonomousSilence(text)).toBe(silent);
  });
});

describe("what becomes of a reply (lifecycle 12.6)", () => {
  const machinery: FinishedTurn = {
    text: "NO_REPLY",
    succeeded: true,
    internal: true,
    expectsReply: true,
    autonomousLane: false,
  };
  test.each<[string, Partial<FinishedTurn>, ReplyVerdict]>([
    ["machinery", {}, "suppress"],
    ["nobody waits", { internal: false, expectsReply: false }, "suppress"],
    ["a person asked", { internal: false }, "silence-notice"],
    ["a failed turn", { succeeded: false }, "deliver"],
    ["an answer", { text: "Done." }, "deliver"],
    ["a marker with a note", { text: "[SILENT]\nnothing new" }, "deliver"],
    [
      "the same on an autonomous lane",
      { text: "[SILENT]\nnothing new", autonomousLane: true },
      "suppress",
    ],
  ])("%s", (_, change, verdict) => {
    expect(decideReply({ ...machinery, ...change })).toBe(verdict);
  });
});
