import type { Database } from "../state/database.ts";

/** A message from one session's agent to another session, until its answer has gone somewhere. Times are epoch ms. */
export interface SessionSend {
  runId: string;
  fromKey: string;
  /** The sender's incarnation; null where it has no lane. */
  fromSessionId: string | null;
  toKey: string;
  inputSeq: number;
  turnId: string | null;
  state: "waiting" | "announce" | "ended";
  chainId: string;
  chainHops: number;
  createdAt: number;
}

const columns = `run_id AS runId, from_key AS fromKey, from_session_id AS fromSessionId, to_key AS toKey,
  input_seq AS inputSeq, turn_id AS turnId, state, chain_id AS chainId, chain_hops AS chainHops, created_at AS createdAt`;

export type SendStore = ReturnType<typeof sendStore>;

/** The table `session_sends` (state-awareness 10.4). Callers bring the transaction. */
export function sendStore({ sql }: Database) {
  const insert = sql.prepare<[Omit<SessionSend, "turnId">]>(`
    INSERT INTO session_sends (run_id, from_key, from_session_id, to_key, input_seq, state, chain_id, chain_hops, created_at)
    VALUES (@runId, @fromKey, @fromSessionId, @toKey, @inputSeq, @state, @chainId, @chainHops, @createdAt)`);
  const byInput = sql.prepare<[number], SessionSend>(
    `SELECT ${columns} FROM session_sends WHERE input_seq = ? AND state <> 'ended'`,
  );
  const byTurn = sql.prepare<[string], SessionSend>(
    `SELECT ${columns} FROM session_sends WHERE turn_id = ? AND state <> 'ended'`,
  );
  const setTurn = sql.prepare<[string, string]>(
    `UPDATE session_sends SET turn_id = ? WHERE run_id = ? AND state <> 'ended'`,
  );
  const leave = sql.prepare<[string]>(
    `UPDATE session_sends SET state = 'announce' WHERE run_id = ? AND state = 'waiting'`,
  );
  const leaveAll = sql.prepare<[]>(
    `UPDATE session_sends SET state = 'announce' WHERE state = 'waiting'`,
  );
  const end = sql.prepare<[number, string]>(
    `UPDATE session_sends SET state = 'ended', ended_at = ? WHERE run_id = ? AND state <> 'ended'`,
  );
  const forget = sql.prepare<[number]>(`DELETE FROM session_sends WHERE created_at < ?`);
  return {
    insert(send: Omit<SessionSend, "turnId">): void {
      insert.run(send);
    },
    byInput: (inputSeq: number): SessionSend | undefined => byInput.get(inputSeq),
    byTurn: (turnId: string): SessionSend | undefined => byTurn.get(turnId),
    setTurn(runId: string, turnId: string): void {
      setTurn.run(turnId, runId);
    },
    /** Nobody waits any more: the answer is announced when it comes. False where it has come. */
    leave: (runId: string): boolean => leave.run(runId).changes > 0,
    /** At start-up: those who waited are gone. */
    leaveAll(): void {
      leaveAll.run();
    },
    end: (runId: string, nowMs: number): boolean => end.run(nowMs, runId).changes > 0,
    forget(beforeMs: number): void {
      forget.run(beforeMs);
    },
  };
}
