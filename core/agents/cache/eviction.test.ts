import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asSessionKey } from "../../contract/ids.ts";
import { idleTooLong, overCap, underPressure, whyKept } from "./eviction.ts";
import type { CachedFacts } from "./eviction.ts";

const entry = (name: string, more: Partial<CachedFacts> = {}): CachedFacts => ({
  key: asSessionKey(name),
  busy: false,
  flushed: true,
  pinned: false,
  lastUsedMs: 0,
  ...more,
});
const names = (count: number): CachedFacts[] =>
  Array.from({ length: count }, (_, index) => entry(`s${index}`));

describe("what may go (lifecycle 16.4, 16.5)", () => {
  it("names the first reason that keeps an agent", () => {
    expect(whyKept(entry("a"))).toBeNull();
    expect(whyKept(entry("a", { busy: true, flushed: false, pinned: true }))).toBe("busy");
    expect(whyKept(entry("a", { flushed: false, pinned: true }))).toBe("unflushed");
    expect(whyKept(entry("a", { pinned: true }))).toBe("pinned");
  });

  it("over the cap, skips the busy and takes no younger one for it", () => {
    const [a, b, c] = [entry("a", { busy: true }), entry("b"), entry("c")];
    expect(overCap([a, b, c], 2)).toEqual([]);
    expect(overCap([a, b, c], 1)).toEqual(["b"]);
    expect(overCap([a, b, c], 3)).toEqual([]);
  });

  it("idle means longer than the limit, not as long", () => {
    const entries = [entry("old", { lastUsedMs: 0 }), entry("new", { lastUsedMs: 1 })];
    expect(idleTooLong(entries, 100, 99)).toEqual(["old"]);
    expect(idleTooLong(entries, 100, 100)).toEqual([]);
  });

  it("under pressure leaves the most recent alone, but never more than half", () => {
    const settings = { protectRecent: 8, maxEvictions: 16 };
    expect(underPressure(names(4), settings).evict).toEqual(["s0", "s1"]);
    expect(underPressure(names(20), settings).evict).toHaveLength(12);
    expect(underPressure(names(40), settings).evict).toHaveLength(16);
    expect(underPressure(names(4), { ...settings, protectRecent: 0 }).evict).toHaveLength(4);
    expect(underPressure(names(1), settings).evict).toEqual(["s0"]);
  });

  it("counts what it could not take", () => {
    const entries = [
      entry("a", { busy: true }),
      entry("b", { flushed: false }),
      entry("c", { pinned: true }),
    ];
    expect(underPressure(entries, { protectRecent: 0, maxEvictions: 16 })).toEqual({
      evict: [],
      kept: { busy: 1, unflushed: 1, pinned: 1, recent: 0 },
    });
  });

  it("never takes a busy, unflushed, pinned or protected one, whatever the cache holds", () => {
    const facts = fc.record({ busy: fc.boolean(), flushed: fc.boolean(), pinned: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(facts, { maxLength: 40 }),
        fc.nat(12),
        fc.integer({ min: 1, max: 20 }),
        (all, protectRecent, maxEvictions) => {
          const entries = all.map((one, index) => entry(`s${index}`, one));
          const { evict } = underPressure(entries, { protectRecent, maxEvictions });
          const recent = new Set(
            entries
              .slice(entries.length - Math.min(protectRecent, Math.floor(entries.length / 2)))
              .map((one) => one.key),
          );
          expect(evict.length).toBeLessThanOrEqual(maxEvictions);
          for (const key of evict) {
            const one = entries.find((candidate) => candidate.key === key);
            expect(one && whyKept(one)).toBeNull();
            if (Math.min(protectRecent, Math.floor(entries.length / 2)) > 0)
              expect(recent.has(key)).toBe(false);
          }
        },
      ),
    );
  });
});
