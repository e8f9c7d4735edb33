import type { Database } from "../state/database.ts";
import type { Goal } from "./goal.ts";

export interface GoalReceipt {
  request: string;
  resultJson: string;
  issuedAt: number;
}

export type GoalStore = ReturnType<typeof goalStore>;

/** The tables `session_goals` and `goal_receipts` (state-awareness 11). Callers bring the transaction. */
export function goalStore({ sql }: Database) {
  const get = sql.prepare<[string], Goal>(`
    SELECT session_key AS sessionKey, goal_id AS goalId, objective, status, note, token_budget AS tokenBudget,
      tokens_used AS tokensUsed, created_at AS createdAt, updated_at AS updatedAt, completed_at AS completedAt
      FROM session_goals WHERE session_key = ?`);
  const put = sql.prepare<[Goal]>(`
    INSERT OR REPLACE INTO session_goals (session_key, goal_id, objective, status, note, token_budget, tokens_used,
      created_at, updated_at, completed_at)
    VALUES (@sessionKey, @goalId, @objective, @status, @note, @tokenBudget, @tokensUsed, @createdAt, @updatedAt, @completedAt)`);
  const drop = sql.prepare<[string]>(`DELETE FROM session_goals WHERE session_key = ?`);
  const receipt = sql.prepare<[string, string], GoalReceipt>(`
    SELECT request, result_json AS resultJson, issued_at AS issuedAt FROM goal_receipts
     WHERE session_key = ? AND operation_id = ?`);
  const keep = sql.prepare<[string, string, string, string, number]>(`
    INSERT OR REPLACE INTO goal_receipts (session_key, operation_id, request, result_json, issued_at) VALUES (?, ?, ?, ?, ?)`);
  const live = sql.prepare<[string, number], { n: number }>(
    `SELECT count(*) AS n FROM goal_receipts WHERE session_key = ? AND issued_at >= ?`,
  );
  const forget = sql.prepare<[number]>(`DELETE FROM goal_receipts WHERE issued_at < ?`);

  return {
    get: (key: string): Goal | undefined => get.get(key),
    put(goal: Goal): void {
      put.run(goal);
    },
    drop: (key: string): boolean => drop.run(key).changes > 0,
    receipt: (key: string, operationId: string): GoalReceipt | undefined =>
      receipt.get(key, operationId),
    keepReceipt(key: string, operationId: string, kept: GoalReceipt): void {
      keep.run(key, operationId, kept.request, kept.resultJson, kept.issuedAt);
    },
    liveReceipts: (key: string, sinceMs: number): number => live.get(key, sinceMs)?.n ?? 0,
    forgetReceipts(beforeMs: number): void {
      forget.run(beforeMs);
    },
  };
}
