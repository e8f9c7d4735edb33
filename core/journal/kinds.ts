import type { Actor } from "./actor.ts";
import type { Chain } from "./relay.ts";

/** Kinds that tell watchers; all others, unknown ones too, are only recorded (state-awareness 3.1). */
export const notifyingKinds = ["human_direct_message", "upstream_missing", "goal_changed"] as const;

const notifying: ReadonlySet<string> = new Set(notifyingKinds);
export const notifies = (kind: string): boolean => notifying.has(kind);

/** Small facts of an event; never text of messages, tools, goals, errors or files (3.4). */
export type EventPayload = Readonly<Record<string, string | number>>;

export interface NewEvent {
  sessionKey: string;
  sessionId?: string | null;
  /** Default: the agent in the key. */
  agentId?: string;
  kind: string;
  actor: Actor;
  runId?: string | null;
  /** Recorded once; a repetition gives the first event back and changes nothing. */
  dedupeKey?: string | null;
  /** Clamped to the last 24 hours; default now. */
  occurredAtMs?: number | undefined;
  summary: string;
  payload?: EventPayload | null;
  /** Sessions that the producer names as watchers (lineage). */
  watchers?: readonly string[];
  /** The chain of agent-made messages in which it happened. */
  chain?: Chain | null;
}

export interface RecordedEvent {
  sequence: number;
  sessionKey: string;
  sessionId: string | null;
  agentId: string;
  kind: string;
  actor: Actor;
  runId: string | null;
  occurredAt: number;
  summary: string;
  payload: EventPayload | null;
}

export const clampMs = 86_400_000;

/** Neither in the future nor so old that retention would take it at once (4.2). */
export const eventTime = (occurredAtMs: number | undefined, nowMs: number): number =>
  occurredAtMs === undefined || !Number.isFinite(occurredAtMs)
    ? nowMs
    : Math.min(nowMs, Math.max(nowMs - clampMs, Math.trunc(occurredAtMs)));
