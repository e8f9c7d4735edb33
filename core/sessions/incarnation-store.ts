import type { Database } from "../state/database.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";

/** Why an incarnation ended (lifecycle 6.4). The first reason wins, except that user boundaries promote accidental ones. */
export type EndReason =
  | "session_reset"
  | "suspended"
  | "session_switch"
  | "new_session"
  | "user_exit"
  | "compression"
  | "agent_close"
  | "ws_orphan_reap";

export interface NewIncarnation {
  id: SessionId;
  source: string;
  /** Null where no lane leads to it. */
  sessionKey: SessionKey | null;
  userId: string | null;
  chatId: string | null;
  chatType: string | null;
  threadId: string | null;
  displayName: string | null;
  originJson: string | null;
  parentSessionId: string | null;
  modelConfig: string | null;
  startedAt: number;
  title: string | null;
}

/** Where an incarnation is filed. */
export interface Home {
  key: SessionKey;
  source: string;
  userId: string | null;
  chatId: string | null;
  chatType: string | null;
  threadId: string | null;
  originJson: string | null;
}

export interface IncarnationRow {
  id: SessionId;
  sessionKey: SessionKey | null;
  parentSessionId: SessionId | null;
  startedAt: number;
  endedAt: number | null;
  endReason: EndReason | null;
  messageCount: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  title: string | null;
  modelConfig: string | null;
  rewindCount: number;
}

export type IncarnationStore = ReturnType<typeof incarnationStore>;

const columns = `id, session_key AS sessionKey, parent_session_id AS parentSessionId, started_at AS startedAt,
  ended_at AS endedAt, end_reason AS endReason, message_count AS messageCount, input_tokens AS inputTokens,
  output_tokens AS outputTokens, cache_read_tokens AS cacheReadTokens, cache_write_tokens AS cacheWriteTokens,
  title, model_config AS modelConfig, rewind_count AS rewindCount`;

/** The table `sessions`: one row an incarnation (lifecycle 7.2). Callers bring the transaction. */
export function incarnationStore({ sql }: Database) {
  const insert = sql.prepare<[NewIncarnation]>(`
    INSERT INTO sessions (id, source, session_key, user_id, chat_id, chat_type, thread_id, display_name, origin_json,
      parent_session_id, model_config, started_at, title)
    VALUES (@id, @source, @sessionKey, @userId, @chatId, @chatType, @threadId, @displayName, @originJson,
      @parentSessionId, @modelConfig, @startedAt, @title)`);
  const get = sql.prepare<[string], IncarnationRow>(`SELECT ${columns} FROM sessions WHERE id = ?`);
  const exists = sql.prepare<[string], { one: 1 }>(`SELECT 1 AS one FROM sessions WHERE id = ?`);
  const end = sql.prepare<[number, string, string]>(
    `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND end_reason IS NULL`,
  );
  const promote = sql.prepare<[number, string, string]>(
    `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND (end_reason IS NULL OR end_reason IN ('agent_close', 'ws_orphan_reap'))`,
  );
  const setTitle = sql.prepare<[string | null, string]>(
    `UPDATE sessions SET title = ? WHERE id = ?`,
  );
  const titleOwner = sql.prepare<[string], { id: SessionId }>(
    `SELECT id FROM sessions WHERE title = ?`,
  );
  const addUsage = sql.prepare<[number, number, number, number, number, string]>(`
    UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
      cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, api_call_count = api_call_count + ?
    WHERE id = ?`);
  // Open, or closed by accident, with something said in it, and newer than the lane's last explicit boundary (lifecycle 3.4).
  const recoverable = `(ended_at IS NULL OR end_reason IN ('agent_close', 'ws_orphan_reap')) AND message_count > 0 AND expiry_finalized = 0`;
  const latestByKey = sql.prepare<[string, string, string], { id: SessionId }>(`
    SELECT id FROM sessions WHERE session_key = ? AND source = ? AND ${recoverable}
       AND coalesce(reopened_at, started_at) >= coalesce((SELECT max(ended_at) FROM sessions WHERE session_key = ? AND (expiry_finalized = 1
         OR end_reason IN ('session_reset', 'session_switch', 'new_session', 'user_exit', 'suspended'))), 0)
     ORDER BY coalesce(reopened_at, started_at) DESC, id DESC LIMIT 1`);
  const latestByPeer = sql.prepare<[string, string, string, string, string], { id: SessionId }>(`
    SELECT id FROM sessions WHERE session_key IS NULL AND source = ? AND coalesce(user_id, '') = ? AND coalesce(chat_id, '') = ?
       AND coalesce(chat_type, '') = ? AND coalesce(thread_id, '') = ? AND ${recoverable}
     ORDER BY started_at DESC, id DESC LIMIT 1`);
  const reopen = sql.prepare<[number | null, string, string]>(
    `UPDATE sessions SET ended_at = NULL, end_reason = NULL, reopened_at = coalesce(?, reopened_at), session_key = ? WHERE id = ?`,
  );
  // Once its parent is open again and later compressed, a child without a mark would pass for the continuation.
  const markResets = sql.prepare<[string, string]>(`
    UPDATE sessions SET model_config = json_set(CASE WHEN json_valid(model_config) THEN model_config ELSE '{}' END, '$._reset_from', ?)
     WHERE parent_session_id = ? AND coalesce(model_config, '') NOT LIKE '%"\\_%\\_from"%' ESCAPE '\\'`);
  const moveTo = sql.prepare<Home & { id: SessionId }>(`
    UPDATE sessions SET session_key = @key, source = @source, user_id = @userId, chat_id = @chatId, chat_type = @chatType,
      thread_id = @threadId, origin_json = @originJson WHERE id = @id`);
  const recount = sql.prepare<[string], { messageCount: number }>(`
    UPDATE sessions SET message_count = (SELECT count(*) FROM messages m
        WHERE m.session_id = sessions.id AND (m.active = 1 OR m.compacted = 1) AND m.role <> 'boundary')
     WHERE id = ? RETURNING message_count AS messageCount`);
  const rewound = sql.prepare<[string]>(
    `UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?`,
  );

  return {
    /**
     * The incarnation that a lost route most probably meant (lifecycle 3.4): by key, else, where chat and type are
     * known and the platform has no workspaces, a keyless row of the same peer.
     */
    findLatest(
      key: SessionKey,
      peer: {
        platform: string;
        userId: string | null;
        chatId: string;
        chatType: string;
        threadId: string | null;
      },
    ): SessionId | undefined {
      const byKey = latestByKey.get(key, peer.platform, key);
      if (byKey || peer.platform === "slack" || peer.chatId === "" || peer.chatType === "")
        return byKey?.id;
      return latestByPeer.get(
        peer.platform,
        peer.userId ?? "",
        peer.chatId,
        peer.chatType,
        peer.threadId ?? "",
      )?.id;
    },
    /**
     * Makes an ended row current again in a lane; its resets are marked first (lifecycle 6.4).
     * @param nowMs When a person did it; null where it had been closed by accident and is as old as it was.
     */
    reopen(id: SessionId, key: SessionKey, nowMs: number | null = null): void {
      if (get.get(id)?.endReason !== "compression") markResets.run(id, id);
      reopen.run(nowMs, key, id);
    },
    /** The row belongs to this lane from now on (lifecycle 3.5, `switch_session`). */
    moveTo(id: SessionId, home: Home): void {
      moveTo.run({ ...home, id });
    },
    /** Counts the rows that a person sees, anew; returns the count. */
    recount: (id: SessionId): number => recount.get(id)?.messageCount ?? 0,
    countRewind(id: SessionId): void {
      rewound.run(id);
    },
    insert(row: NewIncarnation): void {
      insert.run(row);
    },
    get: (id: SessionId): IncarnationRow | undefined => get.get(id),
    exists: (id: SessionId): boolean => exists.get(id) !== undefined,
    /** Ends an open row; a plain end on an ended row is a no-op. Resets and suspensions promote accidental ends (lifecycle 6.4). */
    end(id: SessionId, reason: EndReason, nowMs: number): boolean {
      const promotes = reason === "session_reset" || reason === "suspended";
      return (promotes ? promote : end).run(nowMs, reason, id).changes > 0;
    },
    setTitle(id: SessionId, title: string | null): void {
      setTitle.run(title, id);
    },
    titleOwner: (title: string): SessionId | undefined => titleOwner.get(title)?.id,
    addUsage(
      id: SessionId,
      usage: {
        inputTokens: number;
        outputTokens: number;
        cacheReadTokens: number;
        cacheWriteTokens: number;
      },
    ): void {
      addUsage.run(
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadTokens,
        usage.cacheWriteTokens,
        1,
        id,
      );
    },
  };
}
