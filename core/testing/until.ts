/** Longest wait for a state, in ms of real time: only a state that never comes takes this long. */
const giveUpMs = 8_000;

/** One turn of the event loop: commits, microtasks and input that were due have run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Waits for a state, looked at after each turn of the event loop; no time is slept.
 * @returns The first value of `look` that is neither false, null nor undefined.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  const startedMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined)
      return found as NonNullable<Exclude<T, false>>;
    if (performance.now() - startedMs > giveUpMs) throw new Error(`It never came to this: ${what}`);
    await turn();
  }
}

/** Runs what is under way to its end, as far as it needs no time: `turns` turns of the event loop. */
export async function settle(turns = 20): Promise<void> {
  for (let left = turns; left > 0; left -= 1) await turn();
}
