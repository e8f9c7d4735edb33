import type { Timer } from "./timer.ts";

/** A clock that stands still until a test moves it. */
export interface TestTimer extends Timer {
  /** Lets `ms` pass, firing what falls due, in order; promises settle in between. */
  pass: (ms: number) => Promise<void>;
}

/** Enough turns of the microtask queue for a chain of a few awaits. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

export function testTimer(startMs = 1_000_000): TestTimer {
  let nowMs = startMs;
  let due: { atMs: number; fn: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    after(ms, fn) {
      const one = { atMs: nowMs + ms, fn };
      due.push(one);
      return () => {
        due = due.filter((other) => other !== one);
      };
    },
    async pass(ms) {
      const until = nowMs + ms;
      await settle();
      for (;;) {
        const next = due.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > until) break;
        due = due.filter((one) => one !== next);
        nowMs = next.atMs;
        next.fn();
        await settle();
      }
      nowMs = until;
    },
  };
}
