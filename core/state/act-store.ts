import type { Database } from "./database.ts";

export interface OperatorAct {
  at: number;
  /** The door it came through: `panel`, `cli`, `rpc`, or a channel's id. */
  actor: string;
  act: string;
  sessionKey: string | null;
  summary: string;
}

export type ActStore = ReturnType<typeof actStore>;

/** What people did, as evidence. Callers bring the transaction. */
export function actStore({ sql }: Database) {
  const insert = sql.prepare<[OperatorAct]>(
    `INSERT INTO operator_acts (at, actor, act, session_key, summary) VALUES (@at, @actor, @act, @sessionKey, @summary)`,
  );
  const last = sql.prepare<[string, string], { actor: string }>(
    `SELECT actor FROM operator_acts WHERE session_key = ? AND act = ? ORDER BY seq DESC LIMIT 1`,
  );
  return {
    /** Who did this to the lane last; null where nobody did. */
    lastActor: (key: string, act: string): string | null => last.get(key, act)?.actor ?? null,
    record(act: OperatorAct): void {
      insert.run(act);
    },
  };
}
