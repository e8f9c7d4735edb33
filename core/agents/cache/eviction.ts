import type { SessionKey } from "../../contract/ids.ts";

/** Why an agent left the cache. */
export type EvictionCause = "full" | "idle" | "pressure" | "by_hand" | "boundary" | "rebuilt";

/** One cached agent, as the rules see it. The list is in order of use: least recent first. */
export interface CachedFacts {
  key: SessionKey;
  /** A turn runs in it, or is about to (lifecycle 16.4: "mid-turn", "starting"). */
  busy: boolean;
  /** Everything that it said is on disk (flushed index >= live messages). */
  flushed: boolean;
  /** The operator keeps it. */
  pinned: boolean;
  /** Monotonic ms. */
  lastUsedMs: number;
}

/** Why this agent cannot be evicted now; null where it can. Said as it is in the panel. */
export function whyKept(facts: CachedFacts): "busy" | "unflushed" | "pinned" | null {
  if (facts.busy) return "busy";
  if (!facts.flushed) return "unflushed";
  return facts.pinned ? "pinned" : null;
}

/**
 * Over the cap (lifecycle 16.5): only the oldest `n - maxSize` positions are looked at; one that cannot go is skipped,
 * no younger one goes in its place. The cache may stay over the cap until the next insert.
 */
export function overCap(entries: readonly CachedFacts[], maxSize: number): SessionKey[] {
  const excess = Math.max(0, entries.length - maxSize);
  return entries.slice(0, excess).flatMap((entry) => (whyKept(entry) === null ? [entry.key] : []));
}

/** Not used for longer than `ttlMs` (lifecycle 16.5). */
export function idleTooLong(
  entries: readonly CachedFacts[],
  nowMs: number,
  ttlMs: number,
): SessionKey[] {
  return entries.flatMap((entry) =>
    nowMs - entry.lastUsedMs > ttlMs && whyKept(entry) === null ? [entry.key] : [],
  );
}

export interface PressureChoice {
  evict: SessionKey[];
  /** Among those looked at, by reason: what the warning names when nothing could go. */
  kept: { busy: number; unflushed: number; pinned: number; recent: number };
}

/**
 * Under memory pressure (lifecycle 16.4): least recently used first, the `min(protectRecent, floor(n / 2))` most recent
 * are left alone, at most `maxEvictions` a pass.
 */
export function underPressure(
  entries: readonly CachedFacts[],
  settings: { protectRecent: number; maxEvictions: number },
): PressureChoice {
  const recent = Math.min(settings.protectRecent, Math.floor(entries.length / 2));
  const choice: PressureChoice = { evict: [], kept: { busy: 0, unflushed: 0, pinned: 0, recent } };
  for (const entry of entries.slice(0, entries.length - recent)) {
    if (choice.evict.length >= settings.maxEvictions) break;
    const why = whyKept(entry);
    if (why === null) choice.evict.push(entry.key);
    else choice.kept[why] += 1;
  }
  return choice;
}
