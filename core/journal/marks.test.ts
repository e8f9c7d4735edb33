import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  acknowledged,
  afterMaterial,
  isPending,
  replayed,
  seededAt,
  settledThrough,
} from "./marks.ts";
import type { Marks } from "./marks.ts";

const marks = (lastSeen: number, notified: number, material: number): Marks => ({
  lastSeen,
  notified,
  material,
});

describe("the life of a notice (state-awareness 6.3)", () => {
  test.each([
    ["no cursor", undefined, 7, marks(0, 7, 7)],
    ["quiet", marks(3, 3, 3), 7, marks(3, 7, 7)],
    ["pending, exact", marks(3, 5, 5), 7, marks(3, 5, 7)],
    ["pending, more came", marks(3, 5, 6), 7, marks(3, 5, 7)],
  ])("a material event when %s", (_state, before, sequence, after) => {
    expect(afterMaterial(before, sequence)).toEqual(after);
  });

  test.each([
    ["pending, exact: quiet at the frozen mark", marks(1, 2, 2), marks(2, 2, 2), null],
    [
      "pending, more came: one follow-up from the frozen mark",
      marks(1, 2, 21),
      marks(2, 21, 21),
      2,
    ],
    ["quiet: nothing", marks(4, 4, 4), marks(4, 4, 4), null],
  ])("a drain when %s", (_state, before, after, reopenFrom) => {
    expect(acknowledged(before)).toEqual({ marks: after, reopenFrom });
  });

  test.each([
    ["all of it", marks(1, 2, 21), 21, marks(21, 21, 21), "close"],
    ["log-only events behind it too", marks(1, 2, 21), 30, marks(30, 30, 30), "close"],
    ["a part", marks(1, 2, 21), 9, marks(9, 21, 21), "reword"],
    ["nothing new", marks(5, 5, 5), 5, marks(5, 5, 5), "keep"],
  ])("a watcher that read %s", (_what, before, through, after, notice) => {
    expect(settledThrough(before, through)).toEqual({ marks: after, notice });
  });
});

/** Any way in which the marks of a pair can move. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("material" as const), by: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("drain" as const) }),
  fc.record({ kind: fc.constant("restart" as const) }),
  fc.record({ kind: fc.constant("settle" as const), at: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ kind: fc.constant("seed" as const) }),
);

test("0 <= last seen <= notified <= material, and nothing is pending that was not notified (I3)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now: Marks = seededAt(0);
      let head = 0;
      for (const one of steps) {
        if (one.kind === "material") now = afterMaterial(now, (head += one.by));
        else if (one.kind === "drain") now = acknowledged(now).marks;
        else if (one.kind === "restart") now = replayed(now);
        else if (one.kind === "settle") now = settledThrough(now, Math.min(one.at, head)).marks;
        else now = seededAt(head);
        expect(now.lastSeen).toBeGreaterThanOrEqual(0);
        expect(now.notified).toBeGreaterThanOrEqual(now.lastSeen);
        expect(now.material).toBeGreaterThanOrEqual(now.notified);
        if (now.notified === now.lastSeen) expect(isPending(now)).toBe(false);
      }
      // Two drains settle whatever came.
      expect(isPending(acknowledged(acknowledged(now).marks).marks)).toBe(false);
    }),
  );
});
