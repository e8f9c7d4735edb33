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
  return {
    record(act: OperatorAct): void {
      insert.run(act);
    },
  };
}
