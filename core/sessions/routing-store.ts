import type { Database } from "../state/database.ts";
import type { SessionState } from "../contract/domain.ts";
import { asSessionId, asSessionKey, asTurnId } from "../contract/ids.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { freshEntry, modelOverrideFrom } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";
import { platformFrom, sessionSourceFromStored, sessionSourceToStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import { deriveState } from "./session-state.ts";
import type { JsonObject, JsonValue } from "./stored-json.ts";

/** One lane's routing record as a table row: the entry of lifecycle 2.1 plus the list's derived columns. Times are epoch ms. */
export interface RoutingRow {
  sessionKey: SessionKey;
  sessionId: SessionId;
  createdAt: number;
  updatedAt: number;
  originJson: string | null;
  /** The key's parts as a JSON list: two sources whose ids only look alike when joined are told apart by it. */
  laneIdentity: string | null;
  channelId: string;
  displayName: string | null;
  platform: string | null;
  chatType: string;
  metadataJson: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  totalTokens: number;
  estimatedCostUsd: number;
  costStatus: string;
  lastPromptTokens: number;
  modelOverrideJson: string | null;
  reasoningOverrideJson: string | null;
  serviceTierOverrideJson: string | null;
  activeTurnToken: string | null;
  activeTurnStartedAt: number | null;
  transportProfile: string | null;
  suspended: 0 | 1;
  suspendedAt: number | null;
  suspendedBy: string | null;
  suspendReason: string | null;
  resumePending: 0 | 1;
  resumeReason: string | null;
  lastResumeMarkedAt: number | null;
  resumeToldAt: number | null;
  resumeHeldAt: number | null;
  isFreshReset: 0 | 1;
  wasAutoReset: 0 | 1;
  autoResetReason: string | null;
  resetHadActivity: 0 | 1;
  prevSessionId: string | null;
  expiryFinalized: 0 | 1;
  extraJson: string;
  title: string;
  agentId: string | null;
  messageCount: number;
  turnCount: number;
  queueDepth: number;
  state: SessionState;
  stateSince: number;
  errorCode: string | null;
  errorMessage: string | null;
}

/** The columns of ours beside the documented entry: who carries the lane, and the list's counters. */
export type LaneColumns = Pick<RoutingRow, "channelId"> &
  Partial<
    Pick<
      RoutingRow,
      | "laneIdentity"
      | "title"
      | "agentId"
      | "turnCount"
      | "messageCount"
      | "queueDepth"
      | "suspendedAt"
      | "suspendedBy"
      | "suspendReason"
    >
  >;

const bit = (value: boolean): 0 | 1 => (value ? 1 : 0);
const json = (value: JsonValue): string | null => (value === null ? null : JSON.stringify(value));

/** An entry as a row, its derived columns at rest. */
export function rowOf(entry: SessionEntry, lane: LaneColumns): RoutingRow {
  return {
    sessionKey: entry.sessionKey,
    sessionId: entry.sessionId,
    createdAt: entry.createdAtMs,
    updatedAt: entry.updatedAtMs,
    originJson: entry.origin === null ? null : JSON.stringify(sessionSourceToStored(entry.origin)),
    laneIdentity: lane.laneIdentity ?? null,
    channelId: lane.channelId,
    displayName: entry.displayName,
    platform: entry.platform,
    chatType: entry.chatType,
    metadataJson: JSON.stringify(entry.metadata),
    inputTokens: entry.inputTokens,
    outputTokens: entry.outputTokens,
    cacheReadTokens: entry.cacheReadTokens,
    cacheWriteTokens: entry.cacheWriteTokens,
    totalTokens: entry.totalTokens,
    estimatedCostUsd: entry.estimatedCostUsd,
    costStatus: entry.costStatus,
    lastPromptTokens: entry.lastPromptTokens,
    modelOverrideJson: json(entry.modelOverride),
    reasoningOverrideJson: json(entry.reasoningOverride),
    serviceTierOverrideJson: json(entry.serviceTierOverride),
    activeTurnToken: entry.activeTurnToken,
    activeTurnStartedAt: entry.activeTurnStartedAtMs,
    transportProfile: entry.transportProfile,
    suspended: bit(entry.suspended),
    suspendedAt: lane.suspendedAt ?? null,
    suspendedBy: lane.suspendedBy ?? null,
    suspendReason: lane.suspendReason ?? null,
    resumePending: bit(entry.resumePending),
    resumeReason: entry.resumeReason,
    lastResumeMarkedAt: entry.lastResumeMarkedAtMs,
    resumeToldAt: null,
    resumeHeldAt: null,
    isFreshReset: bit(entry.isFreshReset),
    wasAutoReset: bit(entry.wasAutoReset),
    autoResetReason: entry.autoResetReason,
    resetHadActivity: bit(entry.resetHadActivity),
    prevSessionId: entry.prevSessionId,
    expiryFinalized: bit(entry.expiryFinalized),
    extraJson: JSON.stringify(entry.unknown),
    title: lane.title ?? entry.displayName ?? "",
    agentId: lane.agentId ?? null,
    messageCount: lane.messageCount ?? 0,
    turnCount: lane.turnCount ?? 0,
    queueDepth: lane.queueDepth ?? 0,
    state: "idle",
    stateSince: entry.createdAtMs,
    errorCode: null,
    errorMessage: null,
  };
}

/** The documented entry in a row (lifecycle 2.1). */
export function entryOf(row: RoutingRow): SessionEntry {
  const parsed = (text: string | null): JsonValue =>
    text === null ? null : (JSON.parse(text) as JsonValue);
  const object = (text: string): JsonObject => JSON.parse(text) as JsonObject;
  return {
    sessionKey: row.sessionKey,
    sessionId: row.sessionId,
    createdAtMs: row.createdAt,
    updatedAtMs: row.updatedAt,
    origin: originOf(row),
    displayName: row.displayName,
    platform: platformFrom(row.platform),
    chatType: row.chatType,
    metadata: object(row.metadataJson),
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cacheReadTokens: row.cacheReadTokens,
    cacheWriteTokens: row.cacheWriteTokens,
    totalTokens: row.totalTokens,
    estimatedCostUsd: row.estimatedCostUsd,
    costStatus: row.costStatus,
    lastPromptTokens: row.lastPromptTokens,
    modelOverride: modelOverrideFrom(parsed(row.modelOverrideJson)),
    reasoningOverride: parsed(row.reasoningOverrideJson),
    serviceTierOverride: parsed(row.serviceTierOverrideJson),
    activeTurnToken: row.activeTurnToken === null ? null : asTurnId(row.activeTurnToken),
    activeTurnStartedAtMs: row.activeTurnStartedAt,
    transportProfile: row.transportProfile,
    suspended: row.suspended === 1,
    resumePending: row.resumePending === 1,
    resumeReason: row.resumeReason,
    lastResumeMarkedAtMs: row.lastResumeMarkedAt,
    isFreshReset: row.isFreshReset === 1,
    wasAutoReset: row.wasAutoReset === 1,
    autoResetReason: row.autoResetReason,
    resetHadActivity: row.resetHadActivity === 1,
    prevSessionId: row.prevSessionId === null ? null : asSessionId(row.prevSessionId),
    expiryFinalized: row.expiryFinalized === 1,
    unknown: object(row.extraJson),
  };
}

/** Where the lane's replies go; null where it has no origin, or one of a platform that this build does not know. */
export function originOf(row: Pick<RoutingRow, "originJson">): SessionSource | null {
  if (row.originJson === null) return null;
  const reading = sessionSourceFromStored(JSON.parse(row.originJson));
  return reading.ok ? reading.source : null;
}

const fields = Object.keys(
  rowOf(freshEntry(asSessionKey(""), asSessionId(""), null, 0), { channelId: "" }),
) as (keyof RoutingRow)[];
const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** `session_key AS sessionKey, …` for every column, so that rows leave as domain names. */
export const routingColumns = fields.map((name) => `${snake(name)} AS ${name}`).join(", ");

export type RoutingStore = ReturnType<typeof routingStore>;

/** The routing index (lifecycle 3): one row a lane. Every method is one statement; callers bring the transaction. */
export function routingStore(
  { sql }: Database,
  waitsForPerson: (key: SessionKey) => boolean = () => false,
) {
  const get = sql.prepare<[string], RoutingRow>(
    `SELECT ${routingColumns} FROM gateway_routing WHERE session_key = ?`,
  );
  const bySession = sql.prepare<[string], RoutingRow>(
    `SELECT ${routingColumns} FROM gateway_routing WHERE session_id = ?`,
  );
  const put = sql.prepare<[RoutingRow]>(
    `INSERT INTO gateway_routing (${fields.map(snake).join(", ")}) VALUES (${fields.map((name) => `@${name}`).join(", ")})
     ON CONFLICT(session_key) DO UPDATE SET ${fields
       .filter((name) => name !== "sessionKey")
       .map((name) => `${snake(name)} = excluded.${snake(name)}`)
       .join(", ")}`,
  );
  const remove = sql.prepare<[string]>(`DELETE FROM gateway_routing WHERE session_key = ?`);
  const setState = sql.prepare<[string, number, string]>(
    `UPDATE gateway_routing SET state = ?, state_since = ? WHERE session_key = ?`,
  );
  const patches = new Map<string, ReturnType<typeof sql.prepare>>();
  const unsettled = sql.prepare<[], { key: SessionKey }>(
    `SELECT session_key AS key FROM gateway_routing WHERE state NOT IN ('idle', 'suspended', 'failed', 'stuck') OR queue_depth > 0`,
  );
  const held = sql.prepare<[], { key: SessionKey }>(
    `SELECT session_key AS key FROM gateway_routing WHERE resume_pending = 1 AND resume_held_at IS NOT NULL`,
  );
  const interrupted = sql.prepare<[], { key: SessionKey }>(`
    SELECT session_key AS key FROM gateway_routing WHERE active_turn_token IS NOT NULL
    UNION SELECT session_key FROM gateway_routing WHERE resume_pending = 1`);
  const all = sql.prepare<[], RoutingRow>(
    `SELECT ${routingColumns} FROM gateway_routing ORDER BY session_key`,
  );
  const page = sql.prepare<[string, number], RoutingRow>(
    `SELECT ${routingColumns} FROM gateway_routing WHERE session_key > ? ORDER BY session_key LIMIT ?`,
  );

  return {
    get: (key: SessionKey): RoutingRow | undefined => get.get(key),
    bySessionId: (id: SessionId): RoutingRow | undefined => bySession.get(id),
    /** Every lane that is in this incarnation: more than one after a `/resume` from another chat (lifecycle 8.4). */
    lanesAt: (id: SessionId): RoutingRow[] => bySession.all(id),
    /** Every lane, in the order of the keys; one at a time, so that no caller holds them all. */
    each: (): IterableIterator<RoutingRow> => all.iterate(),
    /** The next lanes in the order of the keys, for whoever goes through all of them in slices. */
    page: (after: SessionKey | "", limit: number): RoutingRow[] => page.all(after, limit),
    put(row: RoutingRow): void {
      put.run(row);
    },
    remove(key: SessionKey): void {
      remove.run(key);
    },
    /** Changes some columns of one lane; returns whether the lane exists. */
    patch(key: SessionKey, change: Partial<Omit<RoutingRow, "sessionKey">>): boolean {
      const names = Object.keys(change).toSorted();
      if (names.length === 0) return get.get(key) !== undefined;
      const shape = names.join();
      let statement = patches.get(shape);
      if (!statement) {
        statement = sql.prepare(
          `UPDATE gateway_routing SET ${names.map((name) => `${snake(name)} = @${name}`).join(", ")} WHERE session_key = @sessionKey`,
        );
        patches.set(shape, statement); // as many shapes as call sites
      }
      return statement.run({ ...change, sessionKey: key }).changes > 0;
    },
    /** Recomputes the shown state from the facts; call it last in every transaction that changed one of them. */
    settleState(key: SessionKey, nowMs: number): RoutingRow | undefined {
      const row = get.get(key);
      if (!row) return undefined;
      const state = deriveState({
        suspended: row.suspended === 1,
        suspendReason: row.suspendReason,
        resumePending: row.resumePending === 1,
        turnActive: row.activeTurnToken !== null,
        queueDepth: row.queueDepth,
        errorCode: row.errorCode,
        waitsForPerson: waitsForPerson(key),
      });
      if (state === row.state) return row;
      setState.run(state, nowMs, key);
      return { ...row, state, stateSince: nowMs };
    },
    /** Lanes whose interrupted turn is held back. */
    heldKeys: (): SessionKey[] => held.all().map((row) => row.key),
    /** Lanes with a marker or a resume pending. */
    interruptedKeys: (): SessionKey[] => interrupted.all().map((row) => row.key),
    /** Lanes whose state rests on something that a restart may have changed. */
    unsettledKeys: (): SessionKey[] => unsettled.all().map((row) => row.key),
  };
}
