import { decideReply } from "../delivery/silence.ts";

/** Restarts in a row after which a lane is suspended as a stuck loop (lifecycle 10.6). */
export const stuckThreshold = 3;

/** What a start finds of one lane; plain facts, nothing decided. */
export interface LaneFound {
  suspended: boolean;
  /** A stop of the marked turn that was on disk before the turn had ended. */
  stopped: { because: string; tell: boolean } | null;
  hasOrigin: boolean;
  /** The durable marker of a turn that has no end. */
  marker: { ageMs: number } | null;
  /** Set where an earlier stop or start marked the lane. */
  resumePending: { reason: string | null; ageMs: number; told: boolean } | null;
  /** The last live row of the transcript, bars left out; null where there is none. */
  tail: {
    role: string;
    text: string | null;
    hasToolCalls: boolean;
    sinceMarker: boolean;
    internalPrompt: boolean;
  } | null;
  /** The marked turn's reply is in the ledger. */
  recorded: boolean;
  /** A resume of this lane waits in its inbox already: next up, or held back from it. */
  resumeQueued: "next" | "held" | null;
  /** Restarts in a row, as counted on disk. */
  restarts: number;
}

export interface BootSettings {
  /** The stop before this start ended every turn and said so. */
  clean: boolean;
  /** Markers older than this are not taken up, in ms: max(1 h, twice `agent.gateway_timeout`) (lifecycle 10.4). */
  maxAgeMs: number;
  /** `agent.gateway_auto_continue_freshness` in ms; 0 and less = always fresh. */
  freshnessMs: number;
  breakerTripped: boolean;
}

export type LaneVerdict =
  | { kind: "nothing" }
  /** The reply is in the ledger, which owns it from here: the turn is never run again (lifecycle 11.6). */
  | { kind: "ledger-owns" }
  /** Somebody had stopped the turn: it is not taken up. */
  | { kind: "stopped"; because: string; tell: boolean }
  /** The reply is in the transcript: it is owed, not made again. `owed` is null where silence was right. */
  | { kind: "settle"; owed: string | null }
  | { kind: "suspend-stuck"; restarts: number }
  | { kind: "resume"; reason: string }
  /** The breaker tripped: the turn, and what waits behind it, waits until it is released or somebody writes. */
  | { kind: "hold"; reason: string }
  /** Not taken up by itself; the person is told once. `keepPending`: their next message still continues. */
  | { kind: "give-up"; because: "stale" | "suspended"; keepPending: boolean }
  /** Nobody to answer to: cleared without a word. */
  | { kind: "discard" };

const silenceNotice = "The agent answered with a silence marker only; there is no reply to show.";

/**
 * What a start does about one lane (lifecycle 10.3 to 10.6). The order is the rule: what the ledger has is the
 * ledger's; a reply that exists is never made again; a stop stays a stop; a suspension outranks a resume; a loop is
 * stopped before it turns once more; age stops automation only; the breaker holds what is left.
 */
export function decideLane(found: LaneFound, settings: BootSettings): LaneVerdict {
  if (!settings.clean || !found.marker) return judge(found, settings);
  // A clean stop leaves no turn behind: a marker is an orphan, whatever else there is to do.
  const verdict = judge({ ...found, marker: null }, settings);
  return verdict.kind === "nothing" ? { kind: "discard" } : verdict;
}

function judge(found: LaneFound, settings: BootSettings): LaneVerdict {
  const { marker } = found;
  if (marker && found.recorded) return { kind: "ledger-owns" };
  const reply = marker && persistedReply(found);
  if (reply) return { kind: "settle", owed: reply.owed };
  if (marker && found.stopped) return { kind: "stopped", ...found.stopped };
  if (!marker && !found.resumePending) return { kind: "nothing" };
  if (found.suspended)
    return marker || found.resumeQueued
      ? { kind: "give-up", because: "suspended", keepPending: !marker }
      : { kind: "nothing" };
  if (!found.hasOrigin) return marker ? { kind: "discard" } : { kind: "nothing" };
  if (found.restarts >= stuckThreshold) return { kind: "suspend-stuck", restarts: found.restarts };
  const reason = found.resumePending?.reason ?? "restart_interrupted";
  // What is next up already is not judged again; a marker beside it is another turn's.
  if (found.resumeQueued === "next" && !marker)
    return settings.breakerTripped ? { kind: "hold", reason } : { kind: "nothing" };
  if (marker) {
    if (marker.ageMs > settings.maxAgeMs)
      return { kind: "give-up", because: "stale", keepPending: false };
  } else if (found.resumePending) {
    const fresh = settings.freshnessMs <= 0 || found.resumePending.ageMs <= settings.freshnessMs;
    if (!fresh)
      return found.resumePending.told
        ? { kind: "nothing" }
        : { kind: "give-up", because: "stale", keepPending: true };
  }
  return settings.breakerTripped ? { kind: "hold", reason } : { kind: "resume", reason };
}

/** The reply that the marked turn left in the transcript, judged as live delivery would have (lifecycle 10.4). */
function persistedReply({ tail }: LaneFound): { owed: string | null } | null {
  if (tail?.role !== "assistant" || tail.hasToolCalls || tail.text === null || !tail.sinceMarker)
    return null;
  const verdict = decideReply({
    text: tail.text,
    succeeded: true,
    internal: tail.internalPrompt,
    expectsReply: true,
    autonomousLane: false,
  });
  if (verdict === "suppress") return { owed: null };
  if (verdict === "silence-notice") return { owed: silenceNotice };
  const text = tail.text.trim();
  return text === "" ? null : { owed: text };
}

/** Boots of the last while that had something to take up, newest last; epoch ms. */
export interface BreakerSettings {
  /** Chain length that trips; 0 disables. */
  maxRestarts: number;
  windowMs: number;
  maxGapMs: number;
}

/**
 * Whether this boot is one too many (lifecycle 10.5): boots form a chain while the gaps between them are short.
 * A time in the future by more than one gap is a set clock, not a boot: it is left out.
 */
export function breakerTrips(
  earlierMs: readonly number[],
  nowMs: number,
  settings: BreakerSettings,
): { trips: boolean; chain: number } {
  const gapMs = Math.max(settings.windowMs, settings.maxGapMs);
  const times = earlierMs.filter((at) => at <= nowMs + gapMs).toSorted((a, b) => a - b);
  let chain = 1;
  let next = nowMs;
  for (const at of times.toReversed()) {
    if (Math.abs(next - at) > gapMs) break;
    chain += 1;
    next = at;
  }
  return { trips: settings.maxRestarts > 0 && chain >= settings.maxRestarts, chain };
}
