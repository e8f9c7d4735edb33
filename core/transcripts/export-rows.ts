import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

/** A row as it is exported: whole. */
export interface ExportedRow {
  id: number;
  role: string;
  content: string;
  atMs: number;
  from: string | null;
  toolCalls: string | null;
  toolCallId: string | null;
  toolName: string | null;
  finishReason: string | null;
  displayKind: string | null;
  compacted: 0 | 1;
}

export interface ExportedSession {
  sessionId: SessionId;
  key: SessionKey | null;
  source: string;
  title: string | null;
  startedAtMs: number;
  endedAtMs: number | null;
  endReason: string | null;
  previousSessionId: string | null;
  messageCount: number;
}

/** What exporting reads. */
export function exportRows({ sql }: Database) {
  const rows = sql.prepare<[string, number, number], ExportedRow>(`
    SELECT id, role, coalesce(content, '') AS content, timestamp AS atMs, sender_name AS "from", tool_calls AS toolCalls,
        tool_call_id AS toolCallId, tool_name AS toolName, finish_reason AS finishReason, display_kind AS displayKind, compacted
      FROM messages WHERE session_id = ? AND id > ? AND id <= ? AND (active = 1 OR compacted = 1) ORDER BY id`);
  const session = sql.prepare<[string], ExportedSession>(`
    SELECT s.id AS sessionId, s.session_key AS key, s.source, coalesce(s.title, r.title, s.display_name) AS title,
        s.started_at AS startedAtMs, s.ended_at AS endedAtMs, s.end_reason AS endReason,
        s.parent_session_id AS previousSessionId, s.message_count AS messageCount
      FROM sessions s LEFT JOIN gateway_routing r ON r.session_key = s.session_key WHERE s.id = ?`);
  const last = sql
    .prepare<[string], number | null>(`SELECT max(id) FROM messages WHERE session_id = ?`)
    .pluck();
  return {
    session: (id: SessionId): ExportedSession | undefined => session.get(id),
    /** The newest row now: what comes later is not part of an export that has begun. */
    last: (id: SessionId): number => last.get(id) ?? 0,
    /** Visible rows behind `after`, up to `through`, as many as make about `characters`; at least one. */
    page(id: SessionId, after: number, through: number, characters: number): ExportedRow[] {
      const page: ExportedRow[] = [];
      let length = 0;
      for (const row of rows.iterate(id, after, through)) {
        page.push(row);
        length += row.content.length + (row.toolCalls?.length ?? 0);
        if (length >= characters) break;
      }
      return page;
    },
  };
}
