import type { Database } from "../state/database.ts";

export interface SessionDifference {
  messages: { user: number; assistant: number; tool: number };
  turns: { completed: number; failed: number; other: number };
}

/** Newest rows that are looked at; a session that grew more than this is shown as at least this. */
const mostRows = 20_000;

export type DifferenceStore = ReturnType<typeof differenceStore>;

/** Counts what a session's transcripts and turns gained in a span of time; reads only what is newer. */
export function differenceStore({ sql }: Database) {
  const incarnations = sql.prepare<[string, number], { id: string }>(
    `SELECT id FROM sessions WHERE session_key = ? AND (ended_at IS NULL OR ended_at > ?)`,
  );
  const rows = sql.prepare<[string], { role: string; at: number }>(
    `SELECT role, timestamp AS at FROM messages WHERE session_id = ? ORDER BY id DESC`,
  );
  const turns = sql.prepare<[string, number, number], { state: string; n: number }>(`
    SELECT state, count(*) AS n FROM turns WHERE session_key = ? AND started_at > ? AND started_at <= ? GROUP BY state`);

  return (key: string, fromMs: number, toMs: number): SessionDifference => {
    const messages = { user: 0, assistant: 0, tool: 0 };
    let looked = 0;
    for (const { id } of incarnations.all(key, fromMs))
      for (const { role, at } of rows.iterate(id)) {
        looked += 1;
        if (at <= fromMs || looked > mostRows) break;
        if (at <= toMs && (role === "user" || role === "assistant" || role === "tool"))
          messages[role] += 1;
      }
    const counted = { completed: 0, failed: 0, other: 0 };
    for (const { state, n } of turns.all(key, fromMs, toMs)) {
      if (state === "completed" || state === "silent") counted.completed += n;
      else if (state === "failed") counted.failed += n;
      else counted.other += n;
    }
    return { messages, turns: counted };
  };
}
