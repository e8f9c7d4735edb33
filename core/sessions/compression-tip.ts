import type { SessionId } from "../contract/ids.ts";

/** Why an incarnation has a parent, as stored in `model_config` (lifecycle 7.2). A parent without one is a compression. */
export const lineageMarkers = ["_reset_from", "_branched_from", "_delegate_from"] as const;
export type LineageMarker = (typeof lineageMarkers)[number];

/** The marker of a stored `model_config`; null for a continuation, and for text that is no object. */
export function markerOf(modelConfig: string | null): LineageMarker | null {
  if (modelConfig === null) return null;
  try {
    const value: unknown = JSON.parse(modelConfig);
    if (typeof value !== "object" || value === null) return null;
    return lineageMarkers.find((marker) => Object.hasOwn(value, marker)) ?? null;
  } catch {
    return null;
  }
}

/** A child of an incarnation that compression ended. */
export interface Continuation {
  readonly id: SessionId;
  readonly endReason: string | null;
  readonly isLive: boolean;
  readonly modelConfig: string | null;
  readonly source: string;
  /** Id of its newest row; 0 where it has none. */
  readonly lastMessageId: number;
}

/**
 * Where a conversation that was compressed went on (lifecycle 14.3): never into a branch, a reset, a delegate or a tool's
 * session; rather along the chain, then into a live one, then where something was written last.
 */
export function chooseContinuation(children: readonly Continuation[]): SessionId | null {
  const rank = (child: Continuation): number =>
    child.endReason === "compression" ? 2 : child.isLive ? 1 : 0;
  return (
    children
      .filter((child) => markerOf(child.modelConfig) === null && child.source !== "tool")
      .toSorted(
        (a, b) => rank(b) - rank(a) || b.lastMessageId - a.lastMessageId || (a.id < b.id ? 1 : -1),
      )[0]?.id ?? null
  );
}

/** Links followed at most; a longer chain is read as ending there (lifecycle 14.3). */
export const maxHops = 100;

/**
 * The live end of a compression chain (lifecycle 14.3). Cycles end where they close.
 *
 * @param step The incarnation after this one, or null where there is none.
 * @returns `from` itself where nothing continues it.
 */
export function compressionTip(
  from: SessionId,
  step: (id: SessionId) => SessionId | null,
): SessionId {
  const seen = new Set([from]);
  let id = from;
  for (let hops = 0; hops < maxHops; hops += 1) {
    const next = step(id);
    if (next === null || seen.has(next)) return id;
    seen.add(next);
    id = next;
  }
  return id;
}
