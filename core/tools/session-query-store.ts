import type { Database } from "../state/database.ts";

/** A session as `sessions_list` tells of it, before it is cut to what its requester may see. */
export interface ListedSession {
  key: string;
  sessionId: string;
  title: string;
  channelId: string;
  platform: string | null;
  chatType: string;
  state: string;
  updatedAt: number;
  agentId: string | null;
  totalTokens: number;
  lastPromptTokens: number;
  spawnedBy: string | null;
  stateVersion: number | null;
}

export interface SessionQuery {
  limit: number;
  offset: number;
  search: string | null;
  label: string | null;
  agentId: string | null;
  updatedAfterMs: number | null;
  activeOnly: boolean;
  excludeSubagents: boolean;
  spawnedBy: string | null;
  kinds: readonly string[] | null;
}

/** What a session is, by its key and channel (state-awareness 10.2). */
const kindSql = `CASE
  WHEN r.session_key LIKE 'agent:%:main' AND instr(substr(r.session_key, 7), ':') = length(r.session_key) - 10 THEN 'main'
  WHEN r.channel_id LIKE 'webhook:%' THEN 'hook'
  WHEN r.channel_id = 'mcp' THEN 'node'
  WHEN r.chat_type IN ('group', 'channel', 'thread') THEN 'group'
  ELSE 'other' END`;

export type SessionQueryStore = ReturnType<typeof sessionQueryStore>;

/** Reads pages of sessions for tools: newest first, without counting them all, without a transcript. */
export function sessionQueryStore({ sql }: Database) {
  const statements = new Map<
    string,
    ReturnType<typeof sql.prepare<unknown[], ListedSession & { kind: string }>>
  >();
  return {
    page(query: SessionQuery): (ListedSession & { kind: string })[] {
      const conditions = [
        query.search === null
          ? ""
          : // LIKE folds ASCII inside SQLite; anything else is folded by ours, which is slower.
            isAscii(query.search)
            ? `(r.title LIKE @like ESCAPE '!' OR r.session_key LIKE @like ESCAPE '!')`
            : `(instr(fold(r.title), @search) > 0 OR instr(fold(r.session_key), @search) > 0)`,
        query.label === null ? "" : "r.title = @label",
        query.agentId === null ? "" : "r.session_key LIKE @agentLike ESCAPE '!'",
        query.updatedAfterMs === null ? "" : "r.updated_at >= @updatedAfterMs",
        query.activeOnly ? "r.state IN ('running', 'queued')" : "",
        query.excludeSubagents ? "r.session_key NOT LIKE 'agent:%:subagent:%'" : "",
        query.spawnedBy === null ? "" : "p.spawned_by = @spawnedBy",
        query.kinds === null ? "" : `(${kindSql}) IN (SELECT value FROM json_each(@kinds))`,
      ].filter((condition) => condition !== "");
      const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
      let statement = statements.get(where);
      if (!statement) {
        statement = sql.prepare(`
          SELECT r.session_key AS key, r.session_id AS sessionId, r.title, r.channel_id AS channelId, r.platform,
            r.chat_type AS chatType, r.state, r.updated_at AS updatedAt, r.agent_id AS agentId,
            r.total_tokens AS totalTokens, r.last_prompt_tokens AS lastPromptTokens, p.spawned_by AS spawnedBy,
            (SELECT last_sequence FROM session_state_heads h WHERE h.session_key = r.session_key ORDER BY last_sequence DESC LIMIT 1)
              AS stateVersion,
            ${kindSql} AS kind
            FROM gateway_routing r LEFT JOIN session_parentage p ON p.session_key = r.session_key${where}
           ORDER BY r.updated_at DESC, r.session_key LIMIT @limit OFFSET @offset`);
        statements.set(where, statement); // at most one for each set of filters
      }
      return statement.all({
        ...query,
        activeOnly: null,
        excludeSubagents: null,
        kinds: JSON.stringify(query.kinds),
        search: query.search?.toLowerCase() ?? null,
        like: query.search === null ? null : `%${escaped(query.search)}%`,
        agentLike: query.agentId === null ? null : `agent:${escaped(query.agentId)}:%`,
      });
    },
  };
}

const escaped = (text: string): string => text.replaceAll(/[!%_]/g, String.raw`!$&`);
const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);
