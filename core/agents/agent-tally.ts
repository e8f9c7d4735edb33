import type { Clock } from "../clock.ts";

const HOUR_MS = 3_600_000;

/** Turns an agent has under way, and how many failed in the last hour of the monotonic clock. Kept in memory only. */
export interface AgentTally {
  started(): void;
  ended(failed: boolean): void;
  running(): number;
  failuresLastHour(): number;
}

export function createTally(clock: Clock): AgentTally {
  let running = 0;
  let failures: number[] = [];

  function recent(): number[] {
    const since = clock.monotonicMs() - HOUR_MS;
    failures = failures.filter((at) => at > since);
    return failures;
  }

  return {
    started() {
      running++;
    },
    ended(failed) {
      running = Math.max(0, running - 1);
      if (failed) recent().push(clock.monotonicMs());
    },
    running: () => running,
    failuresLastHour: () => recent().length,
  };
}
