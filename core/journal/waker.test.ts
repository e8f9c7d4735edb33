import { expect, test } from "vitest";
import { asSessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { dmSource } from "../testing/samples.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { testStores } from "../testing/test-database.ts";
import { settle } from "../testing/until.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import type { Chain } from "./relay.ts";
import { createWaker } from "./waker.ts";

const target = { key: "agent:main:subagent:child", agentId: "main" };

function world(mayWake: (chain: Chain | null) => boolean = () => true) {
  const stores = testStores();
  const { db, journal, inbox, directory } = stores;
  const clock = manualClock();
  const woken: string[] = [];
  const waker = createWaker({
    db,
    routing: directory.routing,
    inbox,
    journal,
    clock,
    log: silentLog,
    wakeLane: (key) => woken.push(key),
    mayWake,
  });
  journal.listen({
    committed({ notices }) {
      for (const one of notices) if (one.opened) waker.want(one.watcher);
    },
  });
  waker.open();
  const lane = (name: string) => {
    const key = asSessionKey(`agent:main:${name}`);
    db.writeNow(() => {
      directory.ensureLane({ key, identity: null, channelId: "test", source: dmSource(name) }, 1);
      journal.watch(key, target, 1);
    });
    return key;
  };
  const change = async (chain: Chain | null = null): Promise<void> => {
    await db.write(() =>
      journal.record(
        {
          sessionKey: target.key,
          kind: "goal_changed",
          actor: chain === null ? { type: "human", id: null } : { type: "agent", id: target.key },
          summary: "goal created",
          chain,
        },
        clock.nowMs(),
      ),
    );
    await settle(6);
  };
  const wakes = (key: ReturnType<typeof lane>) =>
    inbox.waiting(key).map((item) => decodeInbound(item.eventJson).provenance);
  /** A turn of the lane: its wake is started, what waits is taken and seen. */
  const turn = (key: ReturnType<typeof lane>): void => {
    db.writeNow(() => {
      for (const item of inbox.waiting(key)) inbox.end(item.seq, "silent", clock.nowMs());
      const shown = journal.take(key, "turn");
      journal.acknowledge(key, shown, clock.nowMs());
    });
    waker.settled(key);
  };
  return { ...stores, clock, waker, woken, lane, change, wakes, turn };
}

test("twenty changes wake a watcher once, at once", async () => {
  const { lane, change, wakes, woken } = world();
  const key = lane("main");
  for (let nth = 0; nth < 20; nth += 1) await change();
  expect(woken).toEqual([key]);
  expect(wakes(key)).toEqual([{ kind: "wake", from: null, chain: null }]);
});

test("a wake that waits in a busy lane is not joined by another, however long it waits", async () => {
  const { lane, change, wakes, clock } = world();
  const key = lane("main");
  await change();
  clock.advance(61_000);
  await change();
  expect(wakes(key)).toHaveLength(1);
});

test("a child is not woken; it is told in its next turn", async () => {
  const { lane, change, wakes, journal } = world();
  const key = lane("subagent:boss");
  await change();
  expect(wakes(key)).toEqual([]);
  expect(journal.lines.waiting(key)).toHaveLength(1);
});

test("a suspended watcher is not woken, and its wake is stale once it is suspended", async () => {
  const { lane, change, wakes, db, directory, waker, inbox } = world();
  const key = lane("main");
  db.writeNow(() => directory.suspend(key, "panel", null, 2));
  await change();
  expect(wakes(key)).toEqual([]);
  db.writeNow(() => directory.unsuspend(key));
  waker.want(key);
  await settle(6);
  const [wake] = inbox.waiting(key);
  const message = decodeInbound(wake?.eventJson ?? "");
  expect(waker.isStale(key, message)).toBe(false);
  db.writeNow(() => directory.suspend(key, "panel", null, 3));
  expect(waker.isStale(key, message)).toBe(true);
});

test("a wake whose notice was told by another turn is stale", async () => {
  const { lane, change, waker, inbox, db, journal } = world();
  const key = lane("main");
  await change();
  const message = decodeInbound(inbox.waiting(key)[0]?.eventJson ?? "");
  db.writeNow(() => {
    journal.acknowledge(key, journal.take(key, null), 2);
  });
  expect(waker.isStale(key, message)).toBe(true);
});

test("four sessions are woken at once, the others when one of them has begun", async () => {
  const { lane, change, woken, turn } = world();
  const keys = Array.from({ length: 7 }, (_, nth) => lane(`chat:${nth}`));
  await change();
  expect(woken).toHaveLength(4);
  turn(asSessionKey(woken[0] ?? ""));
  await settle(6);
  expect(woken).toHaveLength(5);
  for (const key of woken.slice()) turn(asSessionKey(key));
  await settle(6);
  expect(new Set(woken)).toEqual(new Set(keys));
});

test("a session that was woken five times within a minute is left alone until the oldest is a minute old", async () => {
  const { lane, change, woken, turn, clock } = world();
  const key = lane("main");
  for (let nth = 0; nth < 8; nth += 1) {
    await change();
    turn(key);
    clock.advance(1_000);
  }
  expect(woken).toHaveLength(5);
  const timers = clock.pending;
  await change();
  await change();
  expect(clock.pending).toBe(timers); // a storm leaves no timer for each of its events
  clock.advance(60_000);
  await settle(6);
  expect(woken).toHaveLength(6);
});

test("a session whose agent failed before it saw what waits is woken again, less and less often", async () => {
  const { lane, change, waker, woken, db, inbox, clock } = world();
  const key = lane("main");
  await change();
  const fail = (): void => {
    db.writeNow(() => {
      for (const item of inbox.waiting(key)) inbox.end(item.seq, "failed", clock.nowMs());
    });
    waker.settled(key);
    waker.retry(key);
  };
  fail();
  clock.advance(60_000);
  await settle(6);
  expect(woken).toHaveLength(2);
  fail();
  clock.advance(60_000);
  await settle(6);
  expect(woken).toHaveLength(2);
  clock.advance(240_000);
  await settle(6);
  expect(woken).toHaveLength(3);
});

test("what agents did wakes agents only as far as their chain goes; a person's part makes it new", async () => {
  const { lane, change, wakes, journal } = world((chain) => chain === null || chain.hops < 3);
  const key = lane("main");
  await change({ id: "c", hops: 3 });
  expect(wakes(key)).toEqual([]);
  expect(journal.lines.waiting(key)).toHaveLength(1);
  await change();
  expect(wakes(key)).toEqual([{ kind: "wake", from: null, chain: null }]);
});
