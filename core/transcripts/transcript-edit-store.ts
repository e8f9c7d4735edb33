import type { SessionId } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

export type EditKind = "rewind" | "retry" | "compaction" | "rotation";

/** One change to a transcript as a whole. Times are epoch ms. */
export interface TranscriptEdit {
  seq: number;
  sessionId: SessionId;
  kind: EditKind;
  at: number;
  actor: string;
  rows: number;
  turns: number;
  excerpt: string;
  childSessionId: SessionId | null;
  lastMessageId: number;
  restoredAt: number | null;
}

export type NewEdit = Pick<TranscriptEdit, "sessionId" | "kind" | "at" | "actor" | "turns"> & {
  excerpt: string;
  childSessionId?: SessionId;
};

/** Characters of an undone text or a summary that the list of edits keeps. */
const excerptLength = 400;

export type TranscriptEditStore = ReturnType<typeof transcriptEditStore>;

/**
 * Rewinds and compactions: which rows are live (lifecycle 3.8, 7.3, 14). No row is ever deleted or rewritten.
 * Callers bring the transaction.
 */
export function transcriptEditStore({ sql }: Database) {
  const columns = `seq, session_id AS sessionId, kind, at, actor, rows, turns, excerpt, child_session_id AS childSessionId,
    last_message_id AS lastMessageId, restored_at AS restoredAt`;
  const insert = sql.prepare<[Omit<TranscriptEdit, "seq" | "rows" | "restoredAt">]>(`
    INSERT INTO transcript_edits (session_id, kind, at, actor, rows, turns, excerpt, child_session_id, last_message_id)
    VALUES (@sessionId, @kind, @at, @actor, 0, @turns, @excerpt, @childSessionId, @lastMessageId)`);
  const setRows = sql.prepare<[number, number]>(
    `UPDATE transcript_edits SET rows = ? WHERE seq = ?`,
  );
  const last = sql.prepare<[string], { id: number | null }>(
    `SELECT max(id) AS id FROM messages WHERE session_id = ?`,
  );
  // A summary stands before everything that is live, whatever its id: no rewind reaches it.
  const rewind = sql.prepare<[number, string, number]>(`
    UPDATE messages SET active = 0, compacted = 0, edit_seq = ?
     WHERE session_id = ? AND active = 1 AND id >= ? AND coalesce(display_kind, '') <> 'summary'`);
  const archive = sql.prepare<[number, string, number]>(`
    UPDATE messages SET active = 0, compacted = 1, edit_seq = ?
     WHERE session_id = ? AND active = 1 AND (id < ? OR display_kind = 'summary')`);
  const spoken = sql.prepare<[number], { n: number }>(
    `SELECT count(*) AS n FROM messages WHERE edit_seq = ? AND role <> 'boundary'`,
  );
  const one = sql.prepare<[number], TranscriptEdit>(
    `SELECT ${columns} FROM transcript_edits WHERE seq = ?`,
  );
  const list = sql.prepare<[string], TranscriptEdit>(
    `SELECT ${columns} FROM transcript_edits WHERE session_id = ? ORDER BY seq DESC LIMIT 200`,
  );
  const newer = sql.prepare<[string, number], { one: 1 }>(
    `SELECT 1 AS one FROM transcript_edits WHERE session_id = ? AND seq > ? AND restored_at IS NULL LIMIT 1`,
  );
  const saidSince = sql.prepare<[string, number], { one: 1 }>(
    `SELECT 1 AS one FROM messages WHERE session_id = ? AND id > ? AND role <> 'boundary' LIMIT 1`,
  );
  const bringBack = sql.prepare<[number]>(
    `UPDATE messages SET active = 1, edit_seq = NULL WHERE edit_seq = ?`,
  );
  const hideBar = sql.prepare<[string, number]>(`
    UPDATE messages SET active = 0 WHERE session_id = ? AND role = 'boundary' AND active = 1
       AND display_kind IN ('rewind', 'retry') AND json_extract(display_metadata, '$.edit') = ?`);
  const restored = sql.prepare<[number, number]>(
    `UPDATE transcript_edits SET restored_at = ? WHERE seq = ?`,
  );
  const moved = (sql.pragma("table_info(messages)") as { name: string }[]).flatMap(({ name }) =>
    name === "id" || name === "session_id" || name === "edit_seq" ? [] : name,
  );
  const copySummary = sql.prepare<[string, string]>(`
    INSERT INTO messages (session_id, ${moved.join(", ")}) SELECT ?, ${moved.map((name) => (name === "display_metadata" ? "NULL" : name)).join(", ")}
      FROM messages WHERE session_id = ? AND active = 1 AND display_kind = 'summary' ORDER BY id`);
  const copy = sql.prepare<[string, string, number]>(`
    INSERT INTO messages (session_id, ${moved.join(", ")}) SELECT ?, ${moved.join(", ")}
      FROM messages WHERE session_id = ? AND active = 1 AND id >= ? AND coalesce(display_kind, '') <> 'summary' ORDER BY id`);

  function begin(edit: NewEdit): number {
    return Number(
      insert.run({
        ...edit,
        excerpt: [...edit.excerpt].slice(0, excerptLength).join(""),
        childSessionId: edit.childSessionId ?? null,
        lastMessageId: last.get(edit.sessionId)?.id ?? 0,
      }).lastInsertRowid,
    );
  }

  function end(seq: number): { seq: number; rows: number } {
    const rows = spoken.get(seq)?.n ?? 0;
    setRows.run(rows, seq);
    return { seq, rows };
  }

  return {
    /** Takes every live row from `firstId` on out of the conversation; `rows` counts those that were said. */
    rewind(
      edit: NewEdit & { kind: "rewind" | "retry" },
      firstId: number,
    ): { seq: number; rows: number } {
      const seq = begin(edit);
      rewind.run(seq, edit.sessionId, firstId);
      return end(seq);
    },
    /** Archives every live row before `keepFrom` (null: all): still shown and found, no longer sent to an agent. */
    archive(
      edit: NewEdit & { kind: "compaction" },
      keepFrom: number | null,
    ): { seq: number; rows: number } {
      const seq = begin(edit);
      archive.run(seq, edit.sessionId, keepFrom ?? Number.MAX_SAFE_INTEGER);
      return end(seq);
    },
    /** Notes a rotation, which leaves the rows of the session as they are. */
    noteRotation(edit: NewEdit & { kind: "rotation" }, rows: number): number {
      const seq = begin(edit);
      setRows.run(rows, seq);
      return seq;
    },
    /** Copies live rows into another session, a summary first. `fromId`: the first of them; 0 = all. */
    copyLive(from: SessionId, to: SessionId, fromId: number, withSummary: boolean): void {
      if (withSummary) copySummary.run(to, from);
      copy.run(to, from, fromId);
    },
    get: (seq: number): TranscriptEdit | undefined => one.get(seq),
    /** Newest first, at most 200. */
    list: (id: SessionId): TranscriptEdit[] => list.all(id),
    /** Whether the rows would come back where they were: nothing was said or edited since. */
    isRestorable: (edit: TranscriptEdit): boolean =>
      (edit.kind === "rewind" || edit.kind === "retry") &&
      edit.restoredAt === null &&
      newer.get(edit.sessionId, edit.seq) === undefined &&
      saidSince.get(edit.sessionId, edit.lastMessageId) === undefined,
    /** Takes a rewind back; returns how many rows are live again. */
    restore(edit: TranscriptEdit, nowMs: number): number {
      hideBar.run(edit.sessionId, edit.seq);
      bringBack.run(edit.seq);
      restored.run(nowMs, edit.seq);
      return edit.rows;
    },
  };
}
