import { asSessionId, asSessionKey, asTurnId } from "../contract/ids.ts";
import type { SessionId, SessionKey, TurnId } from "../contract/ids.ts";
import { isUnsafeSessionId, isUnsafeSessionKey } from "./path-safety.ts";
import { present } from "./presence.ts";
import { platformFrom, sessionSourceFromStored, sessionSourceToStored } from "./session-source.ts";
import type { Platform, SessionSource } from "./session-source.ts";
import { isJsonObject, isTruthy, own, scalarText } from "./stored-json.ts";
import type { JsonObject, JsonValue } from "./stored-json.ts";
import { timeFromStored, timeToStored } from "./stored-time.ts";

/** Another model for one lane, without credentials: those never reach disk (lifecycle 2.1). */
export type ModelOverride = Readonly<Partial<Record<"model" | "provider" | "base_url", string>>>;

/** One routing record: a lane and what is known about its current incarnation (lifecycle 2.1). All times in epoch ms, UTC. */
export interface SessionEntry {
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly createdAtMs: number;
  /** Last activity of a person; bookkeeping never moves it. */
  readonly updatedAtMs: number;
  /** Creating source, and where resumed and redelivered replies go. */
  readonly origin: SessionSource | null;
  readonly displayName: string | null;
  readonly platform: Platform | null;
  readonly chatType: string;
  readonly metadata: JsonObject;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  readonly estimatedCostUsd: number;
  readonly costStatus: string;
  readonly lastPromptTokens: number;
  readonly modelOverride: ModelOverride | null;
  readonly reasoningOverride: JsonValue;
  readonly serviceTierOverride: JsonValue;
  /** The running turn's durable marker (lifecycle 10.2); its time is null without a token. */
  readonly activeTurnToken: TurnId | null;
  readonly activeTurnStartedAtMs: number | null;
  readonly transportProfile: string | null;
  readonly suspended: boolean;
  readonly resumePending: boolean;
  /** Why a turn has to be resumed (lifecycle 10.5), or a word of another build, kept as it is. */
  readonly resumeReason: string | null;
  readonly lastResumeMarkedAtMs: number | null;
  readonly isFreshReset: boolean;
  readonly wasAutoReset: boolean;
  /** Only `suspended` is written; `idle` and `daily` are history and mean nothing. */
  readonly autoResetReason: string | null;
  readonly resetHadActivity: boolean;
  readonly prevSessionId: SessionId | null;
  /** Nothing sets it any more; recovery still honours it as a fence. */
  readonly expiryFinalized: boolean;
  /** Members that this build does not know, written back as they came (lifecycle 2.3). */
  readonly unknown: JsonObject;
}

/** A new incarnation without history or flags (lifecycle 3.3 rule 0, 3.5). */
export function freshEntry(
  sessionKey: SessionKey,
  sessionId: SessionId,
  source: SessionSource | null,
  nowMs: number,
): SessionEntry {
  return {
    sessionKey,
    sessionId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    origin: source,
    displayName: source?.chatName ?? null,
    platform: source?.platform ?? null,
    chatType: source?.chatType ?? "dm",
    metadata: {},
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
    estimatedCostUsd: 0,
    costStatus: "unknown",
    lastPromptTokens: 0,
    modelOverride: null,
    reasoningOverride: null,
    serviceTierOverride: null,
    activeTurnToken: null,
    activeTurnStartedAtMs: null,
    transportProfile: null,
    suspended: false,
    resumePending: false,
    resumeReason: null,
    lastResumeMarkedAtMs: null,
    isFreshReset: false,
    wasAutoReset: false,
    autoResetReason: null,
    resetHadActivity: false,
    prevSessionId: null,
    expiryFinalized: false,
    unknown: {},
  };
}

/** What stands in for a suspended session on its next access (lifecycle 3.3 rule 2, 6.2). */
export function entryAfterSuspension(
  suspended: SessionEntry,
  sessionId: SessionId,
  source: SessionSource,
  nowMs: number,
): SessionEntry {
  return {
    ...freshEntry(suspended.sessionKey, sessionId, source, nowMs),
    wasAutoReset: true,
    autoResetReason: "suspended",
    resetHadActivity: suspended.lastPromptTokens > 0,
    prevSessionId: suspended.sessionId,
  };
}

/** The entry after `/new` or `/reset` (lifecycle 3.5): place and name are inherited, everything else starts over. */
export function entryAfterReset(
  old: SessionEntry,
  sessionId: SessionId,
  nowMs: number,
  displayName: string | null = old.displayName,
): SessionEntry {
  return {
    ...freshEntry(old.sessionKey, sessionId, old.origin, nowMs),
    platform: old.platform,
    chatType: old.chatType,
    displayName,
    isFreshReset: true,
  };
}

const OVERRIDE_NAMES = ["model", "provider", "base_url"] as const;

/** Only the three names, as text, empty ones dropped (lifecycle 2.1); null where nothing is left. */
export function modelOverrideFrom(value: unknown): ModelOverride | null {
  if (!isJsonObject(value)) return null;
  const kept = OVERRIDE_NAMES.flatMap((name) => {
    const text = present(scalarText(own(value, name)));
    return text === null ? [] : [[name, text] as const];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** Every member this build reads; the rest of a stored entry is kept under `unknown`. */
const READ = new Set(
  (
    "session_key session_id created_at updated_at origin display_name platform chat_type metadata " +
    "input_tokens output_tokens cache_read_tokens cache_write_tokens total_tokens estimated_cost_usd " +
    "cost_status last_prompt_tokens model_override reasoning_override service_tier_override " +
    "active_turn_token active_turn_started_at transport_profile suspended resume_pending resume_reason " +
    "last_resume_marked_at is_fresh_reset was_auto_reset auto_reset_reason reset_had_activity " +
    "prev_session_id expiry_finalized memory_flushed"
  ).split(" "),
);

export type EntryReading =
  | { readonly ok: true; readonly entry: SessionEntry }
  /** The record is to be kept as it is, out of routing; the others load (lifecycle 2.3). */
  | { readonly ok: false; readonly quarantined: JsonValue; readonly reason: string };

/**
 * Reads one lane of the mirror or of an older build (lifecycle 2.3). Never throws.
 *
 * @param key The name the record is filed under. A record that calls itself something else is quarantined:
 *   routing it would put one conversation's past into another's lane.
 */
export function entryFromStored(key: string, stored: unknown): EntryReading {
  const refuse = (reason: string): EntryReading => ({
    ok: false,
    quarantined: stored as JsonValue,
    reason,
  });
  if (!isJsonObject(stored)) return refuse("the entry is not an object");
  const text = (name: string): string | null => scalarText(own(stored, name));
  const amount = (name: string): number => {
    const value = own(stored, name);
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  const count = (name: string): number => Math.trunc(amount(name));
  const flag = (name: string): boolean => isTruthy(own(stored, name));
  const time = (name: string): number | null => timeFromStored(own(stored, name));

  const sessionKey = own(stored, "session_key");
  const sessionId = own(stored, "session_id");
  if (typeof sessionKey !== "string" || sessionKey === "") return refuse("session_key is missing");
  if (typeof sessionId !== "string" || sessionId === "") return refuse("session_id is missing");
  if (sessionKey !== key) return refuse("session_key is not the name the entry is filed under");
  if (isUnsafeSessionKey(sessionKey)) return refuse("session_key is not safe");
  if (isUnsafeSessionId(sessionId)) return refuse("session_id is not safe");
  const createdAtMs = time("created_at");
  const updatedAtMs = time("updated_at");
  if (createdAtMs === null) return refuse("created_at is missing or not a time");
  if (updatedAtMs === null) return refuse("updated_at is missing or not a time");

  const token = own(stored, "active_turn_token");
  const activeTurnToken = typeof token === "string" && token !== "" ? asTurnId(token) : null;
  const metadata = own(stored, "metadata");
  const previous = present(text("prev_session_id"));
  const origin = sessionSourceFromStored(own(stored, "origin"));
  const rest = Object.entries(stored).filter(
    // An origin of a platform that only a newer build knows must survive this build.
    ([name, value]) => !READ.has(name) || (name === "origin" && !origin.ok && isJsonObject(value)),
  );
  return {
    ok: true,
    entry: {
      sessionKey: asSessionKey(sessionKey),
      sessionId: asSessionId(sessionId),
      createdAtMs,
      updatedAtMs,
      origin: origin.ok ? origin.source : null,
      displayName: text("display_name"),
      platform: platformFrom(own(stored, "platform")),
      chatType: text("chat_type") ?? "dm",
      metadata: isJsonObject(metadata) ? metadata : {},
      inputTokens: count("input_tokens"),
      outputTokens: count("output_tokens"),
      cacheReadTokens: count("cache_read_tokens"),
      cacheWriteTokens: count("cache_write_tokens"),
      totalTokens: count("total_tokens"),
      estimatedCostUsd: amount("estimated_cost_usd"),
      costStatus: text("cost_status") ?? "unknown",
      lastPromptTokens: count("last_prompt_tokens"),
      modelOverride: modelOverrideFrom(own(stored, "model_override")),
      reasoningOverride: own(stored, "reasoning_override") ?? null,
      serviceTierOverride: own(stored, "service_tier_override") ?? null,
      activeTurnToken,
      // A time without a token is half a marker, and half a marker must never resume a turn.
      activeTurnStartedAtMs: activeTurnToken === null ? null : time("active_turn_started_at"),
      transportProfile: text("transport_profile"),
      suspended: flag("suspended"),
      resumePending: flag("resume_pending"),
      resumeReason: text("resume_reason"),
      lastResumeMarkedAtMs: time("last_resume_marked_at"),
      isFreshReset: flag("is_fresh_reset"),
      wasAutoReset: flag("was_auto_reset"),
      autoResetReason: text("auto_reset_reason"),
      resetHadActivity: flag("reset_had_activity"),
      prevSessionId: previous === null ? null : asSessionId(previous),
      expiryFinalized: flag(
        Object.hasOwn(stored, "expiry_finalized") ? "expiry_finalized" : "memory_flushed",
      ),
      unknown: Object.fromEntries(rest),
    },
  };
}

/** The stored shape of an entry (lifecycle 2.1, 2.3). Unknown members come back as they were read. */
export function entryToStored(entry: SessionEntry): JsonObject {
  const optional: readonly (readonly [string, JsonValue])[] = [
    ["origin", entry.origin === null ? null : sessionSourceToStored(entry.origin)],
    ["model_override", entry.modelOverride],
    ["reasoning_override", entry.reasoningOverride],
    ["service_tier_override", entry.serviceTierOverride],
    ["transport_profile", entry.transportProfile],
  ];
  const time = (ms: number | null): string | null => (ms === null ? null : timeToStored(ms));
  return {
    ...entry.unknown,
    session_key: entry.sessionKey,
    session_id: entry.sessionId,
    created_at: timeToStored(entry.createdAtMs),
    updated_at: timeToStored(entry.updatedAtMs),
    display_name: entry.displayName,
    platform: entry.platform,
    chat_type: entry.chatType,
    metadata: entry.metadata,
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    cache_read_tokens: entry.cacheReadTokens,
    cache_write_tokens: entry.cacheWriteTokens,
    total_tokens: entry.totalTokens,
    estimated_cost_usd: entry.estimatedCostUsd,
    cost_status: entry.costStatus,
    last_prompt_tokens: entry.lastPromptTokens,
    active_turn_token: entry.activeTurnToken,
    active_turn_started_at: time(entry.activeTurnStartedAtMs),
    suspended: entry.suspended,
    resume_pending: entry.resumePending,
    resume_reason: entry.resumeReason,
    last_resume_marked_at: time(entry.lastResumeMarkedAtMs),
    is_fresh_reset: entry.isFreshReset,
    was_auto_reset: entry.wasAutoReset,
    auto_reset_reason: entry.autoResetReason,
    reset_had_activity: entry.resetHadActivity,
    prev_session_id: entry.prevSessionId,
    expiry_finalized: entry.expiryFinalized,
    ...Object.fromEntries(optional.filter(([, value]) => value !== null)),
  };
}
