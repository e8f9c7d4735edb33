/** Time as a parameter, so that tests turn the hands themselves. */
export interface Timer {
  /** Epoch milliseconds of this machine's clock. */
  nowMs: () => number;
  /** Runs `fn` once after `ms`; the returned function cancels. */
  after: (ms: number, fn: () => void) => () => void;
}

export const browserTimer: Timer = {
  nowMs: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};
