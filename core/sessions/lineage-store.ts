import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import { chooseContinuation, compressionTip, maxHops } from "./compression-tip.ts";
import type { Continuation } from "./compression-tip.ts";
import type { EndReason } from "./incarnation-store.ts";

/** An incarnation as a node of its family. Times are epoch ms. */
export interface FamilyRow {
  id: SessionId;
  sessionKey: SessionKey | null;
  parentSessionId: SessionId | null;
  modelConfig: string | null;
  source: string;
  startedAt: number;
  endedAt: number | null;
  endReason: EndReason | null;
  title: string | null;
  messageCount: number;
  rewindCount: number;
  archived: number;
  rewound: number;
}

/** An incarnation that somebody may want to go back to. */
export interface PastSession {
  id: SessionId;
  sessionKey: SessionKey | null;
  source: string;
  userId: string | null;
  chatId: string | null;
  chatType: string | null;
  threadId: string | null;
  originJson: string | null;
  title: string | null;
  startedAt: number;
  endedAt: number | null;
  endReason: EndReason | null;
  messageCount: number;
  lastAt: number | null;
}

export interface TokenTotals {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** Nodes that one family shows; a longer history is cut at its oldest end. */
export const familyLimit = 500;
/** Past sessions looked at for one list. */
const pastLimit = 1_000;

export type LineageStore = ReturnType<typeof lineageStore>;

/** Reads of the table `sessions` along its parent links (lifecycle 14). Writes nothing. */
export function lineageStore({ sql }: Database) {
  const ended = sql.prepare<[string], { endReason: string | null }>(
    `SELECT end_reason AS endReason FROM sessions WHERE id = ?`,
  );
  const children = sql.prepare<[string], Omit<Continuation, "isLive"> & { isLive: 0 | 1 }>(`
    SELECT id, end_reason AS endReason, ended_at IS NULL AS isLive, model_config AS modelConfig, source,
      coalesce((SELECT max(m.id) FROM messages m WHERE m.session_id = s.id), 0) AS lastMessageId
      FROM sessions s WHERE parent_session_id = ? LIMIT 1000`);
  const familyColumns = `id, session_key AS sessionKey, parent_session_id AS parentSessionId, model_config AS modelConfig, source,
    started_at AS startedAt, ended_at AS endedAt, end_reason AS endReason, title, message_count AS messageCount,
    rewind_count AS rewindCount,
    (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.active = 0 AND m.compacted = 1 AND m.role <> 'boundary') AS archived,
    (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.active = 0 AND m.compacted = 0 AND m.role <> 'boundary') AS rewound`;
  // Everything that was ever current in the lane, what it came from, and what came from it.
  const family = sql.prepare<{ key: string; current: string; limit: number }, FamilyRow>(`
    WITH RECURSIVE
      own(id) AS (
        SELECT id FROM (SELECT id FROM sessions WHERE session_key = @key ORDER BY started_at DESC LIMIT @limit)
        UNION SELECT @current),
      up(id) AS (
        SELECT id FROM own
        UNION SELECT p.parent_session_id FROM up JOIN sessions p ON p.id = up.id WHERE p.parent_session_id IS NOT NULL LIMIT @limit),
      down(id) AS (
        SELECT id FROM own
        UNION SELECT c.id FROM down JOIN sessions c ON c.parent_session_id = down.id LIMIT @limit)
    SELECT ${familyColumns} FROM sessions s WHERE id IN (SELECT id FROM up UNION SELECT id FROM down)
     ORDER BY started_at DESC, id DESC LIMIT @limit`);
  const pastColumns = `id, session_key AS sessionKey, source, user_id AS userId, chat_id AS chatId, chat_type AS chatType,
    thread_id AS threadId, origin_json AS originJson, title, started_at AS startedAt, ended_at AS endedAt,
    end_reason AS endReason, message_count AS messageCount,
    (SELECT m.timestamp FROM messages m WHERE m.session_id = s.id AND m.active = 1 ORDER BY m.id DESC LIMIT 1) AS lastAt`;
  const newest = `ORDER BY coalesce(reopened_at, started_at) DESC, id DESC LIMIT ${pastLimit}`;
  const past = sql.prepare<{ key: string; source: string; userId: string | null }, PastSession>(`
    SELECT ${pastColumns} FROM sessions s
     WHERE (session_key = @key OR (source = @source AND user_id = @userId)) AND source <> 'background' ${newest}`);
  const pastOfAll = sql.prepare<[], PastSession>(
    `SELECT ${pastColumns} FROM sessions s WHERE source <> 'background' ${newest}`,
  );
  const one = sql.prepare<[string], PastSession>(
    `SELECT ${pastColumns} FROM sessions s WHERE id = ?`,
  );
  const byTitle = sql.prepare<{ title: string }, PastSession>(
    `SELECT ${pastColumns} FROM sessions s WHERE title = @title COLLATE NOCASE ORDER BY title = @title DESC LIMIT 1`,
  );
  const chain = `chain(id) AS (
    SELECT @id
    UNION SELECT p.id FROM chain JOIN sessions c ON c.id = chain.id JOIN sessions p ON p.id = c.parent_session_id
     WHERE p.end_reason = 'compression' AND coalesce(c.model_config, '') NOT LIKE '%"\\_%\\_from"%' ESCAPE '\\' LIMIT ${maxHops})`;
  const totals = sql.prepare<{ id: string }, TokenTotals>(`
    WITH RECURSIVE ${chain}
    SELECT coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens,
      coalesce(sum(cache_read_tokens), 0) AS cacheReadTokens, coalesce(sum(cache_write_tokens), 0) AS cacheWriteTokens
      FROM sessions WHERE id IN (SELECT id FROM chain)`);
  const links = sql.prepare<{ id: string }, { id: SessionId }>(`
    WITH RECURSIVE ${chain} SELECT id FROM chain`);

  return {
    /** Where compression has taken this incarnation; itself where it has not (lifecycle 14.3). */
    tip: (id: SessionId): SessionId =>
      compressionTip(id, (link) =>
        ended.get(link)?.endReason === "compression"
          ? chooseContinuation(
              children.all(link).map((child) => ({ ...child, isLive: child.isLive === 1 })),
            )
          : null,
      ),
    /** The lane's incarnations with their ancestors and descendants, newest first, at most `familyLimit`. */
    family: (key: SessionKey, current: SessionId): FamilyRow[] =>
      family.all({ key, current, limit: familyLimit }),
    /** This incarnation and those that compression replaced by it: one conversation. */
    compressionChain: (id: SessionId): SessionId[] => links.all({ id }).map((row) => row.id),
    /** Tokens of the whole conversation, compressed parts included. */
    totals: (id: SessionId): TokenTotals =>
      totals.get({ id }) ?? {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
      },
    /** Sessions of a lane or a person, newest first; what the caller may see of them is decided elsewhere. */
    past: (key: SessionKey, source: string, userId: string | null): PastSession[] =>
      past.all({ key, source, userId }),
    pastOfAll: (): PastSession[] => pastOfAll.all(),
    pastById: (id: string): PastSession | undefined => one.get(id),
    /** An exact title before one that differs in case only. */
    pastByTitle: (title: string): PastSession | undefined => byTitle.get({ title }),
  };
}
