/** Chance that can be had again: the same seed gives the same choices. */
export interface Chance {
  /** From 0 up to, never at, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True `share` of the time. */
  happens(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
  /** A stream of its own, so that one part's draws do not move another's. */
  branch(name: string): Chance;
}

/** @param seed Any whole number. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    happens: (share) => next() < share,
    pick(from) {
      const chosen = from[between(0, from.length - 1)];
      if (chosen === undefined) throw new Error("nothing to pick from");
      return chosen;
    },
    shuffled(from) {
      const rest = [...from];
      return from.map(() => {
        const [one] = rest.splice(between(0, rest.length - 1), 1);
        return one as (typeof rest)[number];
      });
    },
    branch(name) {
      let hash = seed >>> 0;
      for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
      return seeded(hash);
    },
  };
}
