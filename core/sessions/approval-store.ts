import { randomBytes } from "node:crypto";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

export type ApprovalState =
  "open" | "once" | "always" | "denied" | "expired" | "superseded" | "cleared";

/** A question that waits, or waited, for a person. Times are epoch ms. */
export interface Approval {
  seq: number;
  approvalId: string;
  sessionKey: SessionKey;
  sessionId: SessionId;
  /** `destructive`: a command that ends something; other kinds are asked by agents. */
  kind: string;
  blocksTurn: 0 | 1;
  question: string;
  subjectJson: string;
  askedOf: string | null;
  state: ApprovalState;
  askedAt: number;
  expiresAt: number;
  answeredAt: number | null;
  answeredBy: string | null;
}

export type NewApproval = Pick<
  Approval,
  "sessionKey" | "sessionId" | "kind" | "question" | "askedOf" | "askedAt" | "expiresAt"
> & { subject: unknown; blocksTurn?: boolean };

/** The table `approvals` (lifecycle 6.1, 18): questions and their answers outlive a restart. Callers bring the transaction. */
export function approvalStore({ sql }: Database) {
  const columns = `seq, approval_id AS approvalId, session_key AS sessionKey, session_id AS sessionId, kind, blocks_turn AS blocksTurn,
    question, subject_json AS subjectJson, asked_of AS askedOf, state, asked_at AS askedAt, expires_at AS expiresAt,
    answered_at AS answeredAt, answered_by AS answeredBy`;
  const insert = sql.prepare(`
    INSERT INTO approvals (approval_id, session_key, session_id, kind, blocks_turn, question, subject_json, asked_of, state, asked_at, expires_at)
    VALUES (@approvalId, @sessionKey, @sessionId, @kind, @blocksTurn, @question, @subjectJson, @askedOf, 'open', @askedAt, @expiresAt)`);
  const open = sql.prepare<[string, number], Approval>(
    `SELECT ${columns} FROM approvals WHERE session_key = ? AND state = 'open' AND expires_at > ? ORDER BY seq DESC`,
  );
  const one = sql.prepare<[string], Approval>(
    `SELECT ${columns} FROM approvals WHERE approval_id = ?`,
  );
  const list = sql.prepare<[number], Approval>(
    `SELECT ${columns} FROM approvals ORDER BY seq DESC LIMIT ?`,
  );
  const answer = sql.prepare<[string, number, string, string]>(
    `UPDATE approvals SET state = ?, answered_at = ?, answered_by = ? WHERE approval_id = ? AND state = 'open'`,
  );
  const endKind = sql.prepare<[string, number, string, string]>(
    `UPDATE approvals SET state = ?, answered_at = ? WHERE session_key = ? AND kind = ? AND state = 'open'`,
  );
  const endAll = sql.prepare<[number, string]>(
    `UPDATE approvals SET state = 'cleared', answered_at = ? WHERE session_key = ? AND state = 'open'`,
  );
  const expire = sql.prepare<[number, number]>(
    `UPDATE approvals SET state = 'expired', answered_at = ? WHERE state = 'open' AND expires_at <= ?`,
  );
  const blocking = sql.prepare<[string], { one: 1 }>(
    `SELECT 1 AS one FROM approvals WHERE session_key = ? AND state = 'open' AND blocks_turn = 1 LIMIT 1`,
  );
  const prune = sql.prepare<[number]>(
    `DELETE FROM approvals WHERE state <> 'open' AND asked_at < ?`,
  );

  return {
    /** Asks; returns the question's id. */
    ask({ subject, blocksTurn, ...question }: NewApproval): string {
      const approvalId = randomBytes(8).toString("hex");
      insert.run({
        ...question,
        approvalId,
        blocksTurn: blocksTurn === true ? 1 : 0,
        subjectJson: JSON.stringify(subject),
      });
      return approvalId;
    },
    /** What waits in a lane, newest first. */
    open: (key: SessionKey, nowMs: number): Approval[] => open.all(key, nowMs),
    get: (id: string): Approval | undefined => one.get(id),
    list: (limit: number): Approval[] => list.all(limit),
    /** False where it no longer waits: the first answer counts. */
    answer: (id: string, state: "once" | "always" | "denied", by: string, nowMs: number): boolean =>
      answer.run(state, nowMs, by, id).changes > 0,
    /** The person went on without answering, or asked for something else. Returns how many questions fell. */
    supersede: (key: SessionKey, kind: string, nowMs: number): number =>
      endKind.run("superseded", nowMs, key, kind).changes,
    /** Part of the funnel at a boundary: questions about a conversation end with it. */
    clear(key: SessionKey, nowMs: number): void {
      endAll.run(nowMs, key);
    },
    expire: (nowMs: number): number => expire.run(nowMs, nowMs).changes,
    /** Whether a turn of the lane stands still for an answer. */
    blocks: (key: SessionKey): boolean => blocking.get(key) !== undefined,
    prune(beforeMs: number): void {
      prune.run(beforeMs);
    },
  };
}
