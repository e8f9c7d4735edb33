import type { Target } from "./cursor-store.ts";
import type { EventStore } from "./event-store.ts";
import type { RecordedEvent } from "./kinds.ts";

/** Most events of one answer (state-awareness 7.1). */
export const pageLimit = 200;

export interface ChangeSet {
  /** Head of the session, read together with the list. */
  stateVersion: number;
  events: RecordedEvent[];
  /** More follow: ask again from the last number returned. */
  truncated: boolean;
  /** Where the next page starts; null on the last one. */
  next: number | null;
  /** Smallest retained number; head + 1 where none is retained, 0 where there was never one. */
  earliestAvailableSequence: number;
  /** Something asked for was pruned: read the whole session instead. */
  historyGap: boolean;
}

/** What could not be read may have changed: no answer says "nothing" (7.1, `[D]`). */
export const unreadable: ChangeSet = {
  stateVersion: 0,
  events: [],
  truncated: false,
  next: null,
  earliestAvailableSequence: 0,
  historyGap: true,
};

/**
 * What happened to a session after a version, oldest first. Reads only: no cursor moves, whoever asks.
 * @param limit Floored and held to 1..200.
 */
export function changesSince(
  events: EventStore,
  target: Target,
  after: number,
  limit: number = pageLimit,
): ChangeSet {
  const most = Math.min(pageLimit, Math.max(1, Math.floor(limit)));
  const head = events.head(target.key, target.agentId);
  const found = events.after(target.key, target.agentId, after, most + 1);
  const page = found.slice(0, most);
  const truncated = found.length > most;
  const earliest = events.earliest(target.key, target.agentId);
  return {
    stateVersion: head?.lastSequence ?? 0,
    events: page,
    truncated,
    next: truncated ? (page.at(-1)?.sequence ?? null) : null,
    earliestAvailableSequence: earliest ?? (head ? head.lastSequence + 1 : 0),
    historyGap: after < (head?.prunedMaxSequence ?? 0),
  };
}

/**
 * A version as tools take it: a non-negative safe integer, or its decimal digits. Null = not given.
 * @returns the sentence of the refusal where it is neither.
 */
export function readVersion(
  value: unknown,
): { ok: true; version: number | null } | { ok: false; error: string } {
  const refused = { ok: false, error: "changesSince must be a non-negative integer" } as const;
  if (value === undefined || value === null) return { ok: true, version: null };
  if (typeof value === "string") {
    const digits = value.trim();
    if (digits === "") return { ok: true, version: null };
    return /^\d+$/.test(digits) ? readVersion(Number(digits)) : refused;
  }
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? { ok: true, version: value }
    : refused;
}
