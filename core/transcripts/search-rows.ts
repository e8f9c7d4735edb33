import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

/** Characters of one row that are searched; a longer one is found by its beginning. */
export const searchedLength = 131_072;
/** Characters read for the index in one go. */
const batchLength = 262_144;

/** A row as it is searched: `text` is the content, then the tool's name and calls. */
export interface SearchedRow {
  id: number;
  sessionId: SessionId;
  role: "user" | "assistant" | "tool" | "system" | "boundary";
  text: string;
}

/** A row that a person may see, with what tells where it was said. */
export interface HitRow extends SearchedRow {
  key: SessionKey | null;
  atMs: number;
  from: string | null;
  title: string | null;
}

const text = `substr(coalesce(m.content, '') || ' ' || coalesce(m.tool_name, '') || ' ' || coalesce(m.tool_calls, ''), 1, ${searchedLength})`;
const hitColumns = `m.id, m.session_id AS sessionId, m.role, trim(${text}) AS text, s.session_key AS key, m.timestamp AS atMs,
  m.sender_name AS "from", coalesce(r.title, s.title, s.display_name) AS title`;
const hitTables = `messages m JOIN sessions s ON s.id = m.session_id LEFT JOIN gateway_routing r ON r.session_key = s.session_key`;
/** Rewound rows are hidden everywhere; bars are no messages (lifecycle 7.3). */
const visible = `(m.active = 1 OR m.compacted = 1) AND m.role <> 'boundary'`;

export type SearchRows = ReturnType<typeof searchRows>;

/** What searching reads of the transcripts. */
export function searchRows({ sql }: Database) {
  const newer = sql.prepare<[number, number], SearchedRow>(
    `SELECT m.id, m.session_id AS sessionId, m.role, trim(${text}) AS text FROM messages m WHERE m.id > ? ORDER BY m.id LIMIT ?`,
  );
  const some = sql.prepare<[string], SearchedRow>(
    `SELECT m.id, m.session_id AS sessionId, m.role, trim(${text}) AS text FROM json_each(?) j JOIN messages m ON m.id = j.value`,
  );
  const hits = sql.prepare<[string], HitRow>(
    `SELECT ${hitColumns} FROM json_each(?) j CROSS JOIN ${hitTables} WHERE m.id = j.value AND ${visible} ORDER BY m.id DESC`,
  );
  const scan = sql.prepare<[number, number, number], HitRow>(
    `SELECT ${hitColumns} FROM ${hitTables} WHERE m.id < ? AND m.id > ? AND ${visible} ORDER BY m.id DESC LIMIT ?`,
  );
  // A lane's own rows by its sessions' index, else a quiet lane would mean reading everybody else's.
  const scanSessions = sql.prepare<[string, number, number, number], HitRow>(
    `SELECT ${hitColumns} FROM json_each(?) j CROSS JOIN ${hitTables}
      WHERE m.session_id = j.value AND m.id < ? AND m.id > ? AND ${visible} ORDER BY m.id DESC LIMIT ?`,
  );
  const newest = sql
    .prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'messages'`)
    .pluck();
  const sessions = sql
    .prepare<[string], SessionId>(`SELECT id FROM sessions WHERE session_key = ?`)
    .pluck();
  const changed = sql
    .prepare<[number], number>(`SELECT message_id FROM search_changed LIMIT ?`)
    .pluck();
  const settled = sql.prepare<[string]>(
    `DELETE FROM search_changed WHERE message_id IN (SELECT value FROM json_each(?))`,
  );
  const storeId = sql
    .prepare<[], string>(`SELECT value FROM state_meta WHERE key = 'store_id'`)
    .pluck();

  return {
    storeId: (): string => storeId.get() ?? "",
    /** The highest id that was ever given; ids are never given twice. */
    newest: (): number => newest.get() ?? 0,
    /** The next rows behind `mark`, as many as are read in one go. */
    after(mark: number, limit: number): SearchedRow[] {
      const rows: SearchedRow[] = [];
      let length = 0;
      for (const row of newer.iterate(mark, limit)) {
        rows.push(row);
        length += row.text.length;
        if (length > batchLength) break;
      }
      return rows;
    },
    /** Those of these rows that are still there. */
    some: (ids: readonly number[]): SearchedRow[] => some.all(JSON.stringify(ids)),
    /** Those of these rows that a person may see, newest first. */
    hits: (ids: readonly number[]): HitRow[] => hits.all(JSON.stringify(ids)),
    /** Visible rows with ids between the two, newest first; of some sessions, or of all. */
    scan: (
      inSessions: readonly SessionId[] | null,
      before: number,
      after: number,
      limit: number,
    ): HitRow[] =>
      inSessions === null
        ? scan.all(before, after, limit)
        : scanSessions.all(JSON.stringify(inSessions), before, after, limit),
    /** Every session that a lane ever was in. */
    sessionsOf: (key: SessionKey): SessionId[] => sessions.all(key),
    /** Rows whose text changed, or that went, since they were indexed. */
    changed: (limit: number): number[] => changed.all(limit),
    /** These were indexed anew. Part of the caller's transaction. */
    settle(ids: readonly number[]): void {
      settled.run(JSON.stringify(ids));
    },
  };
}
