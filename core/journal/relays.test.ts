import { expect, test } from "vitest";
import { testStores } from "../testing/test-database.ts";
import { decideRelay } from "./relay.ts";
import { createRelays } from "./relays.ts";

const limits = { maxHops: 3, maxPerChain: 5, maxPerPair: 2 };

test.each([
  ["the first", { hops: 1, inChain: 0, inPair: 0 }, null],
  ["the last hop", { hops: 3, inChain: 2, inPair: 0 }, null],
  ["one hop more", { hops: 4, inChain: 3, inPair: 0 }, "hops"],
  ["a chain that branched too often", { hops: 2, inChain: 5, inPair: 0 }, "chain"],
  ["a pair that wrote too often", { hops: 1, inChain: 0, inPair: 2 }, "pair"],
])("%s", (_what, found, stop) => {
  expect(decideRelay(found, limits)).toBe(stop);
});

function world() {
  const stores = testStores();
  const stopped: string[] = [];
  const relays = createRelays({
    store: stores.relays,
    journal: stores.journal,
    limits: () => ({ ...limits, maxHops: 4, maxPerChain: 6, windowMs: 1_000_000 }),
    stopped: (from, to, stop) => stopped.push(`${from}>${to}:${stop}`),
  });
  return { ...stores, relays, stopped };
}
const agents = ["agent:a:main", "agent:b:main", "agent:c:main"];

test("three agents that pass a message round are stopped by the chain's hops, told once", () => {
  const { relays, stopped, journal } = world();
  let chain = { id: "c", hops: 0 };
  let relayed = 0;
  for (let nth = 0; nth < 20; nth += 1) {
    const next = relays.next(agents[nth % 3] ?? "", agents[(nth + 1) % 3] ?? "", chain, 1000 + nth);
    if (!next.ok) continue;
    relayed += 1;
    chain = next.chain;
  }
  expect(relayed).toBe(4);
  expect(stopped).toEqual([
    "agent:b:main>agent:c:main:hops",
    "agent:c:main>agent:a:main:hops",
    "agent:a:main>agent:b:main:hops",
  ]);
  const { events } = journal.changesSince({ key: "agent:c:main", agentId: "c" }, 0);
  expect(events).toMatchObject([{ kind: "relay_stopped", payload: { limit: "hops", hops: 4 } }]);
});

test("two that begin a new chain each time are stopped by their pair, and freed by a person or by time", () => {
  const { relays } = world();
  const [a = "", b = ""] = agents;
  const send = (nowMs: number) => relays.next(a, b, { id: `c${nowMs}`, hops: 0 }, nowMs).ok;
  expect([send(1000), send(1001), send(1002)]).toEqual([true, true, false]);
  relays.heard(b, 1003);
  expect([send(1004), send(1005), send(1006)]).toEqual([true, true, false]);
  expect(send(1_001_007)).toBe(true);
});

test("a turn goes on in the chain of its message, a resumed one in that of the turn it takes up", () => {
  const { relays } = world();
  const chain = { id: "c", hops: 2 };
  expect(relays.chainOfTurn({ turnId: "t1", chain: null, resumes: null })).toEqual({
    id: "t1",
    hops: 0,
  });
  expect(relays.chainOfTurn({ turnId: "t2", chain, resumes: null })).toEqual(chain);
  relays.keepChain("t2", chain, 1);
  expect(relays.chainOfTurn({ turnId: "t3", chain: null, resumes: "t2" })).toEqual(chain);
});

test("a notice stays in its chain when it is queued again at a start, and when its watcher settled a part", () => {
  const { db, journal } = testStores();
  const target = { key: "agent:main:subagent:child", agentId: "main" };
  const watcher = "agent:main:main";
  const change = (nowMs: number): void => {
    journal.record(
      {
        sessionKey: target.key,
        kind: "goal_changed",
        actor: { type: "agent", id: target.key },
        summary: "goal created",
        chain: { id: "c", hops: 3 },
      },
      nowMs,
    );
  };
  const chains = () => journal.lines.waiting(watcher).map((row) => [row.chainId, row.chainHops]);
  db.writeNow(() => {
    journal.watch(watcher, target, 1);
    change(2);
    journal.replaySlice({ watcher: "", target: "" }, 10, () => true, 3);
  });
  expect(chains()).toEqual([["c", 3]]);
  db.writeNow(() => {
    change(4);
    journal.settle(watcher, target, 1, 5);
  });
  expect(chains()).toEqual([["c", 3]]);
});
