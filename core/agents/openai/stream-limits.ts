import type { Clock } from "../../clock.ts";
import type { TimeoutKind } from "./faults.ts";

/** Limits of one turn, in milliseconds of the monotonic clock; 0 switches one off. */
export interface StreamLimits {
  /**
   * From sending a request to the first piece of its answer (text, reasoning or a tool call); comments do not extend
   * it. Default 240_000: a laptop may load a model from disk first; Node's fetch gives up at 300_000 by itself.
   */
  firstTokenMs: number;
  /** Between two reads once the answer has begun; any byte counts, comments too. Default 120_000. */
  idleMs: number;
  /** The whole turn, a follow-up request included. Default 1_800_000, `agent.gateway_timeout` (lifecycle 19). */
  totalMs: number;
  /** How long to wait for usage and the end mark after the model has finished. Default 5_000; then it is complete. */
  lingerMs: number;
}

export const defaultLimits: StreamLimits = {
  firstTokenMs: 240_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  lingerMs: 5_000,
};

export interface StreamTimers {
  /** A request leaves: its first-token time begins. */
  request(): void;
  /** A read brought bytes, of whatever kind. */
  bytes(): void;
  /** The answer has begun. */
  begun(): void;
  /** The model has finished; only `onLinger` can fire for this request now. */
  finished(onLinger: () => void): void;
  /** Nobody is asked for a while (tools run): only the whole turn's time goes on. */
  rest(): void;
  stop(): void;
}

/** Watches one turn; `onExpire` fires at most once. */
export function startTimers(
  clock: Clock,
  limits: StreamLimits,
  onExpire: (which: TimeoutKind) => void,
): StreamTimers {
  const off = () => {};
  let lastBytesMs = 0;
  let begun = false;
  let stopped = false;
  let cancelPhase = off;

  const after = (ms: number, fn: () => void) => (ms > 0 ? clock.after(ms, fn) : off);
  const expire = (which: TimeoutKind) => () => {
    if (stopped) return;
    stop();
    onExpire(which);
  };
  const cancelTotal = after(limits.totalMs, expire("total"));

  /** One timer that looks when it fires how long the silence really was: cheaper than one for every read. */
  function watchIdle(): void {
    cancelPhase = after(limits.idleMs - (clock.monotonicMs() - lastBytesMs), () => {
      if (stopped) return;
      if (clock.monotonicMs() - lastBytesMs >= limits.idleMs) expire("idle")();
      else watchIdle();
    });
  }

  function stop(): void {
    stopped = true;
    cancelPhase();
    cancelTotal();
  }

  return {
    request() {
      cancelPhase();
      begun = false;
      cancelPhase = after(limits.firstTokenMs, expire("first_token"));
    },
    bytes() {
      lastBytesMs = clock.monotonicMs();
    },
    begun() {
      if (begun || stopped) return;
      begun = true;
      cancelPhase();
      lastBytesMs = clock.monotonicMs();
      if (limits.idleMs > 0) watchIdle();
    },
    finished(onLinger) {
      if (stopped) return;
      begun = true; // its last text may be read after this; it must not bring the idle timer back
      cancelPhase();
      cancelPhase = after(limits.lingerMs, onLinger);
    },
    rest() {
      cancelPhase();
      begun = true; // until the next request
    },
    stop,
  };
}
