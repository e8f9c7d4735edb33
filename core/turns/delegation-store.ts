import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

export type DelegationState = "running" | "completed" | "failed" | "interrupted";

export interface NewDelegation {
  delegationId: string;
  sessionKey: SessionKey;
  parentSessionId: SessionId;
  runSessionId: SessionId;
  channelId: string;
  sourceJson: string;
  agentId: string;
  task: string;
  ownerBoot: string;
  ownerPid: number;
  startedAt: number;
}

/** A run beside a conversation (lifecycle 13.1). Times are epoch ms. */
export interface Delegation extends NewDelegation {
  state: DelegationState;
  result: string | null;
  /** `handed`: the result is, or was, in the lane's inbox. */
  delivery: "none" | "pending" | "handed" | "dropped";
  attempts: number;
  endedAt: number | null;
}

export type DelegationStore = ReturnType<typeof delegationStore>;

/** The table `async_delegations`. Callers bring the transaction. */
export function delegationStore({ sql }: Database) {
  const columns = `delegation_id AS delegationId, session_key AS sessionKey, parent_session_id AS parentSessionId,
    run_session_id AS runSessionId, channel_id AS channelId, source_json AS sourceJson, agent_id AS agentId, task, state, result,
    delivery, attempts, owner_boot AS ownerBoot, owner_pid AS ownerPid, started_at AS startedAt, ended_at AS endedAt`;
  const insert = sql.prepare<[NewDelegation]>(`
    INSERT INTO async_delegations (delegation_id, session_key, parent_session_id, run_session_id, channel_id, source_json,
      agent_id, task, state, owner_boot, owner_pid, started_at)
    VALUES (@delegationId, @sessionKey, @parentSessionId, @runSessionId, @channelId, @sourceJson, @agentId, @task, 'running',
      @ownerBoot, @ownerPid, @startedAt)`);
  const end = sql.prepare<[string, string, number, string]>(`
    UPDATE async_delegations SET state = ?, result = ?, ended_at = ?, delivery = 'pending'
     WHERE delegation_id = ? AND state = 'running'`);
  const get = sql.prepare<[string], Delegation>(
    `SELECT ${columns} FROM async_delegations WHERE delegation_id = ?`,
  );
  const running = sql.prepare<[], Delegation>(
    `SELECT ${columns} FROM async_delegations WHERE state = 'running' ORDER BY started_at`,
  );
  const pending = sql.prepare<[], Delegation>(
    `SELECT ${columns} FROM async_delegations WHERE delivery = 'pending' ORDER BY ended_at LIMIT 200`,
  );
  const list = sql.prepare<{ key: string | null; limit: number }, Delegation>(
    `SELECT ${columns} FROM async_delegations WHERE @key IS NULL OR session_key = @key ORDER BY started_at DESC, rowid DESC LIMIT @limit`,
  );
  const deliver = sql.prepare<[string, string]>(
    `UPDATE async_delegations SET delivery = ?, attempts = attempts + 1 WHERE delegation_id = ?`,
  );
  const prune = sql.prepare<[number]>(
    `DELETE FROM async_delegations WHERE state <> 'running' AND delivery <> 'pending' AND ended_at < ?`,
  );
  return {
    insert(row: NewDelegation): void {
      insert.run(row);
    },
    /** False where it has ended already: the first end counts. */
    end: (id: string, state: Exclude<DelegationState, "running">, result: string, nowMs: number) =>
      end.run(state, result, nowMs, id).changes > 0,
    get: (id: string): Delegation | undefined => get.get(id),
    running: (): Delegation[] => running.all(),
    /** Results that are not in their lane's inbox yet. */
    pending: (): Delegation[] => pending.all(),
    /** Newest first. */
    list: (key: SessionKey | null, limit: number): Delegation[] => list.all({ key, limit }),
    setDelivery(id: string, delivery: "handed" | "dropped"): void {
      deliver.run(delivery, id);
    },
    prune(beforeMs: number): void {
      prune.run(beforeMs);
    },
  };
}
