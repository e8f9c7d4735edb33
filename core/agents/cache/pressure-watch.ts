import type { Clock } from "../../clock.ts";
import type { Log } from "../../log/log.ts";
import type { AgentCache } from "../agent-cache.ts";
import type { EvictionCause } from "./eviction.ts";
import type { MemoryBudget, MemoryReading } from "./memory.ts";

export interface MemorySample {
  atMs: number;
  bytes: number;
  cacheBytes: number;
}

export interface EvictionMark {
  atMs: number;
  cause: EvictionCause;
  count: number;
}

/** What one pass saw and did; kept for the panel. */
export interface PassReport {
  atMs: number;
  /** `off`, `unreadable`, `under budget`, or what was done. */
  outcome: "off" | "unreadable" | "under_budget" | "relieved" | "nothing_evictable";
  beforeBytes: number | null;
  afterBytes: number | null;
  evicted: number;
  kept: { busy: number; unflushed: number; pinned: number; recent: number };
}

export interface PressureWatchDeps {
  cache: AgentCache;
  clock: Clock;
  log: Log;
  budget(): MemoryBudget;
  read(): MemoryReading | null;
  collectGarbage(): Promise<boolean>;
}

/** First tick, further ticks, and readings for the plot, in ms (lifecycle 17.1). */
const firstMs = 60_000;
const everyMs = 300_000;
const sampleMs = 60_000;
/** Six hours of readings. */
const samplesKept = 360;

export type PressureWatch = ReturnType<typeof createPressureWatch>;

/** The cache's part of housekeeping: idle sweep and pressure pass on a timer, and readings over time (lifecycle 16.4, 17). */
export function createPressureWatch(deps: PressureWatchDeps) {
  const { cache, clock, log } = deps;
  const samples: MemorySample[] = [];
  const evictions: EvictionMark[] = [];
  let last: PassReport | null = null;
  let running: Promise<PassReport> | null = null;
  const cancels = new Map<string, () => void>();

  function repeat(name: string, ms: number, work: () => void): void {
    cancels.set(
      name,
      clock.after(ms, () => {
        try {
          work();
        } catch (cause) {
          log.error("housekeeping.step_failed", { step: name }, cause); // never stops the watcher (lifecycle 17.1)
        }
        repeat(name, name === "sample" ? sampleMs : everyMs, work);
      }),
    );
  }

  function sample(): void {
    const reading = deps.read();
    if (!reading) return;
    samples.push({ atMs: clock.nowMs(), bytes: reading.bytes, cacheBytes: cache.liveBytes() });
    if (samples.length > samplesKept) samples.shift();
  }

  const nothing = { busy: 0, unflushed: 0, pinned: 0, recent: 0 };

  async function pass(forced: boolean): Promise<PassReport> {
    const report = (
      outcome: PassReport["outcome"],
      more: Partial<PassReport> = {},
    ): PassReport => ({
      atMs: clock.nowMs(),
      outcome,
      beforeBytes: null,
      afterBytes: null,
      evicted: 0,
      kept: nothing,
      ...more,
    });
    const { bytes: budget } = deps.budget();
    if (budget === null && !forced) return report("off");
    const before = deps.read();
    if (!before) return report("unreadable");
    if (!forced && (before.bytes < (budget ?? 0) || cache.size() === 0))
      return report("under_budget", { beforeBytes: before.bytes });
    const { evict, kept } = await cache.relieve();
    if (evict.length > 0) await deps.collectGarbage();
    const after = deps.read();
    if (evict.length === 0)
      log.warn("pressure.nothing_evictable", {
        busy: kept.busy,
        unflushed: kept.unflushed,
        pinned: kept.pinned,
      });
    else
      log.info("pressure.relieved", {
        evicted: evict.length,
        beforeMb: mb(before.bytes),
        afterMb: after ? mb(after.bytes) : null,
      });
    return report(evict.length === 0 ? "nothing_evictable" : "relieved", {
      beforeBytes: before.bytes,
      afterBytes: after?.bytes ?? null,
      evicted: evict.length,
      kept,
    });
  }

  function passNow(forced: boolean): Promise<PassReport> {
    running ??= pass(forced)
      .then((report) => {
        last = report;
        return report;
      })
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    start(): void {
      sample();
      repeat("sample", sampleMs, sample);
      repeat("sweep", firstMs, () => {
        cache.sweepIdle();
        void passNow(false).catch((cause: unknown) => {
          log.error("pressure.failed", {}, cause);
        });
      });
    },
    stop(): void {
      for (const cancel of cancels.values()) cancel();
    },
    /** The pass at once, whatever the reading; one at a time. */
    passNow: () => passNow(true),
    /** Tells the plot of an eviction. */
    mark(cause: EvictionCause): void {
      const newest = evictions.at(-1);
      const atMs = clock.nowMs();
      if (newest?.cause === cause && atMs - newest.atMs < sampleMs) newest.count += 1;
      else evictions.push({ atMs, cause, count: 1 });
      if (evictions.length > 500) evictions.shift();
    },
    samples: (): readonly MemorySample[] => samples,
    evictions: (): readonly EvictionMark[] => evictions,
    lastPass: (): PassReport | null => last,
  };
}

const mb = (bytes: number): number => Math.round(bytes / 1_048_576);
