import type { Database } from "../state/database.ts";

export const retentionMs = 2_592_000_000; // 30 days
export const retainedRows = 50_000;
/** Pause between two passes of a process. */
export const retentionPauseMs = 3_600_000;

interface Doomed {
  sequence: number;
  key: string;
  agentId: string;
}

export type Retention = ReturnType<typeof retention>;

/**
 * What is forgotten (state-awareness 7.2), in slices: each raises the marks of exactly the rows that it deletes, so
 * that the gap flag is exact between two slices too.
 */
export function retention({ sql }: Database) {
  const aged = sql.prepare<[number, number], Doomed>(`
    SELECT sequence, session_key AS key, agent_id AS agentId FROM session_state_events
     WHERE occurred_at < ? ORDER BY occurred_at, sequence LIMIT ?`);
  const bound = sql.prepare<[number], { sequence: number }>(
    `SELECT sequence FROM session_state_events ORDER BY sequence DESC LIMIT 1 OFFSET ?`,
  );
  const through = sql.prepare<[number, number], Doomed>(`
    SELECT sequence, session_key AS key, agent_id AS agentId FROM session_state_events
     WHERE sequence <= ? ORDER BY sequence LIMIT ?`);
  const remove = sql.prepare<[string]>(
    `DELETE FROM session_state_events WHERE sequence IN (SELECT value FROM json_each(?))`,
  );
  const mark = sql.prepare<[number, string, string, number]>(`
    UPDATE session_state_heads SET pruned_max_sequence = ? WHERE session_key = ? AND agent_id = ? AND pruned_max_sequence < ?`);

  function drop(rows: readonly Doomed[]): void {
    const marks = new Map<string, Doomed>();
    for (const row of rows) {
      const id = JSON.stringify([row.key, row.agentId]);
      if ((marks.get(id)?.sequence ?? 0) < row.sequence) marks.set(id, row);
    }
    for (const { sequence, key, agentId } of marks.values())
      mark.run(sequence, key, agentId, sequence);
    remove.run(JSON.stringify(rows.map((row) => row.sequence)));
  }

  return {
    /** Deletes at most `limit` rows that are older than 30 days; a row of exactly that age stays. */
    dropAged(nowMs: number, limit: number): number {
      const rows = aged.all(nowMs - retentionMs, limit);
      drop(rows);
      return rows.length;
    },
    /** The newest number that falls out of the 50,000 kept, null where fewer are there. */
    bound: (): number | null => bound.get(retainedRows)?.sequence ?? null,
    /** Deletes at most `limit` rows at or below a number, oldest first. */
    dropThrough(sequence: number, limit: number): number {
      const rows = through.all(sequence, limit);
      drop(rows);
      return rows.length;
    },
  };
}
