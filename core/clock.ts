import { readMachine } from "./recovery/machine.ts";
import type { MachineRun } from "./recovery/machine.ts";

/** Time as a parameter: the wall clock for what is stored, the monotonic one for what is measured. */
export interface Clock {
  /** Epoch milliseconds, UTC. May step when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since some fixed instant of this boot; never steps back. */
  monotonicMs(): number;
  /** The machine's own run: what is measured against it survives our end, its sleep and a set clock. */
  machine(): MachineRun;
  /** Runs `fn` once after `ms`; the returned function cancels. Never keeps the process alive by itself. */
  after(ms: number, fn: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  machine: readMachine,
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(ms, 2_147_483_647)); // Node fires at once above 2^31-1
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
