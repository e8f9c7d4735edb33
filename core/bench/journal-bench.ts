import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { asSessionKey } from "../contract/ids.ts";
import { openStores } from "../compose/stores.ts";
import type { NewEvent } from "../journal/kinds.ts";
import { createUpkeep } from "../journal/upkeep.ts";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import { toolsOn } from "../tools/testing/clients-on.ts";
import { figure, median, quantile, repeat, timed } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seededSource, seedInto } from "./seed.ts";
import { diskDir } from "./workplace.ts";

const runs = 5;
const events = 200;
const target = { key: "agent:main:subagent:target", agentId: "main" };

function world() {
  const db = openDatabase(join(diskDir(), "state.db"), silentLog);
  const stores = openStores(db);
  const upkeep = createUpkeep({
    db,
    journal: stores.journal,
    retention: stores.retention,
    clock: systemClock,
    log: silentLog,
    exists: () => true,
    forgetMore: () => undefined,
  });
  return { db, ...stores, upkeep, stores };
}
type World = ReturnType<typeof world>;

const word = (more: Partial<NewEvent> = {}): NewEvent => ({
  sessionKey: target.key,
  kind: "human_direct_message",
  actor: { type: "human", id: "person" },
  summary: "human message via telegram",
  ...more,
});

const watchers = (count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `agent:main:watcher:${nth}`);

/** One event in one durable commit, in ms: the median of each run. */
async function durableEvents(
  { db, journal }: World,
  event: (nth: number) => NewEvent,
  between: () => void = () => undefined,
): Promise<number[]> {
  return repeat(runs, async () => {
    const took: number[] = [];
    for (let nth = 0; nth < events; nth += 1) {
      took.push(await timed(() => db.write(() => journal.record(event(nth), Date.now()))));
      between();
    }
    return quantile(took, 0.5);
  });
}

async function recording(): Promise<Figures> {
  const figures: Figures = {};
  for (const count of [0, 1, 10]) {
    const one = world();
    one.db.writeNow(() => {
      for (const watcher of watchers(count)) one.journal.watch(watcher, target, Date.now());
    });
    figures[`event_${count}_watchers`] = figure(await durableEvents(one, () => word()), "ms");
    if (count > 0) {
      const settle = (): void => {
        one.db.writeNow(() => {
          for (const watcher of watchers(count))
            one.journal.acknowledge(watcher, one.journal.take(watcher, null), Date.now());
        });
      };
      settle();
      settle();
      figures[`event_${count}_watchers_fresh_notice`] = figure(
        await durableEvents(one, () => word(), settle),
        "ms",
      );
    }
    await one.db.close();
  }
  const log = world();
  figures["event_log_only"] = figure(
    await durableEvents(log, () => word({ kind: "compacted" })),
    "ms",
  );
  await log.db.close();
  return figures;
}

/** Rows of many sessions, the newest last; without the cost of single events. */
function fill(db: Database, rows: number, sessions: number, ageMs = 0): void {
  const insert = db.sql.prepare(`
    INSERT INTO session_state_events (session_key, agent_id, kind, actor_type, occurred_at, summary)
    VALUES (?, 'main', 'compacted', 'system', ?, 'session compacted')`);
  const head = db.sql.prepare(`
    INSERT INTO session_state_heads (session_key, agent_id, last_sequence, updated_at)
    SELECT session_key, agent_id, max(sequence), 0 FROM session_state_events GROUP BY session_key, agent_id
    ON CONFLICT DO UPDATE SET last_sequence = excluded.last_sequence`);
  db.writeNow(() => {
    for (let nth = 0; nth < rows; nth += 1)
      insert.run(`agent:main:session:${nth % sessions}`, Date.now() - ageMs);
    head.run();
  });
}

async function reading(): Promise<Figures> {
  const one = world();
  fill(one.db, 50_000, 100);
  const asked = { key: "agent:main:session:7", agentId: "main" };
  const changes = await repeat(runs, async () =>
    quantile(await repeat(200, () => timed(() => one.journal.changesSince(asked, 0))), 0.5),
  );
  const version = await repeat(runs, async () =>
    quantile(await repeat(200, () => timed(() => one.journal.version(asked))), 0.5),
  );
  await one.db.close();
  return {
    changes_since_200_of_50000: figure(changes, "ms"),
    read_version: figure(version, "ms"),
  };
}

/** Runs `work` and tells for how long it held the thread at most, as seen from a loop beside it. */
async function withLongestBlock(
  work: () => Promise<unknown>,
): Promise<{ ms: number; blockMs: number }> {
  let over = false;
  let blockMs = 0;
  const watch = (async () => {
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- set from outside the loop
    while (!over) {
      const at = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      blockMs = Math.max(blockMs, performance.now() - at);
    }
  })();
  const ms = await timed(work);
  over = true;
  await watch;
  return { ms, blockMs };
}

async function upkeepFigures(): Promise<Figures> {
  const figures: Figures = {};
  const pass = await repeat(3, async () => {
    const one = world();
    fill(one.db, 60_000, 1_000);
    const took = await withLongestBlock(() => one.upkeep.retain());
    const idle = await withLongestBlock(() => one.upkeep.retain());
    await one.db.close();
    return { took, idle };
  });
  figures["retention_60000_to_50000"] = figure(
    pass.map(({ took }) => took.ms),
    "ms",
  );
  figures["retention_longest_block"] = figure(
    pass.map(({ took }) => took.blockMs),
    "ms",
  );
  figures["retention_idle"] = figure(
    pass.map(({ idle }) => idle.ms),
    "ms",
  );

  for (const [name, holders, targets] of [
    ["100_by_100", 100, 100],
    ["10000_by_1", 10_000, 1],
  ] as const) {
    const scans = await repeat(3, async () => {
      const one = world();
      one.db.writeNow(() => {
        for (let target = 0; target < targets; target += 1) {
          const key = `agent:main:target:${target}`;
          for (let holder = 0; holder < holders; holder += 1)
            one.journal.watch(`agent:main:holder:${holder}`, { key, agentId: "main" }, Date.now());
          one.journal.record(word({ sessionKey: key }), Date.now());
          one.journal.record(word({ sessionKey: key }), Date.now());
        }
      });
      const took = await withLongestBlock(() => one.upkeep.replay());
      await one.db.close();
      return took;
    });
    figures[`start_10000_pending_${name}`] = figure(
      scans.map(({ ms }) => ms),
      "ms",
    );
    figures[`start_10000_pending_${name}_longest_block`] = figure(
      scans.map(({ blockMs }) => blockMs),
      "ms",
    );
  }
  return figures;
}

async function tools(): Promise<Figures> {
  const one = world();
  seedInto(one.db, 10_000);
  one.db.writeNow(() => {
    one.directory.ensureLane(
      {
        key: asSessionKey("agent:main:main"),
        identity: null,
        channelId: "local",
        source: seededSource(1),
      },
      Date.now(),
    );
  });
  const box = toolsOn(one.db, one.stores);
  const requester = {
    key: "agent:main:main",
    isClient: true,
    chain: () => ({ id: "bench", hops: 0 }),
  };
  const call = (args: unknown) =>
    repeat(runs, async () =>
      quantile(
        await repeat(50, () =>
          timed(() => box.call(requester, "sessions_list", args, new AbortController().signal)),
        ),
        0.5,
      ),
    );
  const figures = {
    sessions_list_100_of_10000: figure(await call({ limit: 100 }), "ms"),
    sessions_list_200_of_10000: figure(await call({ limit: 200 }), "ms"),
    sessions_list_search: figure(await call({ limit: 100, search: "person 0099" }), "ms"),
    sessions_list_search_other_script: figure(await call({ limit: 100, search: "анна" }), "ms"),
  };
  await one.db.close();
  return figures;
}

/** 10,000 events on one watched target: what stays of them in memory and in the queue. */
async function storm(): Promise<Figures> {
  const one = world();
  one.db.writeNow(() => one.journal.watch("agent:main:watcher:0", target, Date.now()));
  let told = 0;
  one.journal.listen({
    committed({ events: recorded, missed }) {
      told += recorded.length + missed;
    },
  });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const ms = await timed(async () => {
    for (let batch = 0; batch < 100; batch += 1)
      await Promise.all(
        Array.from({ length: 100 }, () =>
          one.db.write(() => one.journal.record(word(), Date.now())),
        ),
      );
  });
  globalThis.gc?.();
  const grownMb = (process.memoryUsage().heapUsed - before) / 1024 / 1024;
  const figures = {
    storm_events_per_second: figure([(10_000 / ms) * 1000], "events/s"),
    storm_heap_growth: figure([Math.max(0, grownMb)], "MB"),
    storm_notices_waiting: figure([one.journal.lines.waiting("agent:main:watcher:0").length], ""),
    storm_events_told: figure([told], ""),
  };
  await one.db.close();
  return figures;
}

/** The disk's own fsync of a page, in the same run: what is durable is to be read against it. */
function fsyncHere(): number {
  const file = openSync(join(diskDir(), "file"), "w");
  const page = Buffer.alloc(4096, 1);
  const took: number[] = [];
  for (let nth = 0; nth < 200; nth += 1) {
    const at = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    took.push(performance.now() - at);
  }
  closeSync(file);
  return median(took);
}

/** The figures of state-awareness 21, beside the reference's. */
export async function benchJournal(): Promise<Figures> {
  return {
    fsync: figure(await repeat(runs, () => fsyncHere()), "ms"),
    ...(await recording()),
    ...(await reading()),
    ...(await upkeepFigures()),
    ...(await tools()),
    ...(await storm()),
  };
}
