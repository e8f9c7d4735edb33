import type { Clock } from "../clock.ts";

/** A clock that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves on and runs what is due, in the order of its time. */
  advance(ms: number): void;
  /** Sets the wall clock, as an operator or NTP does; what is measured does not move. */
  setWall(atMs: number): void;
  /** The machine starts anew: what was measured against its run no longer can be. */
  reboot(): void;
  /** How many timers wait. */
  readonly pending: number;
}

/** @param startMs Epoch milliseconds of the wall clock at first. */
export function manualClock(startMs = Date.UTC(2026, 2, 14, 9, 26, 53)): ManualClock {
  let elapsedMs = 0;
  let boots = 1;
  let bootedAtMs = 0;
  let wallMs = startMs;
  let timers: { dueMs: number; fn: () => void }[] = [];
  return {
    nowMs: () => wallMs,
    monotonicMs: () => elapsedMs,
    machine: () => ({ bootId: `run ${boots}`, uptimeMs: elapsedMs - bootedAtMs }),
    after(ms, fn) {
      const timer = { dueMs: elapsedMs + Math.max(0, ms), fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const untilMs = elapsedMs + ms;
      const move = (toMs: number): void => {
        wallMs += toMs - elapsedMs;
        elapsedMs = toMs;
      };
      for (;;) {
        const due = timers
          .filter((timer) => timer.dueMs <= untilMs)
          .reduce<(typeof timers)[number] | null>(
            (first, timer) => (first === null || timer.dueMs < first.dueMs ? timer : first),
            null,
          );
        if (due === null) break;
        timers = timers.filter((timer) => timer !== due);
        move(Math.max(elapsedMs, due.dueMs));
        due.fn();
      }
      move(untilMs);
    },
    setWall(atMs) {
      wallMs = atMs;
    },
    reboot() {
      boots += 1;
      bootedAtMs = elapsedMs;
    },
    get pending() {
      return timers.length;
    },
  };
}
