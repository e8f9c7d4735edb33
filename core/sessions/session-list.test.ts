import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sessionSorts } from "../contract/calls.ts";
import { sessionStates } from "../contract/domain.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { matchesSessionFilter, parseSessionFilter } from "../contract/session-filter.ts";
import { refused } from "../testing/refused.ts";
import { dmSource } from "../testing/samples.ts";
import { testDatabase } from "../testing/test-database.ts";
import { rowOf, routingStore } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";
import { freshEntry } from "./session-entry.ts";
import { sessionList, sessionRowOf } from "./session-list.ts";

const nowMs = 1_800_000_000_000;
const hourMs = 3_600_000;

const titles = ["", "Ada", "ada 100%", "Ünïcode Straße", "a_b", "ÄRGER", "日本", "a:b", "İstanbul"];
const channels = ["local", "webhook:Deploys", "webhook:other", "telegram", "simulator", "Web_hook"];

const row = fc
  .record({
    title: fc.constantFrom(...titles),
    channelId: fc.constantFrom(...channels),
    platform: fc.constantFrom(null, "local", "telegram", "webhook"),
    state: fc.constantFrom(...sessionStates),
    agentId: fc.constantFrom(null, "practice", "Ollama"),
    updatedAt: fc
      .constantFrom(0, 1, hourMs - 1, hourMs, hourMs + 1, 90_000_000)
      .map((ago) => nowMs - ago),
    createdAt: fc.constantFrom(1, 2, 3),
    queueDepth: fc.nat(2),
    totalTokens: fc.nat(3),
  })
  .map((part) => part as Partial<RoutingRow>);
const rows = fc.array(row, { maxLength: 12 });

/** Lanes with ids of every kind of spelling, made of the given parts. */
function lanesOf(parts: readonly Partial<RoutingRow>[]): RoutingRow[] {
  return parts.map((part, index) => {
    const spelled = ["41", "-1001", "Ünï", "a%b", "x"][index % 5] ?? "";
    const key = asSessionKey(`agent:main:telegram:dm:${spelled}:${index}`);
    const entry = freshEntry(key, asSessionId(`s${index}`), dmSource(), 1);
    return { ...rowOf(entry, { channelId: "test" }), ...part };
  });
}

/** A list on one database; `fill` replaces its rows. */
function lists() {
  const db = testDatabase();
  const routing = routingStore(db, () => false);
  const list = sessionList(db);
  const empty = db.sql.prepare("DELETE FROM gateway_routing");
  return {
    routing,
    fill: (parts: readonly Partial<RoutingRow>[]): RoutingRow[] => {
      const all = lanesOf(parts);
      db.writeNow(() => {
        empty.run();
        for (const one of all) routing.put(one);
      });
      return all;
    },
    list: (query: Partial<Parameters<typeof list.list>[0]>) =>
      list.list({ filter: "", sort: "key", limit: 500, cursor: null, offset: 0, ...query }, nowMs),
    counts: list.counts,
    queued: list.queuedMessages,
    perChannel: list.sessionsPerChannel,
  };
}

const term = fc.oneof(
  fc.constantFrom(...sessionStates, "needs-me", "will-resume").map((state) => `state:${state}`),
  fc.constantFrom("state:failed,idle", "state:stuck,needs-me"),
  fc
    .constantFrom(...channels, "webhook", "%", "web_hook", "webhook:%")
    .map((one) => `channel:${one}`),
  fc.constantFrom("practice", "ollama", "none", "%").map((agent) => `agent:${agent}`),
  fc.constantFrom("41", "-1001", "ünï", "a%b", "%", "dm", "a_b").map((part) => `key:${part}`),
  fc.constantFrom("idle:>1h", "idle:<1h", "idle:1h", "idle:>0s", "idle:<1w"),
  fc.constantFrom(
    "ada",
    "ADA",
    "100%",
    "straße",
    "ärger",
    "_",
    '"a b"',
    '"A:B"',
    "日",
    "i̇",
    "-1001",
  ),
);
const filter = fc
  .array(fc.tuple(fc.boolean(), term), { maxLength: 3 })
  .map((terms) =>
    terms.map(([not, one]) => (not && !one.startsWith("-") ? `-${one}` : one)).join(" "),
  );

const sort = fc
  .tuple(fc.constantFrom(...sessionSorts), fc.boolean())
  .map(([by, desc]) => (desc ? `-${by}` : by));
const keysOf = (found: readonly RoutingRow[]) => found.map((one) => one.sessionKey);

describe("filters", () => {
  test("the database finds what the grammar says, no more and no less", () => {
    const { fill, list } = lists();
    fc.assert(
      fc.property(rows, filter, (parts, text) => {
        const all = fill(parts);
        const parsed = parseSessionFilter(text);
        if (!parsed.ok) throw new Error(parsed.error.message);
        const meant = all.filter((one) =>
          matchesSessionFilter(sessionRowOf(one), parsed.terms, nowMs),
        );
        const found = list({ filter: text });
        expect(keysOf(found.rows).toSorted()).toEqual(keysOf(meant).toSorted());
        expect(found.total).toBe(meant.length);
      }),
      { numRuns: 400 },
    );
  });

  test("what cannot be read is refused with its place", () => {
    const { list } = lists();
    expect(() => list({ filter: "ada colour:red" })).toThrow(
      refused("E_INPUT", { field: "filter", at: 4 }),
    );
  });

  test("text that means something to SQL is only text", () => {
    const { fill, list } = lists();
    fill([{ title: "it's; DROP TABLE gateway_routing" }, { title: "other" }]);
    expect(list({ filter: `"it's; DROP"` }).total).toBe(1);
    expect(list({ filter: "key:'" }).total).toBe(0);
    expect(list({}).total).toBe(2);
  });
});

describe("order and pages", () => {
  const valueOf = (one: RoutingRow, by: string): string | number =>
    ({
      updated: one.updatedAt,
      created: one.createdAt,
      title: Buffer.from(one.title.toLowerCase()).toString("hex"), // by bytes, as the database compares
      state: sessionStates.indexOf(one.state),
      queue: one.queueDepth,
      tokens: one.totalTokens,
      key: Buffer.from(one.sessionKey).toString("hex"),
    })[by] ?? 0;

  test("every sort, both ways; paging by cursor meets each row exactly once", () => {
    const { fill, list } = lists();
    fc.assert(
      fc.property(rows, sort, fc.integer({ min: 1, max: 5 }), (parts, sorted, limit) => {
        const all = fill(parts);
        const desc = sorted.startsWith("-");
        const by = desc ? sorted.slice(1) : sorted;
        const wanted = all.toSorted((a, b) => {
          const [x, y] = [valueOf(a, by), valueOf(b, by)];
          if (x !== y) return x < y === desc ? 1 : -1;
          return valueOf(a, "key") < valueOf(b, "key") ? -1 : 1;
        });
        expect(keysOf(list({ sort: sorted }).rows)).toEqual(keysOf(wanted));

        const met: string[] = [];
        let cursor: string | null = null;
        do {
          const page = list({ sort: sorted, limit, cursor });
          expect(page.total).toBe(all.length);
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          expect(met.length).toBeLessThan(all.length + 1); // a list that goes round in circles
          met.push(...keysOf(page.rows));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(met).toEqual(keysOf(wanted));

        const byOffset: string[] = [];
        for (let offset = 0; offset < all.length; offset += limit)
          byOffset.push(...keysOf(list({ sort: sorted, limit, offset }).rows));
        expect(byOffset).toEqual(keysOf(wanted));
      }),
      { numRuns: 200 },
    );
  });

  test("a row that moves while a person pages takes no other row away", () => {
    const { fill, list, routing } = lists();
    const all = fill([1, 2, 3, 4].map((createdAt) => ({ createdAt })));
    const first = list({ sort: "created", limit: 2 });
    routing.remove(all[0]!.sessionKey);
    const second = list({ sort: "created", limit: 2, cursor: first.nextCursor });
    expect(keysOf(second.rows)).toEqual(keysOf(all.slice(2)));
  });

  test.each(["", "nonsense", "W10", Buffer.from('["updated",1,2]').toString("base64url")])(
    "the cursor %j is refused",
    (cursor) => {
      const { list } = lists();
      expect(() => list({ sort: "updated", cursor })).toThrow(
        refused("E_INPUT", { field: "cursor" }),
      );
    },
  );

  test("a cursor of another order is refused", () => {
    const { fill, list } = lists();
    fill([{}, {}]);
    const { nextCursor } = list({ sort: "updated", limit: 1 });
    expect(() => list({ sort: "-updated", cursor: nextCursor })).toThrow(refused("E_INPUT"));
  });
});

describe("counts", () => {
  const change = fc.tuple(fc.nat(11), fc.constantFrom("removed" as const, ...sessionStates));

  test("they count every lane in its state of now, whatever became of it", () => {
    const { fill, routing, counts, queued, perChannel } = lists();
    fc.assert(
      fc.property(rows, fc.array(change, { maxLength: 6 }), (parts, changes) => {
        const lanes = new Map(fill(parts).map((one) => [one.sessionKey, one]));
        for (const [nth, state] of changes) {
          const one = [...lanes.values()][nth];
          if (!one) continue;
          if (state === "removed") {
            routing.remove(one.sessionKey);
            lanes.delete(one.sessionKey);
          } else {
            const changed = { ...one, state };
            if (nth % 2 === 0) routing.put(changed);
            else routing.patch(one.sessionKey, { state });
            lanes.set(one.sessionKey, changed);
          }
        }
        const all = [...lanes.values()];
        const inState = (...states: string[]) => all.filter((one) => states.includes(one.state));
        expect(counts()).toEqual({
          all: all.length,
          needsMe: inState("stuck", "failed", "waiting").length,
          running: inState("running").length,
          suspended: inState("suspended").length,
        });
        expect(queued()).toBe(
          inState("queued", "running").reduce((sum, one) => sum + one.queueDepth, 0),
        );
        for (const [id, n] of perChannel())
          expect(n).toBe(all.filter((one) => one.channelId === id).length);
      }),
    );
  });
});
