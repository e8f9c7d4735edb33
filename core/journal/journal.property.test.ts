import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import { silentLog } from "../log/log.ts";
import { openJournal } from "./journal.ts";
import { retention } from "./retention.ts";
import { journalModel } from "./testing/journal-model.ts";
import type { ModelStep } from "./testing/journal-model.ts";
import type { SystemEvent } from "./system-event-store.ts";

const watchers = ["agent:main:main", "agent:ops:subagent:boss"];
const targets = ["agent:main:subagent:ä", "agent:main:subagent:Ä"];
const startMs = 1_800_000_000_000;

const at = (names: readonly string[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<ModelStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("event" as const),
      target: at(targets),
      actor: fc.constantFrom("human", ...watchers),
      material: fc.boolean(),
      named: fc.option(at(watchers), { nil: null }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("watch" as const),
      watcher: at(watchers),
      target: at(targets),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("unwatch" as const),
      watcher: at(watchers),
      target: at(targets),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("spawn" as const),
      watcher: at(watchers),
      target: at(targets),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("take" as const), watcher: at(watchers) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("end" as const),
      watcher: at(watchers),
      seen: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("settle" as const),
      watcher: at(watchers),
      target: at(targets),
      back: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("reset" as const), watcher: at(watchers) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("delete" as const), target: at(targets) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("prune" as const),
      rows: fc.nat(6),
      slice: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("restart" as const) }) },
);

const agentIn = (key: string): string => key.split(":")[1] ?? "";
const target = (key: string) => ({ key, agentId: agentIn(key) });

/** The journal on an emptied database, driven by the same steps as the model. */
function world(db: Database = openDatabase(":memory:", silentLog)) {
  db.sql.exec(
    `DELETE FROM session_state_events; DELETE FROM session_state_heads; DELETE FROM session_watch_cursors;
     DELETE FROM session_system_events; DELETE FROM sqlite_sequence`,
  );
  const journal = openJournal(db);
  const prune = retention(db);
  let nowMs = startMs;
  const shown = new Map<string, SystemEvent[]>();
  const age = db.sql.prepare(
    `UPDATE session_state_events SET occurred_at = 1 WHERE sequence IN (SELECT sequence FROM session_state_events ORDER BY sequence LIMIT ?)`,
  );
  journal.listen({
    failed(what, cause) {
      throw new Error(what, { cause });
    },
  });
  return {
    db,
    journal,
    apply(one: ModelStep): void {
      nowMs += 1000;
      switch (one.op) {
        case "event":
          journal.record(
            {
              sessionKey: one.target,
              kind: one.material ? "goal_changed" : "compacted",
              actor:
                one.actor === "human"
                  ? { type: "human", id: "p" }
                  : { type: "agent", id: one.actor },
              summary: "s",
              watchers: one.named === null ? [] : [one.named],
            },
            nowMs,
          );
          return;
        case "spawn":
          journal.record(
            {
              sessionKey: one.target,
              kind: "child_spawned",
              actor: { type: "agent", id: one.watcher },
              summary: "s",
              watchers: [one.watcher],
            },
            nowMs,
          );
          return;
        case "watch":
          journal.watch(one.watcher, target(one.target), nowMs);
          return;
        case "unwatch":
          journal.unwatch(one.watcher, target(one.target), nowMs);
          return;
        case "take":
          if (!shown.has(one.watcher))
            shown.set(one.watcher, journal.take(one.watcher, `turn:${nowMs}`));
          return;
        case "end": {
          const lines = shown.get(one.watcher) ?? [];
          shown.delete(one.watcher);
          if (one.seen) journal.acknowledge(one.watcher, lines, nowMs);
          else journal.putBack(lines, nowMs);
          return;
        }
        case "settle": {
          const head = journal.version(target(one.target));
          journal.settle(one.watcher, target(one.target), Math.max(0, head - one.back), nowMs);
          return;
        }
        case "reset":
          journal.forgetWatcher(one.watcher, nowMs);
          return;
        case "delete":
          journal.forgetSession(target(one.target), nowMs);
          return;
        case "prune":
          age.run(one.rows);
          while (prune.dropAged(nowMs, one.slice) === one.slice);
          return;
        case "restart":
          shown.clear();
          journal.recoverTaken(nowMs);
          journal.replaySlice({ watcher: "", target: "" }, 100, () => true, nowMs);
          return;
      }
    },
  };
}

/** Queues and marks after every step; what may be asked of the history after those that change it most. */
function compare(
  real: ReturnType<typeof world>,
  model: ReturnType<typeof journalModel>,
  history = true,
): void {
  const { journal } = real;
  for (const watcher of watchers) {
    const texts = journal.lines
      .waiting(watcher)
      .map((line) => line.text)
      .toSorted();
    expect(texts).toEqual(model.waiting(watcher));
    for (const key of targets) {
      const cursor = journal.cursors.get(watcher, target(key));
      expect(
        cursor && {
          lastSeen: cursor.lastSeen,
          notified: cursor.notified,
          material: cursor.material,
        },
      ).toEqual(model.cursor(watcher, key));
      const live = journal.lines.liveNotices(watcher, target(key));
      expect(live.filter((line) => line.state === "waiting").length).toBeLessThanOrEqual(1);
      // A pending pair has its notice, waiting or before a turn (I4).
      if (cursor && cursor.material > cursor.lastSeen) expect(live).not.toEqual([]);
    }
  }
  if (!history) return;
  for (const key of targets) {
    expect(journal.version(target(key))).toBe(model.version(key));
    for (const since of model.startsFor(key)) {
      const found = journal.changesSince(target(key), since);
      expect({
        gap: found.historyGap,
        sequences: found.events.map((event) => event.sequence),
      }).toEqual(model.changesSince(key, since));
    }
  }
}

test("any order of events, watches, turns, settling, resets, deletions, pruning and restarts equals a simple model", async () => {
  const db = openDatabase(":memory:", silentLog);
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 80, size: "max" }), (steps) => {
      const real = world(db);
      const model = journalModel(watchers);
      for (const one of steps) {
        real.apply(one);
        model.apply(one);
        compare(real, model, one.op === "prune" || one.op === "delete");
      }
      // Turns until nothing waits: then every watcher has been told all.
      for (let round = 0; round < 3; round += 1)
        for (const watcher of watchers)
          for (const op of [
            { op: "end", watcher, seen: true },
            { op: "take", watcher },
            { op: "end", watcher, seen: true },
          ] as const) {
            real.apply(op);
            model.apply(op);
          }
      compare(real, model);
      for (const watcher of watchers) {
        expect(real.journal.lines.waiting(watcher)).toEqual([]);
        for (const key of targets) {
          const cursor = real.journal.cursors.get(watcher, target(key));
          if (cursor) expect(cursor.material).toBe(cursor.lastSeen);
        }
      }
    }),
    { numRuns: 80 },
  );
  await db.close();
}, 60_000);

test("pages, joined, are the retained rows above the start, each once, ascending (19.2)", async () => {
  const database = openDatabase(":memory:", silentLog);
  fc.assert(
    fc.property(
      fc.array(at(targets), { maxLength: 80 }),
      fc.nat(80),
      fc.integer({ min: 1, max: 9 }),
      (history, since, size) => {
        const { journal } = world(database);
        const rows = history.map((key) =>
          journal.record(
            {
              sessionKey: key,
              kind: "compacted",
              actor: { type: "system", id: null },
              summary: "s",
            },
            startMs,
          ),
        );
        for (const key of targets) {
          const wanted = rows.flatMap((row) =>
            row?.sessionKey === key && row.sequence > since ? [row.sequence] : [],
          );
          const pages: number[] = [];
          for (let from: number | null = since; from !== null;) {
            const page = journal.changesSince(target(key), from, size);
            pages.push(...page.events.map((event) => event.sequence));
            expect(page.truncated).toBe(page.next !== null);
            from = page.next;
          }
          expect(pages).toEqual(wanted);
        }
      },
    ),
    { numRuns: 60 },
  );
  await database.close();
});
