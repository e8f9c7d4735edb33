import type { Database } from "../../state/database.ts";
import type { ChildEnd, ChildRun } from "./child-run.ts";

const columns = `run_id AS runId, child_session_key AS childKey, requester_key AS requesterKey,
  requester_session_id AS requesterSessionId, label, task, state, input_seq AS inputSeq, turn_id AS turnId, result, error,
  announced, dropped_because AS droppedBecause, chain_id AS chainId, chain_hops AS chainHops, created_at AS createdAt, started_at AS startedAt, deadline_at AS deadlineAt,
  ended_at AS endedAt`;

export type NewChildRun = Pick<
  ChildRun,
  | "runId"
  | "childKey"
  | "requesterKey"
  | "requesterSessionId"
  | "label"
  | "task"
  | "inputSeq"
  | "chainId"
  | "chainHops"
  | "createdAt"
  | "deadlineAt"
>;

export type ChildRunStore = ReturnType<typeof childRunStore>;

/** The table `child_runs` (state-awareness 13). Callers bring the transaction. */
export function childRunStore({ sql }: Database) {
  const insert = sql.prepare<[NewChildRun]>(`
    INSERT INTO child_runs (run_id, child_session_key, requester_key, requester_session_id, label, task, state, input_seq,
      chain_id, chain_hops, created_at, deadline_at)
    VALUES (@runId, @childKey, @requesterKey, @requesterSessionId, @label, @task, 'queued', @inputSeq,
      @chainId, @chainHops, @createdAt, @deadlineAt)`);
  const get = sql.prepare<[string], ChildRun>(`SELECT ${columns} FROM child_runs WHERE run_id = ?`);
  const byInput = sql.prepare<[number], ChildRun>(
    `SELECT ${columns} FROM child_runs WHERE state = 'queued' AND input_seq = ?`,
  );
  const byTurn = sql.prepare<[string], ChildRun>(
    `SELECT ${columns} FROM child_runs WHERE turn_id = ? AND state = 'running'`,
  );
  const started = sql.prepare<[string, number, string]>(`
    UPDATE child_runs SET state = 'running', turn_id = ?, started_at = coalesce(started_at, ?) WHERE run_id = ? AND state IN ('queued', 'running')`);
  const end = sql.prepare<[string, string | null, string | null, number, string]>(`
    UPDATE child_runs SET state = ?, result = ?, error = ?, ended_at = ? WHERE run_id = ? AND state IN ('queued', 'running')`);
  const announce = sql.prepare<[string, string | null, string]>(
    `UPDATE child_runs SET announced = ?, dropped_because = ? WHERE run_id = ?`,
  );
  const open = sql.prepare<[], ChildRun>(
    `SELECT ${columns} FROM child_runs WHERE state IN ('queued', 'running') ORDER BY created_at, run_id`,
  );
  const openOf = sql.prepare<[string], ChildRun>(
    `SELECT ${columns} FROM child_runs WHERE requester_key = ? AND state IN ('queued', 'running') ORDER BY created_at, run_id`,
  );
  const last = sql.prepare<[string], ChildRun>(
    `SELECT ${columns} FROM child_runs WHERE child_session_key = ? ORDER BY created_at DESC, run_id DESC LIMIT 1`,
  );
  const list = sql.prepare<
    [{ key: string | null; open: number; before: number; limit: number }],
    ChildRun
  >(`
    SELECT ${columns} FROM child_runs
     WHERE created_at < @before AND (@key IS NULL OR requester_key = @key OR child_session_key = @key)
       AND (@open = 0 OR state IN ('queued', 'running'))
     ORDER BY created_at DESC, run_id DESC LIMIT @limit`);

  return {
    insert(run: NewChildRun): void {
      insert.run(run);
    },
    get: (runId: string): ChildRun | undefined => get.get(runId),
    byInput: (inputSeq: number): ChildRun | undefined => byInput.get(inputSeq),
    byTurn: (turnId: string): ChildRun | undefined => byTurn.get(turnId),
    setTurn(runId: string, turnId: string, nowMs: number): void {
      started.run(turnId, nowMs, runId);
    },
    /** False where it has ended: the first end counts. */
    end: (
      runId: string,
      state: ChildEnd,
      said: { result: string | null; error: string | null },
      nowMs: number,
    ): boolean => end.run(state, said.result, said.error, nowMs, runId).changes > 0,
    setAnnounced(runId: string, announced: "handed" | "dropped", because: string | null): void {
      announce.run(announced, because, runId);
    },
    open: (): ChildRun[] => open.all(),
    openOf: (requesterKey: string): ChildRun[] => openOf.all(requesterKey),
    /** The newest run in a child session. */
    last: (childKey: string): ChildRun | undefined => last.get(childKey),
    /** Newest first, made before a time. */
    list: (filter: { key: string | null; open: boolean; before: number; limit: number }) =>
      list.all({ ...filter, open: filter.open ? 1 : 0 }),
  };
}
