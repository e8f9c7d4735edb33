import { SignalboxError } from "../contract/errors.ts";
import type { SessionRow } from "../contract/domain.ts";
import { needsMeStates, parseSessionFilter } from "../contract/session-filter.ts";
import type { SessionTerm } from "../contract/session-filter.ts";
import type { Database } from "../state/database.ts";
import { routingColumns } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";

export interface ListQuery {
  filter: string;
  /** A name of `sorts`, with "-" for descending. */
  sort: string;
  limit: number;
  cursor: string | null;
  offset: number;
}

/** What each sort orders by; ties are broken by the key. */
const sorts = {
  updated: "updated_at",
  created: "created_at",
  title: "fold(title)",
  state: `CASE state WHEN 'stuck' THEN 0 WHEN 'failed' THEN 1 WHEN 'waiting' THEN 2 WHEN 'suspended' THEN 3
    WHEN 'running' THEN 4 WHEN 'queued' THEN 5 WHEN 'resume_pending' THEN 6 ELSE 7 END`,
  queue: "queue_depth",
  tokens: "total_tokens",
  key: "session_key",
} as const;

const quoted = needsMeStates.map((state) => `'${state}'`).join(", ");

export type SessionList = ReturnType<typeof sessionList>;

/** The list of sessions, filtered, sorted and paged by the database; reads no transcript (field need 39). */
export function sessionList({ sql }: Database) {
  sql.function("fold", { deterministic: true }, (text: unknown) => String(text).toLowerCase()); // SQLite's lower() knows ASCII only
  const counts = sql.prepare<
    [],
    { all: number; needsMe: number; running: number; suspended: number }
  >(`
    SELECT coalesce(sum(lanes), 0) AS "all", coalesce(sum(lanes) FILTER (WHERE state IN (${quoted})), 0) AS needsMe,
      coalesce(sum(lanes) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(lanes) FILTER (WHERE state = 'suspended'), 0) AS suspended
    FROM lane_counts`); // kept by triggers: pushed ten times a second, whatever the number of lanes
  const queued = sql.prepare<[], { n: number }>(
    `SELECT coalesce(sum(queue_depth), 0) AS n FROM gateway_routing WHERE state IN ('queued', 'running')`,
  );
  const perChannel = sql.prepare<[], { channelId: string; n: number }>(
    `SELECT channel_id AS channelId, count(*) AS n FROM gateway_routing GROUP BY channel_id`,
  );

  return {
    counts: () => counts.get() ?? { all: 0, needsMe: 0, running: 0, suspended: 0 },
    /** Messages that wait in lanes with work. */
    queuedMessages: (): number => queued.get()?.n ?? 0,
    sessionsPerChannel: (): Map<string, number> =>
      new Map(perChannel.all().map((row) => [row.channelId, row.n])),
    /** @throws {SignalboxError} E_INPUT for a filter or a cursor that cannot be read. */
    list(
      query: ListQuery,
      nowMs: number,
    ): { rows: RoutingRow[]; total: number; nextCursor: string | null } {
      const where = whereOf(query.filter, nowMs);
      const desc = query.sort.startsWith("-");
      const by = sorts[(desc ? query.sort.slice(1) : query.sort) as keyof typeof sorts];
      const after = query.cursor === null ? null : decodeCursor(query.cursor, query.sort);
      const seek = after
        ? [
            `(${by} ${desc ? "<" : ">"} @seekValue OR (${by} = @seekValue AND session_key > @seekKey))`,
          ]
        : [];
      const conditions = [...where.conditions, ...seek];
      const total =
        sql
          .prepare<unknown[], { n: number }>(
            `SELECT count(*) AS n FROM gateway_routing${clause(where.conditions)}`,
          )
          .get(where.values)?.n ?? 0;
      const rows = sql
        .prepare<unknown[], RoutingRow & { sortValue: string | number }>(
          `SELECT ${routingColumns}, ${by} AS sortValue FROM gateway_routing${clause(conditions)}
            ORDER BY ${by} ${desc ? "DESC" : "ASC"}, session_key LIMIT @limit OFFSET @offset`,
        )
        .all({
          ...where.values,
          ...(after ? { seekValue: after.value, seekKey: after.key } : {}),
          limit: query.limit,
          offset: query.offset,
        });
      const last = rows.at(-1);
      const more = last !== undefined && rows.length === query.limit;
      return {
        rows,
        total,
        nextCursor: more ? encodeCursor(query.sort, last.sortValue, last.sessionKey) : null,
      };
    },
  };
}

const clause = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;

function whereOf(
  filter: string,
  nowMs: number,
): { conditions: string[]; values: Record<string, string | number> } {
  const parsed = parseSessionFilter(filter);
  if (!parsed.ok)
    throw new SignalboxError("E_INPUT", parsed.error.message, {
      field: "filter",
      at: parsed.error.at,
    });
  const values: Record<string, string | number> = {};
  const conditions = parsed.terms.map((term, index) => {
    const condition = conditionOf(term, `f${index}`, values, nowMs);
    return term.not ? `NOT (${condition})` : `(${condition})`;
  });
  return { conditions, values };
}

function conditionOf(
  term: SessionTerm,
  name: string,
  values: Record<string, string | number>,
  nowMs: number,
): string {
  switch (term.kind) {
    case "state":
      return `state IN (${term.states.map((state) => `'${state}'`).join(", ")})`; // states are a closed list
    case "channel":
      values[name] = term.value;
      return `fold(channel_id) = @${name} OR fold(coalesce(platform, '')) = @${name}`;
    case "agent":
      values[name] = term.value;
      return `fold(coalesce(agent_id, '')) = @${name}`;
    case "key":
      values[name] = term.value;
      return `instr(fold(session_key), @${name}) > 0`;
    case "idle":
      values[name] = nowMs - term.ms;
      return `updated_at ${term.op === ">" ? "<" : ">"} @${name}`;
    case "word":
      values[name] = term.value;
      return `instr(fold(title), @${name}) > 0 OR instr(fold(session_key), @${name}) > 0`;
  }
}

const encodeCursor = (sort: string, value: string | number, key: string): string =>
  Buffer.from(JSON.stringify([sort, value, key])).toString("base64url");

function decodeCursor(cursor: string, sort: string): { value: string | number; key: string } {
  try {
    const [of, value, key] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [
      unknown,
      unknown,
      unknown,
    ];
    if (
      of === sort &&
      (typeof value === "string" || typeof value === "number") &&
      typeof key === "string"
    )
      return { value, key };
  } catch {
    // falls through: one answer for every cursor that is not ours
  }
  throw new SignalboxError(
    "E_INPUT",
    "This cursor belongs to another list; ask again without one.",
    { field: "cursor" },
  );
}

/** A routing record as the panel shows it. */
export const sessionRowOf = (row: RoutingRow): SessionRow => ({
  key: row.sessionKey,
  sessionId: row.sessionId,
  title: row.title,
  platform: row.platform,
  channelId: row.channelId,
  chatType: row.chatType,
  state: row.state,
  stateSinceMs: row.stateSince,
  queueDepth: row.queueDepth,
  agentId: row.agentId,
  messageCount: row.messageCount,
  turnCount: row.turnCount,
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  totalTokens: row.totalTokens,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  turnStartedAtMs: row.activeTurnStartedAt,
  error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
});
