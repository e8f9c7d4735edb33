import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionRow } from "../../core/contract/domain.ts";
import { asSessionKey } from "../../core/contract/ids.ts";
import { fakeSession } from "../bridge/fake/fake-seed.ts";
import {
  emptyView,
  foldDelta,
  indexOfKey,
  keyAt,
  withPages,
  type SessionsView,
} from "./sessions-view.ts";

const nowMs = 1_000_000_000;
const counts = { all: 3, needsMe: 0, running: 0, suspended: 0 };
const row = (name: string, updatedAtMs: number, more: Partial<SessionRow> = {}): SessionRow => ({
  ...fakeSession(20, { sessions: 1, nowMs }),
  key: asSessionKey(name),
  title: name,
  state: "idle",
  updatedAtMs,
  ...more,
});
const listed = (...rows: SessionRow[]): SessionsView =>
  withPages(
    emptyView({ filter: "", sort: "-updated" }),
    [{ page: 0, sessions: rows }],
    { total: rows.length, counts },
    new Map(),
    true,
  );
const three = () => listed(row("a", 300), row("b", 200), row("c", 100));
const fold = (view: SessionsView, upserts: SessionRow[], removed: string[] = []) =>
  foldDelta(view, { upserts, removed: removed.map(asSessionKey), counts }, [], nowMs);
const order = (view: SessionsView) => [0, 1, 2, 3].map((index) => keyAt(view, index));

describe("folding a push into the list", () => {
  test("values change in place, places do not", () => {
    const view = fold(three(), [row("c", 400, { queueDepth: 7 })]);
    expect(order(view)).toEqual(["a", "b", "c", undefined]);
    expect(view.rows.get(asSessionKey("c"))?.queueDepth).toBe(7);
    expect([...view.moved]).toEqual(["c"]);
  });

  test("a change that keeps the place waits for nobody", () => {
    const view = fold(three(), [row("a", 900), row("b", 250), row("c", 100, { title: "z" })]);
    expect(view.moved.size).toBe(0);
    expect(view.rows.get(asSessionKey("a"))?.updatedAtMs).toBe(900);
  });

  test("a new lane, a lane that goes and one that no longer matches wait", () => {
    expect([...fold(three(), [row("d", 500)]).moved]).toEqual(["d"]);
    expect([...fold(three(), [], ["b", "unknown"]).moved]).toEqual(["b"]);
    const terms = [{ kind: "state" as const, states: ["idle" as const], not: false }];
    const delta = { upserts: [row("b", 200, { state: "failed" })], removed: [], counts };
    expect([...foldDelta(three(), delta, terms, nowMs).moved]).toEqual(["b"]);
    const other = { upserts: [row("x", 999, { state: "failed" })], removed: [], counts };
    expect(foldDelta(three(), other, terms, nowMs).moved.size).toBe(0);
  });

  test("whatever is pushed, nothing moves and every place keeps its row", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat(1_000))),
        (pushes) => {
          let view = three();
          for (const [name, at] of pushes) view = fold(view, [row(name, at)]);
          expect(order(view)).toEqual(["a", "b", "c", undefined]);
          for (const key of ["a", "b", "c"].map(asSessionKey)) {
            expect(indexOfKey(view, key)).toBeGreaterThanOrEqual(0);
            expect(view.rows.get(key)?.key).toBe(key);
          }
        },
      ),
    );
  });
});

describe("pulling pages", () => {
  test("a row pushed while the pull was under way wins over what it brought", () => {
    const newer = row("a", 999, { queueDepth: 9 });
    const view = withPages(
      three(),
      [{ page: 0, sessions: [row("a", 300)] }],
      { total: 1, counts },
      new Map([[newer.key, newer]]),
      true,
    );
    expect(view.rows.get(newer.key)?.queueDepth).toBe(9);
    expect(order(view)).toEqual(["a", undefined, undefined, undefined]);
    expect(view.moved.size).toBe(0);
  });

  test("a further page keeps those that are here", () => {
    const view = withPages(
      three(),
      [{ page: 1, sessions: [row("z", 1)] }],
      { total: 101, counts },
      new Map(),
      false,
    );
    expect(order(view)).toEqual(["a", "b", "c", undefined]);
    expect(keyAt(view, 100)).toBe("z");
    expect(view.total).toBe(101);
  });
});
