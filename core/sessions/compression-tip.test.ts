import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId } from "../contract/ids.ts";
import type { SessionId } from "../contract/ids.ts";
import { testStores } from "../testing/test-database.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { chooseContinuation, compressionTip, markerOf, maxHops } from "./compression-tip.ts";
import type { Continuation } from "./compression-tip.ts";

const child = (id: string, part: Partial<Continuation> = {}): Continuation => ({
  id: asSessionId(id),
  endReason: null,
  isLive: true,
  modelConfig: null,
  source: "telegram",
  lastMessageId: 1,
  ...part,
});

describe("which child continues a compression (lifecycle 14.3)", () => {
  test.each<[string, Continuation[], string | null]>([
    ["none", [], null],
    ["the only one", [child("a")], "a"],
    ["no branch", [child("a", { modelConfig: '{"_branched_from":"p"}' })], null],
    ["no reset", [child("a", { modelConfig: '{"_reset_from":"p"}' })], null],
    ["no delegate", [child("a", { modelConfig: '{"_delegate_from":"p"}' })], null],
    ["no tool's session", [child("a", { source: "tool" })], null],
    [
      "along the chain before a live one",
      [child("a", { lastMessageId: 9 }), child("b", { endReason: "compression", isLive: false })],
      "b",
    ],
    [
      "a live one before an ended one",
      [child("a", { isLive: false, endReason: "session_reset", lastMessageId: 9 }), child("b")],
      "b",
    ],
    ["the last written", [child("a"), child("b", { lastMessageId: 2 })], "b"],
    [
      "settings beside the marker do not count",
      [child("a", { modelConfig: '{"model":"m"}' })],
      "a",
    ],
    ["what is no JSON is no marker", [child("a", { modelConfig: "{broken" })], "a"],
  ])("%s", (_name, children, id) => {
    expect(chooseContinuation(children)).toBe(id);
    expect(chooseContinuation(children.toReversed())).toBe(id);
  });

  test("markers are own names, not inherited ones", () => {
    expect([markerOf("{}"), markerOf("[]"), markerOf("null"), markerOf('"_reset_from"')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("the tip", () => {
  test("whatever the links, it ends, within the hops, at a link of the chain", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(150), { minLength: 151, maxLength: 151 }), (links) => {
        const step = (id: SessionId): SessionId | null => {
          const to = links[Number(id)];
          return to === undefined || to === Number(id) ? null : asSessionId(String(to));
        };
        let hops = 0;
        const tip = compressionTip(asSessionId("0"), (id) => {
          hops += 1;
          return step(id);
        });
        expect(hops).toBeLessThanOrEqual(maxHops);
        expect(Number(tip)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("a reset child without its mark does not pass for a continuation once its parent is open again", () => {
    const { db, directory } = testStores();
    const { key } = laneOrigin();
    const origin = laneOrigin(dmSource());
    db.writeNow(() => {
      const first = directory.open(origin, true, 1).row.sessionId;
      directory.messages.append({ sessionId: first, role: "user", content: "hello", timestamp: 1 });
      const second = directory.reset(key, "test", null, 2)?.row.sessionId as SessionId;
      // As an older build left it: a parent, and nothing that says why.
      db.sql.prepare(`UPDATE sessions SET model_config = NULL WHERE id = ?`).run(second);
      directory.switchTo(key, first, "test", 3);
      directory.incarnations.end(first, "compression", 4);
      expect(directory.lineage.tip(first)).toBe(first);
    });
  });
});
