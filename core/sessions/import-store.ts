import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { UnattachedSession } from "../contract/calls-data.ts";
import type { Database } from "../state/database.ts";

/** What an import remembers of one session. */
export interface ImportMark {
  /** The source's own name of the last row that was taken; null where it had none. */
  lastRef: string | null;
  /** How many rows were taken. */
  rows: number;
}

/** What a taken-over session brings beside its identity. Times are epoch ms; what the source did not know is null or 0. */
export interface ImportedFacts {
  endedAt: number | null;
  endReason: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  estimatedCostUsd: number;
  costStatus: string;
  apiCallCount: number;
  rewindCount: number;
  archived: 0 | 1;
  expiryFinalized: 0 | 1;
  profileName: string | null;
}

/** What importing writes beside sessions, lanes and messages. Callers bring the transaction. */
export function importStore({ sql }: Database) {
  const mark = sql.prepare<[string], ImportMark>(
    `SELECT last_ref AS lastRef, rows FROM import_marks WHERE session_id = ?`,
  );
  const setMark = sql.prepare<
    [{ id: string; kind: string; lastRef: string | null; rows: number; at: number }]
  >(`
    INSERT INTO import_marks (session_id, kind, last_ref, rows, imported_at) VALUES (@id, @kind, @lastRef, @rows, @at)
    ON CONFLICT(session_id) DO UPDATE SET last_ref = excluded.last_ref, rows = excluded.rows, imported_at = excluded.imported_at`);
  const setFacts = sql.prepare<[ImportedFacts & { id: string }]>(`
    UPDATE sessions SET ended_at = @endedAt, end_reason = @endReason, model = @model, input_tokens = @inputTokens,
      output_tokens = @outputTokens, cache_read_tokens = @cacheReadTokens, cache_write_tokens = @cacheWriteTokens,
      reasoning_tokens = @reasoningTokens, estimated_cost_usd = @estimatedCostUsd, cost_status = @costStatus,
      api_call_count = @apiCallCount, rewind_count = @rewindCount, archived = @archived,
      expiry_finalized = @expiryFinalized, profile_name = @profileName WHERE id = @id`);
  const setParent = sql.prepare<[string, string, string]>(`
    UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL
       AND EXISTS (SELECT 1 FROM sessions WHERE id = ?)`);
  const rows = sql
    .prepare<[string], number>(`SELECT count(*) FROM messages WHERE session_id = ?`)
    .pluck();
  const unattached = sql.prepare<[number], UnattachedSession>(`
    SELECT s.id AS sessionId, s.source, s.title, s.message_count AS messageCount, s.started_at AS startedAtMs,
        coalesce((SELECT substr(m.content, 1, 200) FROM messages m WHERE m.session_id = s.id AND m.role = 'user'
          AND (m.active = 1 OR m.compacted = 1) ORDER BY m.id LIMIT 1), '') AS preview
      FROM import_marks i JOIN sessions s ON s.id = i.session_id WHERE s.session_key IS NULL
     ORDER BY s.started_at DESC, s.id LIMIT ?`);
  const countUnattached = sql
    .prepare<[], number>(
      `SELECT count(*) FROM import_marks i JOIN sessions s ON s.id = i.session_id WHERE s.session_key IS NULL`,
    )
    .pluck();
  const attach = sql.prepare<[string, string]>(
    `UPDATE sessions SET session_key = ? WHERE id = ? AND session_key IS NULL`,
  );

  return {
    mark: (id: SessionId): ImportMark | undefined => mark.get(id),
    setMark(id: SessionId, kind: string, to: ImportMark, nowMs: number): void {
      setMark.run({ id, kind, ...to, at: nowMs });
    },
    setFacts(id: SessionId, facts: ImportedFacts): void {
      setFacts.run({ ...facts, id });
    },
    /** Links a session to its predecessor, where both are here. */
    setParent(id: SessionId, parent: SessionId): void {
      setParent.run(parent, id, parent);
    },
    /** Rows of a session, hidden ones included. */
    rows: (id: SessionId): number => rows.get(id) ?? 0,
    /** Imported sessions that no lane leads to, newest first. */
    unattached: (limit: number): { sessions: UnattachedSession[]; total: number } => ({
      sessions: unattached.all(limit),
      total: countUnattached.get() ?? 0,
    }),
    /** Files an unattached session under a lane; false where it is no longer unattached. */
    attach: (id: SessionId, key: SessionKey): boolean => attach.run(key, id).changes > 0,
  };
}
