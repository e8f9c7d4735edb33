import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { silentLog } from "../log/log.ts";
import { fileDatabase, testStores } from "../testing/test-database.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { settle, until } from "../testing/until.ts";
import { actorOfMessage } from "./actor-of-message.ts";
import { openJournal } from "./journal.ts";
import type { JournalBatch } from "./publisher.ts";
import type { NewEvent } from "./kinds.ts";
import { retention, retentionMs } from "./retention.ts";
import { createUpkeep } from "./upkeep.ts";
import { inbound } from "../testing/samples.ts";

const target = { key: "agent:main:subagent:child", agentId: "main" };
const watcher = "agent:main:main";
const word = (more: Partial<NewEvent> = {}): NewEvent => ({
  sessionKey: target.key,
  kind: "human_direct_message",
  actor: { type: "human", id: "person" },
  summary: "human message via telegram",
  ...more,
});

function listening(journal: ReturnType<typeof openJournal>) {
  const batches: JournalBatch[] = [];
  const failures: string[] = [];
  journal.listen({
    committed: (batch) => batches.push(batch),
    failed: (what) => failures.push(what),
  });
  return { batches, failures };
}

describe("a signal and its change", () => {
  test("are written together: what is rolled back is neither kept nor told", async () => {
    const { db, journal } = testStores();
    const { batches } = listening(journal);
    journal.watch(watcher, target, 1);
    const [kept, lost] = await Promise.allSettled([
      db.write(() => journal.record(word(), 2)),
      db.write(() => {
        journal.record(word(), 3);
        throw new Error("the change is refused");
      }),
    ]);
    expect([kept.status, lost.status]).toEqual(["fulfilled", "rejected"]);
    expect(journal.version(target)).toBe(1);
    expect(batches.flatMap((batch) => batch.events.map((event) => event.sequence))).toEqual([1]);
    expect(
      batches.flatMap((batch) => batch.notices).reduce((sum, one) => sum + one.events, 0),
    ).toBe(1);
  });

  test("a failure of the signal is undone alone, counted and told; the change stays", async () => {
    const { db, journal, acts } = testStores();
    const { failures } = listening(journal);
    journal.watch(watcher, target, 1);
    db.sql.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON session_system_events BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    await db.write(() => {
      acts.record({ at: 2, actor: "panel", act: "test", sessionKey: target.key, summary: "kept" });
      expect(journal.record(word(), 2)).toBeNull();
    });
    expect(acts.lastActor(target.key, "test")).toBe("panel");
    expect(failures).toEqual(["record"]);
    expect(journal.health()).toMatchObject({ failures: 1, last: { what: "record" } });
    // Row, head and cursor went with it: nothing half is left.
    expect(journal.version(target)).toBe(0);
    expect(journal.cursors.get(watcher, target)).toMatchObject({ lastSeen: 0, material: 0 });
    db.sql.exec(`DROP TRIGGER broken`);
    expect(await db.write(() => journal.record(word(), 3))).not.toBeNull();
  });

  test("an unreadable journal never says that nothing changed (7.1)", () => {
    const { db, journal } = testStores();
    db.sql.exec(`ALTER TABLE session_state_events RENAME TO gone`);
    expect(journal.changesSince(target, 0)).toMatchObject({ events: [], historyGap: true });
    db.sql.exec(`ALTER TABLE gone RENAME TO session_state_events`);
    expect(journal.changesSince(target, 0)).toMatchObject({ historyGap: false });
  });

  test("many at once on one target: as many events, one entry a watcher (19.6)", async () => {
    const { db, journal } = testStores();
    const watchers = Array.from({ length: 5 }, (_, nth) => `agent:main:watcher:${nth}`);
    db.writeNow(() => {
      for (const one of watchers) journal.watch(one, target, 1);
    });
    await Promise.all(Array.from({ length: 300 }, () => db.write(() => journal.record(word(), 2))));
    expect(journal.version(target)).toBe(300);
    for (const one of watchers) expect(journal.lines.waiting(one)).toHaveLength(1);
  });

  test("another program that holds the file keeps nothing from being recorded afterwards (19.7)", async () => {
    const { db, file } = fileDatabase();
    const journal = openJournal(db);
    const other = new Sqlite(file);
    other.exec("BEGIN IMMEDIATE");
    await expect(db.write(() => journal.record(word(), 1))).rejects.toMatchObject({
      code: "E_STORE_BUSY",
    });
    other.exec("ROLLBACK");
    other.close();
    expect(await db.write(() => journal.record(word(), 2))).not.toBeNull();
    expect(journal.version(target)).toBe(1);
  });
});

test("a notice that was settled while a turn had it ends no newer one, whatever becomes of the turn", () => {
  const { db, journal } = testStores();
  const rows = () =>
    [journal.lines.waiting(watcher), journal.lines.taken()].map((lines) =>
      lines.map((line) => line.base),
    );
  db.writeNow(() => {
    journal.watch(watcher, target, 1);
    journal.record(word(), 2);
    const shown = journal.take(watcher, "turn");
    journal.settle(watcher, target, 1, 3);
    journal.record(word(), 4);
    journal.acknowledge(watcher, shown, 5);
    journal.putBack(shown, 5);
  });
  expect(rows()).toEqual([[1], []]);
  expect(journal.cursors.get(watcher, target)).toMatchObject({ lastSeen: 1, material: 2 });
});

test("a notice that comes back from a turn makes way for the newer one of its pair", () => {
  const { db, journal } = testStores();
  const named = { watchers: [watcher] };
  db.writeNow(() => {
    journal.record(word(named), 1);
    const shown = journal.take(watcher, "turn");
    journal.record(word({ ...named, kind: "child_spawned" }), 2); // its watch begins anew
    journal.record(word(), 3);
    journal.putBack(shown, 4);
  });
  expect(journal.lines.waiting(watcher).map((line) => line.base)).toEqual([2]);
  expect(journal.lines.taken()).toEqual([]);
});

test("a clock that is set back puts no event in the future and ends no watch early (19.9)", () => {
  const { db, journal } = testStores();
  const nowMs = 1_800_000_000_000;
  const dayMs = 86_400_000;
  journal.watch(watcher, target, nowMs);
  journal.record(word(), nowMs);
  const later = journal.record(word({ occurredAtMs: nowMs + dayMs }), nowMs - dayMs);
  expect(later?.occurredAt).toBe(nowMs - dayMs);
  const prune = retention(db);
  expect(prune.dropAged(nowMs - dayMs, 100)).toBe(0);
  expect(journal.expireSlice(nowMs - dayMs - retentionMs, 100, nowMs)).toBe(0);
  expect(journal.cursors.get(watcher, target)).toBeDefined();
});

test("a batch tells at most 200 events and counts the others", async () => {
  const { db, journal } = testStores();
  const { batches } = listening(journal);
  db.writeNow(() => {
    for (let nth = 0; nth < 250; nth += 1) journal.record(word(), 1);
  });
  await settle(1);
  expect(batches).toHaveLength(1);
  expect(batches[0]).toMatchObject({ missed: 50 });
  expect(batches[0]?.events).toHaveLength(200);
  expect(batches[0]?.events.at(-1)?.sequence).toBe(250);
});

describe("upkeep in slices", () => {
  function world() {
    const stores = testStores();
    const clock = manualClock(1_800_000_000_000);
    const upkeep = createUpkeep({
      ...stores,
      clock,
      log: silentLog,
      exists: () => true,
      forgetMore: () => undefined,
    });
    return { ...stores, clock, upkeep };
  }

  test("a start queues every pending pair again, whatever their number, once", async () => {
    const { db, journal, upkeep } = world();
    db.writeNow(() => {
      for (let nth = 0; nth < 450; nth += 1) {
        const one = { key: `agent:main:target:${nth}`, agentId: "main" };
        journal.watch(watcher, one, 1);
        journal.record(word({ sessionKey: one.key }), 2);
        journal.record(word({ sessionKey: one.key }), 3);
      }
      journal.lines.loseAll();
    });
    expect(await upkeep.replay()).toBe(450);
    expect(await upkeep.replay()).toBe(450);
    expect(journal.lines.waiting(watcher)).toHaveLength(450);
    const shown = db.writeNow(() => journal.take(watcher, null));
    db.writeNow(() => {
      journal.acknowledge(watcher, shown, 5);
    });
    expect(journal.lines.waiting(watcher)).toEqual([]);
  });

  test("a pass is due an hour after the one before, and takes what is old in the meantime", async () => {
    const { db, journal, clock, upkeep } = world();
    db.writeNow(() => {
      for (let nth = 0; nth < 400; nth += 1) journal.record(word(), clock.nowMs());
    });
    upkeep.considerPass();
    await until("the first pass", () => upkeep.lastPassAtMs() !== null);
    expect(journal.events.count()).toBe(400);
    clock.advance(retentionMs + 1);
    db.writeNow(() => journal.record(word(), clock.nowMs()));
    upkeep.considerPass();
    await until("the old ones are gone", () => journal.events.count() === 1);
    expect(journal.changesSince(target, 0)).toMatchObject({
      historyGap: true,
      events: [{ sequence: 401 }],
    });
    expect(journal.changesSince(target, 400)).toMatchObject({ historyGap: false });
    await upkeep.close();
  });
});

test("a person is an opaque id, the same on every message, and no number (3.4)", () => {
  const one = actorOfMessage(inbound("hello"));
  expect(one).toEqual(actorOfMessage(inbound("again")));
  expect(one).toMatchObject({
    type: "human",
    id: expect.stringMatching(/^person-[0-9a-f]{12}$/) as string,
  });
  expect(actorOfMessage(inbound("x", { internal: true }))).toEqual({ type: "system", id: null });
});
