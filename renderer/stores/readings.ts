import { createStore } from "zustand/vanilla";
import type { GatewayStatus } from "../../core/contract/domain.ts";
import type { Gateway } from "./gateway.ts";
import type { Timer } from "./timer.ts";

/** What is remembered of the gateway's figures, one point a bucket; null where it was not heard of. */
export interface Reading {
  running: number | null;
  queued: number | null;
  turns: number | null;
  failed: number | null;
  loopDelayMs: number | null;
  rssBytes: number | null;
}

const BUCKET_MS = 10_000;
const KEPT = 180; // half an hour

const unheard: Reading = {
  running: null,
  queued: null,
  turns: null,
  failed: null,
  loopDelayMs: null,
  rssBytes: null,
};

const readingOf = (status: GatewayStatus): Reading => ({
  running: status.counts.running,
  queued: status.counts.queued,
  turns: status.turns.today,
  failed: status.turns.failedToday,
  loopDelayMs: status.loopDelayP99Ms,
  rssBytes: status.memory.rssBytes,
});

/** Two readings of one bucket: the newer, but the worse delay and the fuller queue, which a glance must not miss. */
export function merged(before: Reading, now: Reading): Reading {
  const worse = (a: number | null, b: number | null) =>
    a === null ? b : b === null ? a : Math.max(a, b);
  return {
    ...now,
    running: worse(before.running, now.running),
    queued: worse(before.queued, now.queued),
    loopDelayMs: worse(before.loopDelayMs, now.loopDelayMs),
  };
}

/** How much a count that only grows grew in each step; a fall (midnight, a new gateway) starts anew. */
export function growth(points: readonly (number | null)[]): (number | null)[] {
  return points.slice(1).map((point, index) => {
    const before = points[index] ?? null;
    return point === null || before === null ? null : point < before ? point : point - before;
  });
}

/** Keeps the last half hour of the gateway's figures for as long as the page lives. */
export function readingsStore(gateway: Gateway, timer: Timer) {
  const store = createStore<{ points: readonly Reading[] }>(() => ({ points: [] }));
  let bucket = -1;
  let last: GatewayStatus | null = null;

  const take = () => {
    const { status, link } = gateway.store.getState();
    if (status === null || (link === "up" && status === last)) return; // nothing new was said
    last = status;
    const now = Math.floor(timer.nowMs() / BUCKET_MS);
    const reading = link === "up" ? readingOf(status) : unheard;
    store.setState(({ points }) => {
      const newest = points.at(-1);
      if (now === bucket && newest !== undefined)
        return { points: [...points.slice(0, -1), merged(newest, reading)] };
      const missed = bucket < 0 ? 0 : Math.min(KEPT, now - bucket - 1);
      const gap = Array.from({ length: missed }, () => unheard);
      return { points: [...points, ...gap, reading].slice(-KEPT) };
    });
    bucket = now;
  };

  return {
    store,
    start() {
      take();
      return gateway.store.subscribe(take);
    },
  };
}
