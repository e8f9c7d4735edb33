/** The chain of messages that agents made, since a person last spoke. It goes along each of them. */
export interface Chain {
  id: string;
  /** Relays so far; 0 in the turn that a person began. */
  hops: number;
}

export interface RelayLimits {
  /** Relays one after another. */
  maxHops: number;
  /** Relays of one chain in the window, however they branch. */
  maxPerChain: number;
  /** Relays between two sessions, either way, in the window, since a person last spoke in one of them. */
  maxPerPair: number;
}

export type RelayStop = "hops" | "chain" | "pair";

/** Whether one more relay may go, and which limit stops it (field need 15). */
export function decideRelay(
  found: { hops: number; inChain: number; inPair: number },
  limits: RelayLimits,
): RelayStop | null {
  if (found.hops > limits.maxHops) return "hops";
  if (found.inChain >= limits.maxPerChain) return "chain";
  return found.inPair >= limits.maxPerPair ? "pair" : null;
}

/** The pair, whichever of the two speaks. */
export const pairOf = (a: string, b: string): string => JSON.stringify([a, b].toSorted());
