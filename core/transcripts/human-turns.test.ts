import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planCompaction } from "./compaction-plan.ts";
import { humanTurns, lastHumanMessage, rewindTarget } from "./human-turns.ts";
import type { TurnRow } from "./human-turns.ts";

/** `u` a person, `i` machinery, `a` an answer, `t` a tool, `b` a bar, `s` a summary; the digit is the turn. */
function rows(text: string): TurnRow[] {
  const roles: Record<string, string> = {
    u: "user",
    i: "user",
    a: "assistant",
    t: "tool",
    b: "boundary",
    s: "system",
  };
  return text.split(" ").flatMap((word, index) => {
    const [kind = "", turn = ""] = word;
    return kind === ""
      ? []
      : {
          id: index + 1,
          role: roles[kind] ?? "",
          text: word,
          turnId: turn === "" ? null : turn,
          displayKind: kind === "i" ? "internal" : kind === "s" ? "summary" : null,
        };
  });
}

describe("turns of people (lifecycle 3.8)", () => {
  test.each([
    ["", []],
    ["u1 a1 u2 a2", ["1 u1", "3 u2"]],
    ["u1 u2 a2", ["1 u1\n\nu2"]], // nothing answered in between: one turn, as the model is shown it
    ["u1 b u2 a2", ["1 u1\n\nu2"]],
    ["u1 a1 i2 a2 u3 a3", ["1 u1", "5 u3"]],
    ["i1 u2 a2", ["2 u2"]],
    ["u1 t1 u1 a1 u2 a2", ["1 u1\n\nu1", "5 u2"]], // text that went into a running turn
    ["s u1 a1", ["2 u1"]],
    ["s", []],
    ["u a u a", ["1 u", "3 u"]], // imported rows know no turns
  ])("%s", (text, turns) => {
    expect(humanTurns(rows(text)).map((turn) => `${turn.firstId} ${turn.text}`)).toEqual(turns);
  });

  test.each([
    ["u1 a1 u2 a2", 1, 3, 1],
    ["u1 a1 u2 a2", 2, 1, 2],
    ["u1 a1 u2 a2", 99, 1, 2],
    ["u1 a1 u2 a2", 0, 3, 1],
    ["u1 a1 u2 a2", -5, 3, 1],
    ["u1 a1 i2 a2", 1, 1, 1],
  ])("%s, back %i", (text, count, firstId, turns) => {
    expect(rewindTarget(rows(text), count)).toMatchObject({ firstId, turns });
  });

  test.each([
    ["u1 a1 u2 a2", "u2"],
    ["u1 u2 a2", "u2"],
    ["u1 a1 u2 t2 u2 a2", "u2\n\nu2"],
    ["u1 a1 i2 a2", "u1"],
    ["i1 a1 s", null],
  ])("what is tried again in %s", (text, said) => {
    expect(lastHumanMessage(rows(text))?.text ?? null).toBe(said);
  });
});

describe("what a compression takes away (lifecycle 14)", () => {
  test.each([
    ["u1 a1", 0, "too_short"],
    ["u1 a1 b b b", 0, "too_short"],
    ["u1 a1 u2 a2", 0, "1-4 keeps nothing"],
    ["u1 a1 u2 a2", 1, "1-2 keeps 3"],
    ["u1 a1 u2 a2", 2, "nothing_older"],
    ["u1 a1 u2 a2", 9, "nothing_older"],
    ["s u1 a1 u2 a2", 2, "nothing_older"], // a summary alone cannot be summarised further
    ["s u1 a1 u2 a2", 1, "1-3 keeps 4"],
    ["i1 a1 i2 a2", 2, "1-4 keeps nothing"], // nobody to keep exchanges with
    ["u1 t1 u1 a1 u2 a2", 1, "1-4 keeps 5"],
  ])("%s, keeping %i: %s", (text, keep, expected) => {
    const plan = planCompaction(rows(text), keep);
    const said =
      plan.kind === "compact"
        ? `${plan.archive[0]?.id}-${plan.archive.at(-1)?.id} keeps ${plan.keepFrom ?? "nothing"}`
        : plan.kind;
    expect(said).toBe(expected);
  });

  test("archive and rest together are the whole, and the rest begins with a person", () => {
    const word = fc
      .tuple(fc.constantFrom("u", "i", "a", "t", "b"), fc.nat(5))
      .map(([k, n]) => `${k}${n}`);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.nat(4), (words, keep) => {
        const all = rows(words.join(" "));
        const plan = planCompaction(all, keep);
        if (plan.kind !== "compact") return;
        const rest = all.slice(plan.archive.length);
        expect([...plan.archive, ...rest]).toEqual(all);
        expect(rest.length === 0 ? null : rest[0]?.id).toBe(plan.keepFrom);
        if (rest[0]) expect([rest[0].role, rest[0].displayKind]).toEqual(["user", null]);
        expect(humanTurns(rest).length).toBeLessThanOrEqual(Math.max(keep, 0));
      }),
    );
  });
});
