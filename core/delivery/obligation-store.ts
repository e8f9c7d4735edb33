import { createHash } from "node:crypto";
import type { Database } from "../state/database.ts";
import type { SessionKey, TurnId } from "../contract/ids.ts";

export type ObligationState =
  "pending" | "attempting" | "delivered" | "failed" | "unknown" | "abandoned";

export interface NewObligation {
  obligationId: string;
  sessionKey: SessionKey;
  channelId: string;
  platform: string;
  chatId: string;
  threadId: string | null;
  targetJson: string;
  content: string;
  replyTo: string | null;
  messageId: number | null;
  turnId: TurnId | null;
  createdAt: number;
}

export interface ObligationRow extends NewObligation {
  state: ObligationState;
  attempts: number;
  recovered: 0 | 1;
  cause: string | null;
  updatedAt: number;
  nextAttemptAt: number | null;
  fence: number;
  lastError: string | null;
  orderSeq: number;
}

export type ObligationStore = ReturnType<typeof obligationStore>;

/** First 24 hex digits of SHA-256 of `{key}|{ref}|{content}` (lifecycle 11.1). */
export const obligationId = (key: SessionKey, messageRef: string, content: string): string =>
  createHash("sha256").update(`${key}|${messageRef}|${content}`).digest("hex").slice(0, 24);

const columns = `obligation_id AS obligationId, session_key AS sessionKey, channel_id AS channelId, platform, chat_id AS chatId,
  thread_id AS threadId, target_json AS targetJson, content, reply_to AS replyTo, message_id AS messageId, turn_id AS turnId,
  state, attempts, recovered, cause, created_at AS createdAt, updated_at AS updatedAt, next_attempt_at AS nextAttemptAt,
  delivery_fence AS fence, last_error AS lastError, order_seq AS orderSeq`;

/** The delivery ledger (lifecycle 11). Every change of state is fenced: it applies only to the holder of the row's current fence. */
export function obligationStore({ sql }: Database) {
  const insert = sql.prepare<[NewObligation]>(`
    INSERT INTO delivery_obligations (obligation_id, session_key, channel_id, platform, chat_id, thread_id, target_json, content,
      reply_to, message_id, turn_id, state, created_at, updated_at)
    VALUES (@obligationId, @sessionKey, @channelId, @platform, @chatId, @threadId, @targetJson, @content,
      @replyTo, @messageId, @turnId, 'pending', @createdAt, @createdAt)
    ON CONFLICT(obligation_id) DO NOTHING`);
  const next = sql.prepare<[string], ObligationRow>(
    `SELECT ${columns} FROM delivery_obligations WHERE session_key = ? AND state IN ('pending', 'attempting', 'failed') ORDER BY order_seq LIMIT 1`,
  );
  const get = sql.prepare<[string], ObligationRow>(
    `SELECT ${columns} FROM delivery_obligations WHERE obligation_id = ?`,
  );
  const attempt = sql.prepare<[string, number, number, string, number]>(`
    UPDATE delivery_obligations SET state = 'attempting', attempts = attempts + 1, delivery_fence = delivery_fence + 1,
      owner_boot = ?, owner_pid = ?, updated_at = ?, next_attempt_at = NULL
    WHERE obligation_id = ? AND delivery_fence = ? AND state IN ('pending', 'failed', 'attempting', 'unknown')`);
  const settle = sql.prepare<{
    id: string;
    fence: number;
    state: ObligationState;
    at: number;
    error: string | null;
    remoteId: string | null;
    nextAttemptAt: number | null;
  }>(`
    UPDATE delivery_obligations SET state = @state, updated_at = @at, last_error = substr(@error, 1, 500),
      remote_id = coalesce(@remoteId, remote_id), next_attempt_at = @nextAttemptAt
    WHERE obligation_id = @id AND delivery_fence = @fence`);
  const openLanes = sql.prepare<[], { key: SessionKey }>(`
    SELECT session_key AS key FROM delivery_obligations WHERE state IN ('pending', 'attempting', 'failed')
     GROUP BY session_key ORDER BY min(order_seq)`);
  const unknown = sql.prepare<[], { n: number }>(
    `SELECT count(*) AS n FROM delivery_obligations WHERE state = 'unknown'`,
  );

  return {
    /** Insert-or-ignore: an identical record never reopens a delivered one. Returns whether it is new. */
    record: (row: NewObligation): boolean => insert.run(row).changes > 0,
    /** What the lane owes first. */
    next: (key: SessionKey): ObligationRow | undefined => next.get(key),
    get: (id: string): ObligationRow | undefined => get.get(id),
    /** Claims the row for one attempt; null when somebody else holds it. Returns the new fence. */
    attempt(
      row: ObligationRow,
      owner: { bootId: string; pid: number },
      nowMs: number,
    ): number | null {
      return attempt.run(owner.bootId, owner.pid, nowMs, row.obligationId, row.fence).changes > 0
        ? row.fence + 1
        : null;
    },
    settle(
      id: string,
      fence: number,
      to: {
        state: ObligationState;
        error?: string | null;
        remoteId?: string | null;
        nextAttemptAt?: number | null;
      },
      nowMs: number,
    ): boolean {
      return (
        settle.run({
          id,
          fence,
          state: to.state,
          at: nowMs,
          error: to.error ?? null,
          remoteId: to.remoteId ?? null,
          nextAttemptAt: to.nextAttemptAt ?? null,
        }).changes > 0
      );
    },
    openLanes: (): SessionKey[] => openLanes.all().map((row) => row.key),
    countUnknown: (): number => unknown.get()?.n ?? 0,
  };
}
