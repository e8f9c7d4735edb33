import type { Database } from "../state/database.ts";
import type { Target } from "./cursor-store.ts";
import type { Chain } from "./relay.ts";

/** A line that waits for a session's next turn, or was shown to one. */
export interface SystemEvent {
  id: number;
  sessionKey: string;
  text: string;
  contextKey: string | null;
  targetKey: string | null;
  targetAgentId: string | null;
  base: number | null;
  state: "waiting" | "taken" | "drained" | "withdrawn";
  turnId: string | null;
  chainId: string | null;
  chainHops: number;
  queuedAt: number;
  endedAt: number | null;
}

export interface NewNotice {
  watcher: string;
  target: Target;
  text: string;
  contextKey: string;
  base: number;
  chain: Chain | null;
}

/** Ordinary lines that may wait for one session; the oldest goes first. Notices are exempt: each target has one. */
export const ordinaryCap = 20;

const columns = `id, session_key AS sessionKey, text, context_key AS contextKey, target_session_key AS targetKey,
  target_agent_id AS targetAgentId, base_sequence AS base, state, turn_id AS turnId, chain_id AS chainId,
  chain_hops AS chainHops, queued_at AS queuedAt, ended_at AS endedAt`;

export type SystemEventStore = ReturnType<typeof systemEventStore>;

/** The table `session_system_events` (state-awareness 6.2). Callers bring the transaction. */
export function systemEventStore({ sql }: Database) {
  const insert = sql.prepare<[Record<string, string | number | null>]>(`
    INSERT INTO session_system_events (session_key, text, context_key, target_session_key, target_agent_id, base_sequence,
      chain_id, chain_hops, queued_at)
    VALUES (@sessionKey, @text, @contextKey, @targetKey, @targetAgentId, @base, @chainId, @chainHops, @queuedAt)`);
  const liveNotice = sql.prepare<[string, string, string], SystemEvent>(`
    SELECT ${columns} FROM session_system_events
     WHERE session_key = ? AND target_session_key = ? AND target_agent_id = ? AND state IN ('waiting', 'taken')`);
  const liveAbout = sql.prepare<[string, string], SystemEvent>(`
    SELECT ${columns} FROM session_system_events
     WHERE target_session_key = ? AND target_agent_id = ? AND state IN ('waiting', 'taken')`);
  const reword = sql.prepare<[string, number, string | null, number, number, number]>(
    `UPDATE session_system_events SET text = ?, base_sequence = ?, chain_id = ?, chain_hops = ?, queued_at = ? WHERE id = ?`,
  );
  const setChain = sql.prepare<[string | null, number, number]>(
    `UPDATE session_system_events SET chain_id = ?, chain_hops = ? WHERE id = ?`,
  );
  const waiting = sql.prepare<[string], SystemEvent>(
    `SELECT ${columns} FROM session_system_events WHERE session_key = ? AND state = 'waiting' ORDER BY id`,
  );
  const hasWaiting = sql.prepare<[string], { one: 1 }>(
    `SELECT 1 AS one FROM session_system_events WHERE session_key = ? AND state = 'waiting' LIMIT 1`,
  );
  const take = sql.prepare<[string | null, number]>(
    `UPDATE session_system_events SET state = 'taken', turn_id = ? WHERE id = ? AND state = 'waiting'`,
  );
  const taken = sql.prepare<[string], SystemEvent>(
    `SELECT ${columns} FROM session_system_events WHERE turn_id = ? AND state = 'taken' ORDER BY id`,
  );
  const end = sql.prepare<[string, number, number]>(
    `UPDATE session_system_events SET state = ?, ended_at = ? WHERE id = ? AND state IN ('waiting', 'taken')`,
  );
  const orphans = sql.prepare<[], SystemEvent>(
    `SELECT ${columns} FROM session_system_events WHERE state = 'taken' ORDER BY id`,
  );
  const back = sql.prepare<[number]>(
    `UPDATE session_system_events SET state = 'waiting', turn_id = NULL WHERE id = ? AND state = 'taken'`,
  );
  // One state a statement: each has an index of its own.
  const withdrawWaiting = sql.prepare<[number, string]>(`
    UPDATE session_system_events SET state = 'withdrawn', ended_at = ? WHERE session_key = ? AND state = 'waiting'`);
  const withdrawTaken = sql.prepare<[number, string]>(`
    UPDATE session_system_events SET state = 'withdrawn', ended_at = ? WHERE session_key = ? AND state = 'taken'`);
  const withdrawAbout = sql.prepare<[number, string, string]>(`
    UPDATE session_system_events SET state = 'withdrawn', ended_at = ?
     WHERE target_session_key = ? AND target_agent_id = ? AND state IN ('waiting', 'taken')`);
  const waitingSessions = sql.prepare<[string, number], { key: string }>(`
    SELECT DISTINCT session_key AS key FROM session_system_events
     WHERE state = 'waiting' AND session_key > ? ORDER BY session_key LIMIT ?`);
  const history = sql.prepare<
    [{ before: number; key: string | null; limit: number }],
    SystemEvent
  >(`
    SELECT ${columns} FROM session_system_events
     WHERE id < @before AND target_session_key IS NOT NULL
       AND (@key IS NULL OR session_key = @key OR target_session_key = @key)
     ORDER BY id DESC LIMIT @limit`);
  const forget = sql.prepare<[number, number]>(`
    DELETE FROM session_system_events WHERE id IN
      (SELECT id FROM session_system_events WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)`);
  const waitingNotices = sql.prepare<[], { n: number }>(
    `SELECT count(*) AS n FROM session_system_events WHERE state = 'waiting' AND target_session_key IS NOT NULL`,
  );
  const loseAll = sql.prepare<[]>(
    `DELETE FROM session_system_events WHERE state IN ('waiting', 'taken')`,
  );

  return {
    /** The pair's notices that have not ended: at most one waits; one may be shown to a running turn. */
    liveNotices: (watcher: string, target: Target): SystemEvent[] =>
      liveNotice.all(watcher, target.key, target.agentId),
    /** The same of all watchers of a target. */
    liveAbout: (target: Target): SystemEvent[] => liveAbout.all(target.key, target.agentId),
    insertNotice(notice: NewNotice, nowMs: number): void {
      insert.run({
        sessionKey: notice.watcher,
        text: notice.text,
        contextKey: notice.contextKey,
        targetKey: notice.target.key,
        targetAgentId: notice.target.agentId,
        base: notice.base,
        chainId: notice.chain?.id ?? null,
        chainHops: notice.chain?.hops ?? 0,
        queuedAt: nowMs,
      });
    },
    insertLine(
      row: { sessionKey: string; text: string; contextKey: string | null; target: Target | null },
      nowMs: number,
    ): number {
      return Number(
        insert.run({
          sessionKey: row.sessionKey,
          text: row.text,
          contextKey: row.contextKey,
          targetKey: row.target?.key ?? null,
          targetAgentId: row.target?.agentId ?? null,
          base: null,
          chainId: null,
          chainHops: 0,
          queuedAt: nowMs,
        }).lastInsertRowid,
      );
    },
    /** Another text for the same pair takes the older one's place. */
    reword(id: number, text: string, base: number, chain: Chain | null, nowMs: number): void {
      reword.run(text, base, chain?.id ?? null, chain?.hops ?? 0, nowMs, id);
    },
    setChain(id: number, chain: Chain | null): void {
      setChain.run(chain?.id ?? null, chain?.hops ?? 0, id);
    },
    /** Oldest first. */
    waiting: (sessionKey: string): SystemEvent[] => waiting.all(sessionKey),
    hasWaiting: (sessionKey: string): boolean => hasWaiting.get(sessionKey) !== undefined,
    take: (id: number, turnId: string | null): boolean => take.run(turnId, id).changes > 0,
    takenBy: (turnId: string): SystemEvent[] => taken.all(turnId),
    /** Shown to turns, whether or not those still run. */
    taken: (): SystemEvent[] => orphans.all(),
    end: (id: number, how: "drained" | "withdrawn", nowMs: number): boolean =>
      end.run(how, nowMs, id).changes > 0,
    putBack: (id: number): boolean => back.run(id).changes > 0,
    withdrawOf(sessionKey: string, nowMs: number): void {
      withdrawWaiting.run(nowMs, sessionKey);
      withdrawTaken.run(nowMs, sessionKey);
    },
    withdrawAbout(target: Target, nowMs: number): void {
      withdrawAbout.run(nowMs, target.key, target.agentId);
    },
    /** Sessions in which something waits, in the order of their keys. */
    waitingSessions: (after: string, limit: number): string[] =>
      waitingSessions.all(after, limit).map((row) => row.key),
    /** Notices, newest first. */
    history: (before: number, key: string | null, limit: number): SystemEvent[] =>
      history.all({ before, key, limit }),
    waitingNotices: (): number => waitingNotices.get()?.n ?? 0,
    /** Removes at most `limit` that ended before a time. */
    forget: (beforeMs: number, limit: number): number => forget.run(beforeMs, limit).changes,
    /** The loss of a queue as the vectors play it; nothing else calls it. */
    loseAll(): void {
      loseAll.run();
    },
  };
}
