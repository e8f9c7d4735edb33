import type { Database } from "../state/database.ts";
import type { Marks } from "./marks.ts";

/** Of whom: a target is a key and the agent that owns it (state-awareness 2.4). */
export interface Target {
  key: string;
  agentId: string;
}

export type WatchOrigin = "spawned" | "lineage" | "asked";

export interface CursorRow extends Marks {
  watcher: string;
  targetKey: string;
  targetAgentId: string;
  provenance: "explicit" | "ambient-group";
  origin: WatchOrigin;
  drainedAt: number | null;
  mutedAt: number | null;
  updatedAt: number;
}

const columns = `watcher_session_key AS watcher, target_session_key AS targetKey, target_agent_id AS targetAgentId,
  last_seen_sequence AS lastSeen, notified_sequence AS notified, material_sequence AS material, provenance, origin,
  drained_at AS drainedAt, muted_at AS mutedAt, updated_at AS updatedAt`;
const pair = `watcher_session_key = @watcher AND target_session_key = @targetKey AND target_agent_id = @targetAgentId`;

interface Pair {
  watcher: string;
  targetKey: string;
  targetAgentId: string;
}
const pairOf = (watcher: string, target: Target): Pair => ({
  watcher,
  targetKey: target.key,
  targetAgentId: target.agentId,
});

export type CursorStore = ReturnType<typeof cursorStore>;

/** The table `session_watch_cursors` (state-awareness 2.4). Callers bring the transaction. */
export function cursorStore({ sql }: Database) {
  const get = sql.prepare<[Pair], CursorRow>(
    `SELECT ${columns} FROM session_watch_cursors WHERE ${pair}`,
  );
  const holders = sql.prepare<[string, string], CursorRow>(
    `SELECT ${columns} FROM session_watch_cursors WHERE target_session_key = ? AND target_agent_id = ?`,
  );
  const seed = sql.prepare<[Pair & Marks & { origin: string; now: number }]>(`
    INSERT INTO session_watch_cursors (watcher_session_key, target_session_key, target_agent_id, last_seen_sequence,
      notified_sequence, material_sequence, provenance, origin, updated_at)
    VALUES (@watcher, @targetKey, @targetAgentId, @lastSeen, @notified, @material, 'explicit', @origin, @now)
    ON CONFLICT DO UPDATE SET last_seen_sequence = @lastSeen, notified_sequence = @notified,
      material_sequence = @material, provenance = 'explicit', origin = @origin, updated_at = @now`);
  const setMarks = sql.prepare<[Pair & Marks & { now: number }]>(`
    UPDATE session_watch_cursors SET last_seen_sequence = @lastSeen, notified_sequence = @notified,
      material_sequence = @material, updated_at = @now WHERE ${pair}`);
  const drained = sql.prepare<[Pair & { now: number }]>(
    `UPDATE session_watch_cursors SET drained_at = @now WHERE ${pair}`,
  );
  const renew = sql.prepare<[Pair & { now: number }]>(
    `UPDATE session_watch_cursors SET provenance = 'explicit', updated_at = @now WHERE ${pair}`,
  );
  const mute = sql.prepare<[Pair & { at: number | null }]>(
    `UPDATE session_watch_cursors SET muted_at = @at WHERE ${pair}`,
  );
  const drop = sql.prepare<[Pair]>(`DELETE FROM session_watch_cursors WHERE ${pair}`);
  const dropHeldBy = sql.prepare<[string]>(
    `DELETE FROM session_watch_cursors WHERE watcher_session_key = ?`,
  );
  const dropOn = sql.prepare<[string, string]>(
    `DELETE FROM session_watch_cursors WHERE target_session_key = ? AND target_agent_id = ?`,
  );
  const watched = sql.prepare<[string, string], { one: 1 }>(
    `SELECT 1 AS one FROM session_watch_cursors WHERE target_session_key = ? AND target_agent_id = ? LIMIT 1`,
  );
  const page = sql.prepare<
    [{ watcher: string; target: string; key: string | null; limit: number }],
    CursorRow
  >(`
    SELECT ${columns} FROM session_watch_cursors
     WHERE (watcher_session_key, target_session_key) > (@watcher, @target)
       AND (@key IS NULL OR watcher_session_key = @key OR target_session_key = @key)
     ORDER BY watcher_session_key, target_session_key, target_agent_id LIMIT @limit`);
  const count = sql.prepare<[{ key: string | null }], { n: number }>(`
    SELECT count(*) AS n FROM session_watch_cursors
     WHERE @key IS NULL OR watcher_session_key = @key OR target_session_key = @key`);
  const pending = sql.prepare<[string, string, number], CursorRow>(`
    SELECT ${columns} FROM session_watch_cursors
     WHERE material_sequence > last_seen_sequence AND (watcher_session_key, target_session_key) > (?, ?)
     ORDER BY watcher_session_key, target_session_key LIMIT ?`);
  const expired = sql.prepare<[number, number], Pair>(`
    SELECT watcher_session_key AS watcher, target_session_key AS targetKey, target_agent_id AS targetAgentId
      FROM session_watch_cursors WHERE updated_at < ? LIMIT ?`);

  return {
    get: (watcher: string, target: Target): CursorRow | undefined =>
      get.get(pairOf(watcher, target)),
    /** Everybody who watches a target. */
    holders: (target: Target): CursorRow[] => holders.all(target.key, target.agentId),
    /** Begins a watch, or begins it anew: whatever it held is overwritten. */
    seed(watcher: string, target: Target, marks: Marks, origin: WatchOrigin, nowMs: number): void {
      seed.run({ ...pairOf(watcher, target), ...marks, origin, now: nowMs });
    },
    setMarks(
      watcher: string,
      target: Target,
      { lastSeen, notified, material }: Marks,
      nowMs: number,
    ): void {
      setMarks.run({ ...pairOf(watcher, target), lastSeen, notified, material, now: nowMs });
    },
    noteDrained(watcher: string, target: Target, nowMs: number): void {
      drained.run({ ...pairOf(watcher, target), now: nowMs });
    },
    /** A repeated registration keeps its marks and lives on (5.6). */
    renew(watcher: string, target: Target, nowMs: number): void {
      renew.run({ ...pairOf(watcher, target), now: nowMs });
    },
    /** Toasts of the pair, for the operator; the watch itself goes on. */
    setMuted(watcher: string, target: Target, atMs: number | null): boolean {
      return mute.run({ ...pairOf(watcher, target), at: atMs }).changes > 0;
    },
    drop: (watcher: string, target: Target): boolean =>
      drop.run(pairOf(watcher, target)).changes > 0,
    dropHeldBy: (watcher: string): number => dropHeldBy.run(watcher).changes,
    dropOn: (target: Target): number => dropOn.run(target.key, target.agentId).changes,
    isWatched: (target: Target): boolean => watched.get(target.key, target.agentId) !== undefined,
    /** In the order of watcher and target, after a pair. `key`: only pairs of which it is one. */
    page: (after: { watcher: string; target: string }, key: string | null, limit: number) =>
      page.all({ ...after, key, limit }),
    count: (key: string | null): number => count.get({ key })?.n ?? 0,
    /** Pairs whose watcher has not been told all, in the order of watcher and target. */
    pending: (after: { watcher: string; target: string }, limit: number): CursorRow[] =>
      pending.all(after.watcher, after.target, limit),
    /** Pairs untouched since before a time. */
    expired: (beforeMs: number, limit: number) =>
      expired.all(beforeMs, limit).map(({ watcher, targetKey, targetAgentId }) => ({
        watcher,
        target: { key: targetKey, agentId: targetAgentId },
      })),
  };
}
