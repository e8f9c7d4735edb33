import { describe, expect, test } from "vitest";
import { silentLog } from "../log/log.ts";
import { recoveryWorld } from "../testing/recovery-world.ts";
import type { WorldOptions } from "../testing/recovery-world.ts";
import { settle } from "../testing/until.ts";
import { undoMs } from "../turns/lane-acts.ts";
import { droppedBy } from "../turns/tell-dropped.ts";
import { givenUp } from "./given-up.ts";
import { createHousekeeping, inboxKeptMs, ledgerKept, ledgerKeptMs } from "./housekeeping.ts";

const dayMs = 24 * 3_600_000;

function kept(options: WorldOptions = {}) {
  const world = recoveryWorld(options);
  world.boot();
  const delivered: string[] = [];
  const housekeeping = createHousekeeping({
    db: world.db,
    stores: world.stores,
    clock: world.clock,
    log: silentLog,
    freshnessMs: () => 3_600_000,
    deliver: (key) => delivered.push(key),
  });
  const count = (table: string): number =>
    world.db.sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  return { ...world, housekeeping, delivered, count };
}

describe("housekeeping (lifecycle 17)", () => {
  test("an ended message is remembered for seven days, so that its redelivery is recognised", async () => {
    const { accept, settle: answer, clock, housekeeping, count, stores } = kept();
    await accept("a", "one");
    await answer("a");
    clock.advance(inboxKeptMs);
    await housekeeping.run();
    expect(await accept("a", "one")).toMatchObject({ kind: "duplicate" });
    clock.advance(1_000);
    await housekeeping.run();
    expect(count("inbound_journal")).toBe(0);
    await accept("a", "two"); // one that waits is never forgotten
    clock.advance(100 * dayMs);
    await housekeeping.run();
    expect(stores.inbox.waitingLanes()).toHaveLength(1);
  });

  test("a message whose turn may still be taken up stays, however old", async () => {
    const { accept, start, finish, clock, housekeeping, count } = kept();
    await accept("a", "one");
    const turn = await start("a");
    if (turn) await finish(turn, { outcome: "parked", because: "shutdown_timeout" });
    clock.advance(100 * dayMs);
    await housekeeping.run();
    expect(count("inbound_journal")).toBe(1);
  });

  test("a command that nobody sent again is given up after a day", async () => {
    const { clock, housekeeping, stores, key, db } = kept();
    await db.write(() =>
      stores.inbox.insertCommand({
        sessionKey: key("a"),
        channelId: "test",
        chatRef: "a",
        platformMessageId: "c1",
        senderRef: "a",
        kind: "command",
        place: "slot",
        eventJson: "{}",
        acceptedAt: clock.nowMs(),
      }),
    );
    clock.advance(dayMs);
    await housekeeping.run();
    expect(stores.inbox.seen("a", "c1")).toMatchObject({ state: "started" });
    clock.advance(1);
    await housekeeping.run();
    expect(stores.inbox.seen("a", "c1")).toMatchObject({ state: "ended" });
  });

  test("settled deliveries go after seven days, and beyond five hundred at once", async () => {
    const { accept, settle: answer, clock, housekeeping, count } = kept();
    for (let n = 0; n < ledgerKept + 300; n += 1) {
      await accept("a", `m${n}`);
      if (n % 20 === 19) await answer("a");
    }
    await answer("a");
    await housekeeping.run();
    expect(count("delivery_obligations")).toBe(ledgerKept);
    clock.advance(ledgerKeptMs + 1);
    await housekeeping.run();
    expect(count("delivery_obligations")).toBe(0);
  });

  test("runs a minute after the start, then every five, until it is stopped", async () => {
    const { accept, settle: answer, clock, housekeeping, count } = kept();
    await accept("a", "one");
    await answer("a");
    clock.advance(inboxKeptMs + 1);
    housekeeping.start();
    clock.advance(59_999);
    await settle();
    clock.advance(1);
    await settle();
    expect(count("inbound_journal")).toBe(0);
    await accept("a", "two");
    await answer("a");
    clock.advance(inboxKeptMs + 1);
    await settle();
    expect(count("inbound_journal")).toBe(0);
    await housekeeping.stop();
    expect(clock.pending).toBe(0);
  });

  test("a task that fails keeps no other from running", async () => {
    const { accept, settle: answer, clock, housekeeping, stores, count } = kept();
    await accept("a", "one");
    await answer("a");
    clock.advance(inboxKeptMs + 1);
    stores.inbox.prune = () => {
      throw new Error("damaged");
    };
    await housekeeping.run();
    expect(count("inbound_journal")).toBe(1);
    expect(count("delivery_obligations")).toBe(0);
  });
});

describe("a message that the operator took out of the queue", () => {
  test("its person is told once that can no longer be undone", async () => {
    const { accept, clock, housekeeping, stores, delivered, key, db, deliver, texts } = kept();
    await accept("a", "one");
    const seq = stores.inbox.slot(key("a"))?.seq ?? 0;
    await db.write(() => stores.inbox.end(seq, "removed", clock.nowMs()));
    housekeeping.afterRemoval();
    clock.advance(undoMs - 1);
    await housekeeping.run();
    expect(delivered).toEqual([]);
    clock.advance(51);
    await settle();
    expect(delivered).toEqual([key("a")]);
    await deliver("a");
    expect(texts()).toEqual([droppedBy.remove]);
    expect(stores.queues.restore(seq)).toBe(false); // told is told
    await housekeeping.run();
    expect(stores.obligations.open()).toEqual([]);
    await housekeeping.stop();
  });
});

describe("a cut turn that waits in a suspended session", () => {
  test("its person is told once the suspension can no longer be undone", async () => {
    const { accept, start, boot, clock, housekeeping, stores, key, db, deliver, texts } = kept();
    await accept("a", "one");
    await start("a");
    boot();
    await db.write(() => stores.directory.suspend(key("a"), "panel", null, clock.nowMs()));
    await housekeeping.run();
    expect(stores.inbox.queuedResume(key("a"))).toBeDefined();
    clock.advance(undoMs);
    await housekeeping.run();
    await housekeeping.run();
    await deliver("a");
    expect(texts()).toEqual([givenUp.suspended]);
    expect(stores.inbox.waiting(key("a"))).toEqual([]);
  });
});

describe("a cut turn that the breaker holds back", () => {
  test("its person is told once it has been held for too long; their next message takes it up", async () => {
    const world = kept({ maxRestarts: 1 });
    await world.accept("a", "one");
    await world.start("a");
    world.boot();
    world.clock.advance(3_600_000);
    await world.housekeeping.run();
    expect(world.delivered).toEqual([]);
    world.clock.advance(1);
    await world.housekeeping.run();
    await world.housekeeping.run();
    await world.deliver("a");
    expect(world.texts()).toEqual([givenUp.stale]);
    await world.accept("a", "two");
    await world.settle("a");
    expect(world.texts().slice(1)).toEqual(["re one", "re two"]);
  });
});
