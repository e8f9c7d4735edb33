import type { Chance } from "./seeded.ts";

/** How the recording server treats a delivery. `kept`: the person has it, whatever the sender is told. */
export const treatments = {
  fair: { kept: true },
  /** Keeps it and never answers. */
  hangs: { kept: true },
  /** Keeps it and breaks the connection. */
  drops: { kept: true },
  /** 429 with a wait. */
  limits: { kept: false },
  /** 500, although it has kept it. */
  fails_after: { kept: true },
  /** 502, and has not kept it. */
  fails_before: { kept: false },
} as const;
export type Treatment = keyof typeof treatments;

/** What the parent tells the server, for every delivery from then on. */
export type Weather =
  | { kind: "fair" }
  /** Each delivery has this share of a chance to be treated so. */
  | { kind: "flaky"; treatment: Treatment; share: number }
  /** Nobody listens for a while. */
  | { kind: "closed"; ms: number };

/** Fair more often than not; otherwise one trouble, more or less of it. */
export function anyWeather(chance: Chance): Weather {
  if (chance.happens(0.5)) return { kind: "fair" };
  if (chance.happens(0.2)) return { kind: "closed", ms: chance.between(100, 1200) };
  return {
    kind: "flaky",
    treatment: chance.pick(Object.keys(treatments) as Treatment[]),
    share: chance.pick([0.2, 0.5, 0.9]),
  };
}
