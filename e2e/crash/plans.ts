import type { FailpointName } from "../../core/failpoint.ts";
import { failpointNames } from "../../core/failpoint.ts";
import type { Chance } from "./seeded.ts";

/** How one life of the gateway is to end. */
export interface Plan {
  /** The place at which it dies, where it gets there in time. */
  place: FailpointName | null;
  /** On which passage. */
  nth: number;
  /** The latest end, counted from its start, in ms. */
  killAfterMs: number;
  /** Asked to stop, this long after it is ready; null: never. */
  stopAfterMs: number | null;
  /** What the operator does meanwhile. */
  meddles: boolean;
}

const once = (name: string): boolean => name.startsWith("boot.") || name.startsWith("stop.");

/** Every named place in turn, and in between any moment; without end. */
export function* plans(chance: Chance): Generator<Plan, never> {
  for (;;) {
    const places = chance.shuffled<FailpointName | null>([
      ...failpointNames,
      ...Array.from({ length: Math.ceil(failpointNames.length / 3) }, () => null),
    ]);
    for (const place of places)
      yield {
        place,
        nth: place !== null && once(place) ? 1 : chance.between(1, 3),
        killAfterMs: place === null ? chance.between(50, 1600) : 2500,
        stopAfterMs:
          place?.startsWith("stop.") === true || chance.happens(0.1)
            ? chance.between(0, 500)
            : null,
        meddles: place?.startsWith("act.") === true || chance.happens(0.3),
      };
  }
}
