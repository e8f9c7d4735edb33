import { systemActor } from "./actor.ts";
import type { Actor } from "./actor.ts";
import type { EventPayload, NewEvent } from "./kinds.ts";
import type { Chain, RelayStop } from "./relay.ts";

/** The session that an event belongs to, as its producer knows it. */
export interface Subject {
  sessionKey: string;
  sessionId?: string | null;
  agentId?: string;
}

/** Whose child a session is (3.3). */
export interface Lineage {
  spawnedBy: string | null;
  parent: string | null;
}

export const noLineage: Lineage = { spawnedBy: null, parent: null };

/** The one watcher that lineage names: who spawned it, else its parent. */
const lineageWatchers = ({ spawnedBy, parent }: Lineage): string[] =>
  spawnedBy !== null ? [spawnedBy] : parent !== null ? [parent] : [];

/**
 * A person's message was accepted (3.3). Null where nobody could want to know: the session is neither watched nor
 * anybody's child, or the actor is no person.
 */
export function humanMessage(
  subject: Subject,
  turn: {
    actor: Actor;
    channel: string;
    lineage: Lineage;
    isWatched: boolean;
    runId?: string | null;
    dedupeKey?: string | null;
    occurredAtMs?: number | undefined;
    /** From a foreign session: several at once are one event. */
    turns?: number;
  },
): NewEvent | null {
  const watchers = lineageWatchers(turn.lineage);
  if (turn.actor.type !== "human" || (watchers.length === 0 && !turn.isWatched)) return null;
  const channel = turn.channel.trim();
  return {
    ...subject,
    kind: "human_direct_message",
    actor: turn.actor,
    runId: turn.runId ?? null,
    dedupeKey: turn.dedupeKey ?? null,
    occurredAtMs: turn.occurredAtMs,
    summary: `human message via ${channel === "" ? "unknown" : channel}`,
    payload: turn.turns !== undefined && turn.turns > 1 ? { turns: turn.turns } : null,
    watchers,
  };
}

/** A goal changed, after it was stored (11.3). The summary is one of `goalSummaries`. */
export const goalChanged = (
  subject: Subject,
  change: { actor: Actor; summary: string; lineage: Lineage; chain?: Chain | null },
): NewEvent => ({
  ...subject,
  kind: "goal_changed",
  actor: change.actor,
  summary: change.summary,
  watchers: lineageWatchers(change.lineage),
  chain: change.chain ?? null,
});

/** A child run was accepted; its requester's watch begins exactly here (5.1). */
export const childSpawned = (child: Subject, runId: string, requester: string): NewEvent => ({
  ...child,
  kind: "child_spawned",
  actor: { type: "agent", id: requester },
  runId,
  dedupeKey: `child-spawned:${runId}`,
  summary: "child session spawned",
  watchers: [requester],
});

export type ChildOutcome = "ok" | "error" | "timeout" | "cancelled";

const endings: Record<Exclude<ChildOutcome, "ok">, string> = {
  error: "child run failed",
  timeout: "child run timed out",
  cancelled: "child run cancelled",
};

/** The end of a child run; the first one recorded for a run is the one that holds (13). */
export const childEnded = (
  child: Subject,
  runId: string,
  requester: string,
  outcome: ChildOutcome,
): NewEvent => ({
  ...child,
  kind: outcome === "ok" ? "run_completed" : "run_failed",
  actor: systemActor,
  runId,
  dedupeKey: `run-terminal:${runId}`,
  summary: outcome === "ok" ? "child run completed" : endings[outcome],
  payload: outcome === "ok" ? null : { outcome },
  watchers: [requester],
});

/** A compaction succeeded (12). */
export const compacted = (subject: Subject, operationId: string): NewEvent => ({
  ...subject,
  kind: "compacted",
  actor: systemActor,
  dedupeKey: `compacted:${operationId}`,
  summary: "session compacted",
});

/** A session was made by somebody known (decision 7). */
export const sessionCreated = (
  subject: Required<Pick<Subject, "sessionKey" | "agentId">> & { sessionId: string },
  actor: Actor,
): NewEvent => ({
  ...subject,
  kind: "created",
  actor,
  dedupeKey: `created:${subject.agentId}:${subject.sessionKey}:${subject.sessionId}`,
  summary: "session created",
});

/** The source of an adopted session is gone for good (14.6). */
export const upstreamMissing = (
  subject: Subject,
  source: { catalogId: string; sourceKey: string; linkUpdatedAt: number },
): NewEvent => ({
  ...subject,
  kind: "upstream_missing",
  actor: systemActor,
  dedupeKey: `upstream-missing:${subject.sessionKey}:${source.sourceKey}:${source.linkUpdatedAt}`,
  summary: `upstream missing via ${source.catalogId}`,
  payload: { channel: source.catalogId },
});

/** Agents were kept from talking on among themselves. Once a chain and limit. */
export const relayStopped = (
  subject: Subject,
  from: string,
  stop: RelayStop,
  chain: Chain,
): NewEvent => ({
  ...subject,
  kind: "relay_stopped",
  actor: { type: "agent", id: from },
  dedupeKey: `relay-stopped:${chain.id}:${stop}:${subject.sessionKey}`,
  summary: "relay among agents stopped",
  payload: { limit: stop, hops: chain.hops },
});

/** The payload as tools show it: known members only, an empty one as none (10.1). */
export function shownPayload(payload: EventPayload | null): EventPayload | null {
  const shown: Record<string, string | number> = {};
  const { outcome, channel, turns } = payload ?? {};
  if (outcome === "error" || outcome === "timeout" || outcome === "cancelled")
    shown["outcome"] = outcome;
  if (typeof channel === "string") shown["channel"] = channel;
  if (typeof turns === "number" && Number.isInteger(turns) && turns > 0) shown["turns"] = turns;
  return Object.keys(shown).length === 0 ? null : shown;
}
