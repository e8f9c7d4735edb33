import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import type { Database } from "../state/database.ts";
import type { Journal, PairPlace } from "./journal.ts";
import { retentionMs, retentionPauseMs } from "./retention.ts";
import type { Retention } from "./retention.ts";

export interface UpkeepDeps {
  db: Database;
  journal: Journal;
  retention: Retention;
  clock: Clock;
  log: Log;
  /** Whether a watcher's session exists. */
  exists(watcher: string): boolean;
  /** Forgets what else is older than the retention, in one small step. */
  forgetMore(nowMs: number): void;
}

/** Rows of one slice: a few ms with its commit, so that the thread that serves the window is never held (state-awareness 21). */
const sliceRows = 100;

export type Upkeep = ReturnType<typeof createUpkeep>;

/** The start-up scan and the retention pass (state-awareness 6.5, 7.2), in slices off everybody's path. */
export function createUpkeep(deps: UpkeepDeps) {
  const { db, journal, retention, clock, log } = deps;
  let lastPassMs: number | null = null; // on the monotonic clock: a stepped wall clock neither skips nor repeats one
  let lastPassAtMs: number | null = null;
  let running: Promise<number> | null = null;
  let closed = false;

  const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  async function slices(work: () => number): Promise<number> {
    let done = 0;
    for (;;) {
      if (closed) return done;
      const count = await db.write(work);
      done += count;
      if (count < sliceRows) return done;
      await breath();
    }
  }

  async function pass(): Promise<number> {
    const nowMs = clock.nowMs();
    let done = await slices(() => retention.dropAged(nowMs, sliceRows));
    const bound = retention.bound();
    if (bound !== null) done += await slices(() => retention.dropThrough(bound, sliceRows));
    done += await slices(() => journal.expireSlice(nowMs - retentionMs, sliceRows, nowMs));
    done += await slices(() => journal.lines.forget(nowMs - retentionMs, sliceRows));
    await db.write(() => {
      deps.forgetMore(nowMs);
    });
    lastPassMs = clock.monotonicMs();
    lastPassAtMs = nowMs;
    return done;
  }

  return {
    /** Queues what is pending again; resolves with the number of pairs. */
    async replay(): Promise<number> {
      let pairs = 0;
      let at: PairPlace | null = { watcher: "", target: "" };
      while (at !== null && !closed) {
        const from: PairPlace = at;
        const slice = await db.write(() =>
          journal.replaySlice(from, sliceRows, (watcher) => deps.exists(watcher), clock.nowMs()),
        );
        pairs += slice.pairs;
        at = slice.next;
        if (at !== null) await breath();
      }
      return pairs;
    },
    /** One retention pass; a second caller gets the one under way. */
    retain(): Promise<number> {
      running ??= pass().finally(() => {
        running = null;
      });
      return running;
    },
    /** After recorded events: a pass is due an hour after the one before. Never on the caller's path. */
    considerPass(): void {
      if (running || closed) return;
      if (lastPassMs !== null && clock.monotonicMs() - lastPassMs <= retentionPauseMs) return;
      this.retain().catch((cause: unknown) => {
        log.warn("retention.failed", {}, cause); // tried again at the next event
      });
    },
    lastPassAtMs: (): number | null => lastPassAtMs,
    async close(): Promise<void> {
      closed = true;
      await running?.catch(() => undefined);
    },
  };
}
