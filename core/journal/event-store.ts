import type { Database } from "../state/database.ts";
import { jsonObject } from "./json-object.ts";
import type { EventPayload, RecordedEvent } from "./kinds.ts";

interface EventRow {
  sequence: number;
  sessionKey: string;
  sessionId: string | null;
  agentId: string;
  kind: string;
  actorType: RecordedEvent["actor"]["type"];
  actorId: string | null;
  runId: string | null;
  occurredAt: number;
  summary: string;
  payloadJson: string | null;
}

export interface Head {
  lastSequence: number;
  prunedMaxSequence: number;
}

export interface EventFilter {
  /** Newest first, below this number. */
  before: number;
  limit: number;
  key: string | null;
  agentId: string | null;
  kinds: readonly string[] | null;
  actorTypes: readonly string[] | null;
  actorId: string | null;
  sinceMs: number | null;
  untilMs: number | null;
}

const columns = `sequence, session_key AS sessionKey, session_id AS sessionId, agent_id AS agentId, kind,
  actor_type AS actorType, actor_id AS actorId, run_id AS runId, occurred_at AS occurredAt, summary, payload_json AS payloadJson`;

const eventOf = ({ actorType, actorId, payloadJson, ...row }: EventRow): RecordedEvent => ({
  ...row,
  actor: { type: actorType, id: actorId },
  payload: jsonObject(payloadJson) as EventPayload | null, // as we wrote it; what cannot be read is no payload
});

export type EventStore = ReturnType<typeof eventStore>;

/** The tables `session_state_events` and `session_state_heads` (state-awareness 2.2, 2.3). Callers bring the transaction. */
export function eventStore({ sql }: Database) {
  const insert = sql.prepare<[Record<string, string | number | null>], { sequence: number }>(`
    INSERT INTO session_state_events (dedupe_key, session_key, session_id, agent_id, kind, actor_type, actor_id, run_id,
      occurred_at, summary, payload_json)
    VALUES (@dedupeKey, @sessionKey, @sessionId, @agentId, @kind, @actorType, @actorId, @runId, @occurredAt, @summary, @payloadJson)
    ON CONFLICT(dedupe_key) DO NOTHING RETURNING sequence`);
  const byDedupe = sql.prepare<[string], EventRow>(
    `SELECT ${columns} FROM session_state_events WHERE dedupe_key = ?`,
  );
  const raiseHead = sql.prepare<[string, string, number, number]>(`
    INSERT INTO session_state_heads (session_key, agent_id, last_sequence, updated_at) VALUES (?, ?, ?, ?)
    ON CONFLICT(session_key, agent_id) DO UPDATE
      SET last_sequence = max(last_sequence, excluded.last_sequence), updated_at = excluded.updated_at`);
  const head = sql.prepare<[string, string], Head>(`
    SELECT last_sequence AS lastSequence, pruned_max_sequence AS prunedMaxSequence
      FROM session_state_heads WHERE session_key = ? AND agent_id = ?`);
  const after = sql.prepare<[string, string, number, number], EventRow>(`
    SELECT ${columns} FROM session_state_events
     WHERE session_key = ? AND agent_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
  const earliest = sql.prepare<[string, string], { sequence: number | null }>(`
    SELECT min(sequence) AS sequence FROM session_state_events WHERE session_key = ? AND agent_id = ?`);
  const countByKind = sql.prepare<[string, string, number, number], { kind: string; n: number }>(`
    SELECT kind, count(*) AS n FROM session_state_events
     WHERE session_key = ? AND agent_id = ? AND sequence > ? AND sequence <= ? GROUP BY kind ORDER BY kind`);
  const newest = sql.prepare<[], { sequence: number | null }>(
    `SELECT max(sequence) AS sequence FROM session_state_events`,
  );
  const oldest = sql.prepare<[], { sequence: number | null }>(
    `SELECT min(sequence) AS sequence FROM session_state_events`,
  );
  const past = sql.prepare<[number, number], EventRow>(
    `SELECT ${columns} FROM session_state_events WHERE sequence > ? ORDER BY sequence LIMIT ?`,
  );
  const one = sql.prepare<[number], EventRow>(
    `SELECT ${columns} FROM session_state_events WHERE sequence = ?`,
  );
  const versionMarks = sql.prepare<
    [string, string, number, number],
    { sequence: number; kind: string; atMs: number }
  >(`
    SELECT sequence, kind, occurred_at AS atMs FROM session_state_events
     WHERE session_key = ? AND agent_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`);
  const atOrBelow = sql.prepare<[string, string, number], { atMs: number | null }>(`
    SELECT occurred_at AS atMs FROM session_state_events
     WHERE session_key = ? AND agent_id = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1`);
  const countAfter = sql.prepare<[string, string, number, number], { n: number }>(`
    SELECT count(*) AS n FROM (SELECT 1 FROM session_state_events
      WHERE session_key = ? AND agent_id = ? AND sequence > ? LIMIT ?)`);
  const incarnationAt = sql.prepare<[string, string, number], { id: string }>(`
    SELECT session_id AS id FROM session_state_events
     WHERE session_key = ? AND agent_id = ? AND sequence <= ? AND session_id IS NOT NULL ORDER BY sequence DESC LIMIT 1`);
  const all = sql.prepare<[], { n: number }>(`SELECT count(*) AS n FROM session_state_events`);
  const dropEvents = sql.prepare<[string, string]>(
    `DELETE FROM session_state_events WHERE session_key = ? AND agent_id = ?`,
  );
  const dropHead = sql.prepare<[string, string]>(
    `DELETE FROM session_state_heads WHERE session_key = ? AND agent_id = ?`,
  );
  const manyHeads = sql.prepare<[string], { key: string; agentId: string; version: number }>(`
    SELECT h.session_key AS key, h.agent_id AS agentId, h.last_sequence AS version
      FROM json_each(?) ref JOIN session_state_heads h
        ON h.session_key = json_extract(ref.value, '$[0]') AND h.agent_id = json_extract(ref.value, '$[1]')`);
  const lists = new Map<string, ReturnType<typeof sql.prepare<unknown[], EventRow>>>();

  return {
    /** The row's number, or the row that had this dedupe key before. */
    insert(
      row: Omit<EventRow, "sequence"> & { dedupeKey: string | null },
    ): { sequence: number } | { earlier: RecordedEvent | null } {
      const added = insert.get({ ...row });
      if (added) return added;
      const earlier = row.dedupeKey === null ? undefined : byDedupe.get(row.dedupeKey);
      return { earlier: earlier ? eventOf(earlier) : null };
    },
    raiseHead(key: string, agentId: string, sequence: number, nowMs: number): void {
      raiseHead.run(key, agentId, sequence, nowMs);
    },
    head: (key: string, agentId: string): Head | undefined => head.get(key, agentId),
    /** Versions of those that have one. */
    heads: (refs: readonly (readonly [key: string, agentId: string])[]) =>
      manyHeads.all(JSON.stringify(refs)),
    get(sequence: number): RecordedEvent | undefined {
      const row = one.get(sequence);
      return row && eventOf(row);
    },
    /** At most `limit` events of a session above a version, ascending. */
    after: (key: string, agentId: string, version: number, limit: number): RecordedEvent[] =>
      after.all(key, agentId, version, limit).map(eventOf),
    /** The oldest retained number of a session. */
    earliest: (key: string, agentId: string): number | null =>
      earliest.get(key, agentId)?.sequence ?? null,
    countByKind: (key: string, agentId: string, after: number, through: number) =>
      countByKind.all(key, agentId, after, through),
    /** Newest first, below `before`. */
    versions: (key: string, agentId: string, before: number, limit: number) =>
      versionMarks.all(key, agentId, before, limit),
    /** When the newest event at or below a version happened. */
    timeAt: (key: string, agentId: string, version: number): number | null =>
      atOrBelow.get(key, agentId, version)?.atMs ?? null,
    /** How many are above a version; counts no further than `most`. */
    countAfter: (key: string, agentId: string, version: number, most: number): number =>
      countAfter.get(key, agentId, version, most)?.n ?? 0,
    /** The incarnation that the newest event at or below a version names. */
    incarnationAt: (key: string, agentId: string, version: number): string | null =>
      incarnationAt.get(key, agentId, version)?.id ?? null,
    count: (): number => all.get()?.n ?? 0,
    newest: (): number => newest.get()?.sequence ?? 0,
    oldest: (): number | null => oldest.get()?.sequence ?? null,
    /** Events of all sessions above a number, ascending. */
    past: (sequence: number, limit: number): RecordedEvent[] =>
      past.all(sequence, limit).map(eventOf),
    list(filter: EventFilter): RecordedEvent[] {
      const conditions = [
        "sequence < @before",
        filter.key === null ? "" : "session_key = @key",
        filter.agentId === null ? "" : "agent_id = @agentId",
        filter.kinds === null ? "" : "kind IN (SELECT value FROM json_each(@kinds))",
        filter.actorTypes === null
          ? ""
          : "actor_type IN (SELECT value FROM json_each(@actorTypes))",
        filter.actorId === null ? "" : "actor_id = @actorId",
        filter.sinceMs === null ? "" : "occurred_at >= @sinceMs",
        filter.untilMs === null ? "" : "occurred_at <= @untilMs",
      ].filter((condition) => condition !== "");
      const text = `SELECT ${columns} FROM session_state_events WHERE ${conditions.join(" AND ")} ORDER BY sequence DESC LIMIT @limit`;
      let statement = lists.get(text);
      if (!statement) {
        statement = sql.prepare<unknown[], EventRow>(text);
        lists.set(text, statement); // at most one for each set of filters
      }
      return statement
        .all({
          ...filter,
          kinds: JSON.stringify(filter.kinds),
          actorTypes: JSON.stringify(filter.actorTypes),
        })
        .map(eventOf);
    },
    /** A deleted session's journal goes with it (5.7). */
    drop(key: string, agentId: string): void {
      dropEvents.run(key, agentId);
      dropHead.run(key, agentId);
    },
  };
}
