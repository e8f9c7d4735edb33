import type { Database } from "../state/database.ts";
import type { SessionId, SessionKey, TurnId } from "../contract/ids.ts";

export type TurnEndState = "completed" | "silent" | "failed" | "stopped" | "interrupted";

export interface NewTurn {
  turnId: TurnId;
  sessionKey: SessionKey;
  sessionId: SessionId;
  bootId: string;
  agentId: string;
  kind: string;
  attempt: number;
  /** The interrupted turn that this one takes up. */
  resumes: string | null;
  machineBoot: string | null;
  startedUptimeMs: number | null;
  startedAt: number;
}

export interface TurnEnd {
  turnId: TurnId;
  state: TurnEndState;
  endedAt: number;
  errorCode: string | null;
  errorMessage: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  replyMessageId: number | null;
}

/** A turn without an end: running now, or cut off by a crash when asked at start-up. */
export interface UnendedTurn {
  turnId: TurnId;
  sessionKey: SessionKey;
  sessionId: SessionId;
  startedAt: number;
  attempt: number;
  /** Counted at its dispatch already (decision 5). */
  resumes: string | null;
  machineBoot: string | null;
  startedUptimeMs: number | null;
  /** Somebody stopped it: what its bar is to say. Null where nobody did. */
  stopBecause: string | null;
  /** The person has still to be told of the stop. */
  stopTell: 0 | 1;
}

export type TurnStore = ReturnType<typeof turnStore>;

/** The table `turns`: one row a run of an agent, kept as evidence. Callers bring the transaction. */
export function turnStore({ sql }: Database) {
  const insert = sql.prepare<[NewTurn]>(`
    INSERT INTO turns (turn_id, session_key, session_id, boot_id, agent_id, kind, attempt, resumes, machine_boot, started_uptime_ms, state, started_at)
    VALUES (@turnId, @sessionKey, @sessionId, @bootId, @agentId, @kind, @attempt, @resumes, @machineBoot, @startedUptimeMs, 'running', @startedAt)`);
  const end = sql.prepare<[TurnEnd]>(`
    UPDATE turns SET state = @state, ended_at = @endedAt, error_code = @errorCode, error_message = @errorMessage,
      model = @model, input_tokens = @inputTokens, output_tokens = @outputTokens, reply_message_id = @replyMessageId
    WHERE turn_id = @turnId AND state = 'running'`);
  const since = sql.prepare<[number], { turns: number; failed: number }>(
    `SELECT count(*) AS turns, count(*) FILTER (WHERE state = 'failed') AS failed FROM turns WHERE started_at >= ?`,
  );
  const running = sql.prepare<[], UnendedTurn>(`
    SELECT turn_id AS turnId, session_key AS sessionKey, session_id AS sessionId, started_at AS startedAt, attempt, resumes,
      machine_boot AS machineBoot, started_uptime_ms AS startedUptimeMs, stop_because AS stopBecause, stop_tell AS stopTell
      FROM turns WHERE state = 'running'`);
  const stopping = sql.prepare<[string, number, string]>(
    `UPDATE turns SET stop_because = ?, stop_tell = ? WHERE turn_id = ? AND state = 'running'`,
  );
  const anyUnended = sql.prepare<[], { one: 1 }>(`
    SELECT 1 AS one FROM turns WHERE state = 'running'
    UNION ALL SELECT 1 FROM gateway_routing WHERE active_turn_token IS NOT NULL LIMIT 1`);
  const one = sql.prepare<[string], UnendedTurn>(`
    SELECT turn_id AS turnId, session_key AS sessionKey, session_id AS sessionId, started_at AS startedAt, attempt, resumes,
      machine_boot AS machineBoot, started_uptime_ms AS startedUptimeMs, stop_because AS stopBecause, stop_tell AS stopTell
      FROM turns WHERE turn_id = ?`);

  return {
    insert(turn: NewTurn): void {
      insert.run(turn);
    },
    /** A stop is on disk before the turn has ended, so that a crash in between does not take the turn up again. */
    stopping(turnId: string, because: string, tell: boolean): void {
      stopping.run(because, tell ? 1 : 0, turnId);
    },
    /** False when the turn has ended already: a late result changes nothing. */
    end: (turn: TurnEnd): boolean => end.run(turn).changes > 0,
    countSince: (sinceMs: number): { turns: number; failed: number } =>
      since.get(sinceMs) ?? { turns: 0, failed: 0 },
    get: (turnId: string): UnendedTurn | undefined => one.get(turnId),
    /** Whether a turn has no end, by its own record or by a lane's marker. */
    anyUnended: (): boolean => anyUnended.get() !== undefined,
    unended: (): UnendedTurn[] => running.all(),
  };
}
