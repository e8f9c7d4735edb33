import type { FailpointName } from "../../core/failpoint.ts";
import { failpointNames } from "../../core/failpoint.ts";
import type { Chance } from "./seeded.ts";

/** How one life of the gateway is to end. */
export interface Plan {
  /** The place at which it dies, where it gets there in time. */
  place: FailpointName | null;
  /** On which passage. */
  nth: number;
  /** The latest end, in ms from its start or from when it is ready. */
  kill: { from: "start" | "ready"; afterMs: number };
  /** Asked to stop, this long after it is ready; null: never. */
  stopAfterMs: number | null;
  /** What the operator does meanwhile. */
  meddles: boolean;
}

/** Passed at most once in a life, or seldom. */
const isSeldom = (name: string): boolean =>
  /^(boot|stop|act)\.|merged|resume_counted|part_/.test(name);

/** Every named place in turn, and in between any moment; without end. */
export function* plans(chance: Chance): Generator<Plan, never> {
  for (;;) {
    const places = chance.shuffled<FailpointName | null>([
      ...failpointNames,
      ...Array.from({ length: Math.ceil(failpointNames.length / 5) }, () => null),
    ]);
    for (const place of places)
      yield {
        place,
        nth: place !== null && isSeldom(place) ? 1 : chance.between(1, 3),
        kill:
          place !== null
            ? { from: "ready", afterMs: 2500 }
            : chance.happens(0.4)
              ? { from: "start", afterMs: chance.between(20, 900) }
              : { from: "ready", afterMs: chance.between(0, 1500) },
        stopAfterMs:
          place?.startsWith("stop.") === true || chance.happens(0.1)
            ? chance.between(0, 500)
            : null,
        meddles: place?.startsWith("act.") === true || chance.happens(0.3),
      };
  }
}
