import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dmSource, inbound } from "../testing/samples.ts";
import { joinedEvent, joinsBurst } from "./burst.ts";
import { decodeInbound, encodeInbound } from "./inbound-json.ts";

const limits = { gapMs: 350, capMs: 1_000 };
const at = 1_000_000;
const slot = {
  kind: "message",
  senderRef: "ada",
  channelId: "test",
  acceptedAt: at,
  firstPieceAt: null,
  lastPieceAt: null,
} as const;
const piece = { kind: "message", senderRef: "ada", channelId: "test" } as const;

describe("pieces of one thought (lifecycle 12.4)", () => {
  test.each<[what: string, slot: object, piece: object, nowMs: number, joins: boolean]>([
    ["at once", {}, {}, at, true],
    ["at the end of the pause", {}, {}, at + 350, true],
    ["after it", {}, {}, at + 351, false],
    [
      "counted from the last piece",
      { firstPieceAt: at, lastPieceAt: at + 300 },
      {},
      at + 600,
      true,
    ],
    ["at most so long in all", { firstPieceAt: at, lastPieceAt: at + 900 }, {}, at + 1_000, true],
    ["no longer", { firstPieceAt: at, lastPieceAt: at + 900 }, {}, at + 1_001, false],
    ["somebody else's", {}, { senderRef: "bob" }, at, false],
    ["by another way", {}, { channelId: "other" }, at, false],
    ["into what `/queue` made", { kind: "queue" }, {}, at, false],
    ["what `/queue` made", {}, { kind: "queue" }, at, false],
    ["into a wake of our own", { kind: "internal" }, {}, at, false],
    ["a wake of our own", {}, { kind: "internal" }, at, false],
    ["by a clock that was set back", {}, {}, at - 1, false],
  ])("%s: %#", (_what, before, next, nowMs, joins) => {
    expect(joinsBurst({ ...slot, ...before }, { ...piece, ...next }, nowMs, limits)).toBe(joins);
  });

  test("joined with a line's end; who, where and which message stay the first's", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (first, second) => {
        const message = inbound(first, { source: dmSource("9"), expectsReply: false });
        const joined = decodeInbound(joinedEvent(encodeInbound(message), second));
        expect(joined).toEqual({ ...message, text: `${first}\n${second}` });
      }),
    );
  });
});
