import type { Database } from "../state/database.ts";
import type { SessionId } from "../contract/ids.ts";

export interface NewMessage {
  sessionId: SessionId;
  role: "user" | "assistant" | "tool" | "system" | "boundary";
  content: string;
  timestamp: number;
  turnId?: string | null;
  senderName?: string | null;
  platformMessageId?: string | null;
  toolCallId?: string | null;
  toolCalls?: string | null;
  toolName?: string | null;
  finishReason?: string | null;
  /** `internal` for machinery's rows; `reset`, `restart` … for boundaries. */
  displayKind?: string | null;
  displayMetadata?: string | null;
  tokenCount?: number | null;
  /** What the model is shown where it differs from `content`: a shared session's text with its sender's name (lifecycle 5). */
  apiContent?: string | null;
  /** Rows that are taken over may have been archived or rewound where they come from (lifecycle 7.3). */
  active?: 0 | 1;
  compacted?: 0 | 1;
}

/** A stored row as it is shown. `text` is at most `textLimit` characters of the content. */
export interface StoredMessage {
  id: number;
  sessionId: SessionId;
  role: NewMessage["role"];
  text: string;
  textBytes: number;
  timestamp: number;
  turnId: string | null;
  senderName: string | null;
  toolCallId: string | null;
  toolCalls: string | null;
  toolName: string | null;
  finishReason: string | null;
  displayKind: string | null;
  delivery: string | null;
}

/** An active row, whole. */
export interface LiveMessage extends Pick<
  StoredMessage,
  | "id"
  | "role"
  | "toolCallId"
  | "toolCalls"
  | "toolName"
  | "timestamp"
  | "turnId"
  | "displayKind"
  | "senderName"
  | "finishReason"
> {
  /** What the person wrote. */
  text: string;
  /** What the model is shown of it. */
  content: string;
}

/** Characters of one row that a page carries; the whole row is read on its own. */
export const textLimit = 65_536;

export interface TailRow {
  id: number;
  role: string;
  content: string | null;
  toolCalls: string | null;
  timestamp: number;
  turnId: string | null;
  promptKind: string | null;
}

export type MessageStore = ReturnType<typeof messageStore>;

const columns = `m.id, m.session_id AS sessionId, m.role, substr(coalesce(m.content, ''), 1, ${textLimit}) AS text,
  coalesce(octet_length(m.content), 0) AS textBytes, m.timestamp, m.turn_id AS turnId, m.sender_name AS senderName,
  m.tool_call_id AS toolCallId, m.tool_calls AS toolCalls, m.tool_name AS toolName, m.finish_reason AS finishReason,
  m.display_kind AS displayKind,
  (SELECT state FROM delivery_obligations o WHERE o.message_id = m.id ORDER BY order_seq DESC LIMIT 1) AS delivery`;

/** The table `messages` (lifecycle 7.3). Rows are ordered by id, never by time: clocks step. Callers bring the transaction. */
export function messageStore({ sql }: Database) {
  const insert = sql.prepare(`
    INSERT INTO messages (session_id, role, content, timestamp, turn_id, sender_name, platform_message_id, tool_call_id,
      tool_calls, tool_name, finish_reason, display_kind, display_metadata, token_count, api_content, active, compacted)
    VALUES (@sessionId, @role, @content, @timestamp, @turnId, @senderName, @platformMessageId, @toolCallId,
      @toolCalls, @toolName, @finishReason, @displayKind, @displayMetadata, @tokenCount, @apiContent, @active, @compacted)`);
  const count = sql.prepare<[number, number, string]>(
    `UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ? WHERE id = ?`,
  );
  const page = sql.prepare<[string, number, number], StoredMessage>(`
    SELECT ${columns} FROM messages m
     WHERE m.session_id = ? AND (m.active = 1 OR m.compacted = 1) AND m.id < ? ORDER BY m.id DESC LIMIT ?`);
  const live = sql.prepare<[string], LiveMessage>(`
    SELECT id, role, coalesce(content, '') AS text, coalesce(api_content, content, '') AS content, tool_call_id AS toolCallId,
      tool_calls AS toolCalls, tool_name AS toolName, timestamp, turn_id AS turnId, display_kind AS displayKind,
      sender_name AS senderName, finish_reason AS finishReason
      FROM messages WHERE session_id = ? AND active = 1 ORDER BY id`);
  const one = sql.prepare<[number], StoredMessage>(
    `SELECT ${columns} FROM messages m WHERE m.id = ?`,
  );
  const byPlatformId = sql.prepare<[string, string], { one: 1 }>(
    `SELECT 1 AS one FROM messages WHERE session_id = ? AND platform_message_id = ?`,
  );
  const lastAt = sql.prepare<[string], { at: number | null }>(
    `SELECT max(timestamp) AS at FROM messages WHERE session_id = ?`,
  );
  const tail = sql.prepare<[string], TailRow>(`
    SELECT id, role, content, tool_calls AS toolCalls, timestamp, turn_id AS turnId,
      (SELECT display_kind FROM messages p WHERE p.session_id = m.session_id AND p.active = 1 AND p.role = 'user' AND p.id < m.id
        ORDER BY p.id DESC LIMIT 1) AS promptKind
      FROM messages m WHERE session_id = ? AND active = 1 AND role NOT IN ('boundary', 'system', 'session_meta') ORDER BY id DESC LIMIT 1`);
  const boundaries = sql.prepare<[string], { id: number }>(
    `SELECT id FROM messages WHERE session_id = ? AND role = 'boundary' ORDER BY id`,
  );

  const contains = sql.prepare<[string, string], { one: 1 }>(`
    SELECT 1 AS one FROM messages WHERE session_id = ? AND (active = 1 OR compacted = 1) AND role IN ('user', 'assistant')
       AND content LIKE ? ESCAPE '\\' LIMIT 1`);
  const speakers = sql.prepare<[string], { name: string }>(`
    SELECT sender_name AS name FROM messages WHERE session_id = ? AND role = 'user' AND sender_name IS NOT NULL
     GROUP BY sender_name ORDER BY max(id) DESC LIMIT 50`);

  return {
    /** Whether what was said, compressed parts included, holds these words in this order; case does not matter for ASCII. */
    contains: (id: SessionId, words: string): boolean =>
      contains.get(id, `%${words.replace(/[\\%_]/g, "\\$&")}%`) !== undefined,
    /** Names under which people spoke, the latest first, at most 50. */
    speakers: (id: SessionId): string[] => speakers.all(id).map((row) => row.name),
    /** Ids of the bars that mark boundaries in a transcript. */
    boundaryIds: (id: SessionId): number[] => boundaries.all(id).map((row) => row.id),
    /** The newest live row, bars left out, and of which kind the row is that prompted it. */
    tail: (id: SessionId): TailRow | undefined => tail.get(id),
    /** Time of the newest row, or null in an empty transcript. */
    lastAt: (id: SessionId): number | null => lastAt.get(id)?.at ?? null,
    /** Adds a row and its session's counters; returns the row's id. */
    append(message: NewMessage): number {
      const row = {
        turnId: null,
        senderName: null,
        platformMessageId: null,
        toolCallId: null,
        toolCalls: null,
        toolName: null,
        finishReason: null,
        displayKind: null,
        displayMetadata: null,
        tokenCount: null,
        apiContent: null,
        active: 1,
        compacted: 0,
        ...message,
      };
      const id = Number(insert.run(row).lastInsertRowid);
      if (message.role !== "boundary")
        count.run(
          1,
          message.toolCalls ? (JSON.parse(message.toolCalls) as unknown[]).length : 0,
          message.sessionId,
        );
      return id;
    },
    /** Up to `limit` rows before `before`, oldest first. */
    page(id: SessionId, before: number, limit: number): StoredMessage[] {
      return page.all(id, before, limit).toReversed();
    },
    /** The active rows, whole, in order: what a history is made of. A summary stands first, where what it sums up stood. */
    live(id: SessionId): LiveMessage[] {
      const rows = live.all(id);
      const summary = rows.findLastIndex((row) => row.displayKind === "summary");
      const [first] = summary > 0 ? rows.splice(summary, 1) : [];
      return first ? [first, ...rows] : rows;
    },
    get: (id: number): StoredMessage | undefined => one.get(id),
    hasPlatformMessageId: (id: SessionId, platformMessageId: string): boolean =>
      byPlatformId.get(id, platformMessageId) !== undefined,
  };
}
