import { createHash } from "node:crypto";
import type { SessionKey, TurnId } from "../contract/ids.ts";
import { readMachine } from "../recovery/machine.ts";
import type { MachineRun } from "../recovery/machine.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { sessionSourceToStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";

export type ObligationState =
  "pending" | "attempting" | "delivered" | "failed" | "unknown" | "abandoned";

/** A final text owed to a chat. */
export interface Debt {
  sessionKey: SessionKey;
  channelId: string;
  target: SessionSource;
  content: string;
  /** `notice`: the gateway itself has to tell the person something. */
  kind: "reply" | "notice";
  /** The platform message that it answers. */
  replyTo: string | null;
  /** Tells this debt apart from another with the same text: the platform's message id, else our own number. */
  ref: string;
  /** The transcript row that says the same. */
  messageId: number | null;
  turnId: TurnId | null;
}

export interface ObligationRow {
  orderSeq: number;
  obligationId: string;
  sessionKey: SessionKey;
  channelId: string;
  platform: string;
  chatId: string;
  threadId: string | null;
  targetJson: string;
  content: string;
  kind: "reply" | "notice";
  replyTo: string | null;
  messageId: number | null;
  turnId: TurnId | null;
  state: ObligationState;
  attempts: number;
  /** It goes, or went, once more with the label of a possible duplicate. */
  recovered: 0 | 1;
  cause: string | null;
  createdAt: number;
  /** The machine's run in which it was recorded, and when; null where nobody knows. */
  machineBoot: string | null;
  createdUptimeMs: number | null;
  /** A person said that it is to be sent, however old it is. */
  releasedAt: number | null;
  updatedAt: number;
  nextAttemptAt: number | null;
  ownerBoot: string | null;
  remoteId: string | null;
  lastError: string | null;
  partsDone: number;
  partsTotal: number | null;
  fence: number;
}

/** A change of state by whoever holds the fence. Members that are absent stay as they are. */
export interface Settlement {
  state: ObligationState;
  error?: string | null;
  remoteId?: string | null;
  nextAttemptAt?: number | null;
  /** From now on it goes with its label, for this cause. */
  labelled?: string;
  /** A person wants it sent: its age counts no longer. */
  released?: true;
}

export type ObligationStore = ReturnType<typeof obligationStore>;

/** First 24 hex digits of SHA-256 of `{key}|{ref}|{content}` (lifecycle 11.1). */
export const obligationId = (key: SessionKey, messageRef: string, content: string): string =>
  createHash("sha256").update(`${key}|${messageRef}|${content}`).digest("hex").slice(0, 24);

const columns = `order_seq AS orderSeq, obligation_id AS obligationId, session_key AS sessionKey, channel_id AS channelId,
  platform, chat_id AS chatId, thread_id AS threadId, target_json AS targetJson, content, kind, reply_to AS replyTo,
  message_id AS messageId, turn_id AS turnId, state, attempts, recovered, cause, created_at AS createdAt,
  machine_boot AS machineBoot, created_uptime_ms AS createdUptimeMs, released_at AS releasedAt,
  updated_at AS updatedAt, next_attempt_at AS nextAttemptAt, owner_boot AS ownerBoot, remote_id AS remoteId,
  last_error AS lastError, parts_done AS partsDone, parts_total AS partsTotal, delivery_fence AS fence`;

/** The delivery ledger (lifecycle 11). Every change of state is fenced: it applies only to the holder of the row's current fence. */
export function obligationStore({ sql }: Database, machine: () => MachineRun = readMachine) {
  const insert = sql.prepare(`
    INSERT INTO delivery_obligations (obligation_id, session_key, channel_id, platform, chat_id, thread_id, target_json,
      content, kind, reply_to, message_id, turn_id, state, recovered, cause, created_at, updated_at,
      machine_boot, created_uptime_ms)
    VALUES (@obligationId, @sessionKey, @channelId, @platform, @chatId, @threadId, @targetJson,
      @content, @kind, @replyTo, @messageId, @turnId, @state, @recovered, @cause, @nowMs, @nowMs,
      @machineBoot, @uptimeMs)
    ON CONFLICT(obligation_id) DO NOTHING`);
  const next = sql.prepare<[string], ObligationRow>(`
    SELECT ${columns} FROM delivery_obligations
     WHERE session_key = ? AND state IN ('pending', 'attempting', 'failed') ORDER BY order_seq LIMIT 1`);
  const get = sql.prepare<[string], ObligationRow>(
    `SELECT ${columns} FROM delivery_obligations WHERE obligation_id = ?`,
  );
  const attempt = sql.prepare<[string, number, number, string, number]>(`
    UPDATE delivery_obligations SET state = 'attempting', attempts = attempts + 1, delivery_fence = delivery_fence + 1,
      owner_boot = ?, owner_pid = ?, updated_at = ?, next_attempt_at = NULL
    WHERE obligation_id = ? AND delivery_fence = ? AND state IN ('pending', 'failed')`);
  const settle = sql.prepare(`
    UPDATE delivery_obligations SET state = @state, updated_at = @nowMs, last_error = substr(@error, 1, 500),
      remote_id = coalesce(@remoteId, remote_id), next_attempt_at = @nextAttemptAt,
      recovered = CASE WHEN @cause IS NULL THEN recovered ELSE 1 END, cause = coalesce(@cause, cause),
      released_at = CASE WHEN @released THEN @nowMs ELSE released_at END,
      delivery_fence = delivery_fence + @claim
    WHERE obligation_id = @id AND delivery_fence = @fence`);
  const partDone = sql.prepare<[number, number, string, number]>(
    `UPDATE delivery_obligations SET parts_done = ?, parts_total = ? WHERE obligation_id = ? AND delivery_fence = ?`,
  );
  const open = sql.prepare<[], ObligationRow>(`
    SELECT ${columns} FROM delivery_obligations WHERE state IN ('pending', 'attempting', 'failed') ORDER BY order_seq`);
  const openLanes = sql.prepare<[], { key: SessionKey }>(`
    SELECT session_key AS key FROM delivery_obligations WHERE state IN ('pending', 'attempting', 'failed')
     GROUP BY session_key ORDER BY min(order_seq)`);
  const unknown = sql.prepare<[], { n: number }>(
    `SELECT count(*) AS n FROM delivery_obligations WHERE state = 'unknown'`,
  );
  const ofTurn = sql.prepare<[string], { one: 1 }>(
    `SELECT 1 AS one FROM delivery_obligations WHERE turn_id = ? AND kind = 'reply' LIMIT 1`,
  );
  const prune = sql.prepare<[number, number]>(`
    DELETE FROM delivery_obligations WHERE order_seq IN (SELECT order_seq FROM delivery_obligations
      WHERE state IN ('delivered', 'abandoned') AND updated_at < ? ORDER BY order_seq LIMIT ?)`);
  // More than are kept: what arrived goes before what was given up, the oldest first (lifecycle 11.2).
  const pruneBeyond = sql.prepare<[{ keep: number; limit: number }]>(`
    DELETE FROM delivery_obligations WHERE order_seq IN (SELECT order_seq FROM delivery_obligations
      WHERE state IN ('delivered', 'abandoned') ORDER BY state = 'abandoned', order_seq
      LIMIT max(0, min(@limit, (SELECT count(*) FROM delivery_obligations
        WHERE state IN ('delivered', 'abandoned')) - @keep)))`);
  const list = sql.prepare<
    [{ state: string | null; key: string | null; before: number; limit: number }],
    ObligationRow
  >(`
    SELECT ${columns} FROM delivery_obligations
     WHERE (@state IS NULL OR state = @state) AND (@key IS NULL OR session_key = @key) AND order_seq < @before
     ORDER BY order_seq DESC LIMIT @limit`);
  const stateCounts = sql.prepare<[], { state: ObligationState; n: number }>(
    `SELECT state, count(*) AS n FROM delivery_obligations GROUP BY state`,
  );

  return {
    /**
     * Insert-or-ignore: an identical record never reopens a delivered one. Returns whether it is new.
     * `maybeSent`: a copy may be with the person already (lifecycle 11.3, `record_crash_left_reply`).
     */
    owe(debt: Debt, nowMs: number, maybeSent = false): boolean {
      const { target } = debt;
      const { bootId, uptimeMs } = machine();
      return (
        insert.run({
          obligationId: obligationId(debt.sessionKey, debt.ref, debt.content),
          sessionKey: debt.sessionKey,
          channelId: debt.channelId,
          platform: target.platform,
          chatId: target.chatId,
          threadId: target.threadId,
          targetJson: JSON.stringify(sessionSourceToStored(target)),
          content: debt.content,
          kind: debt.kind,
          replyTo: debt.replyTo,
          messageId: debt.messageId,
          turnId: debt.turnId,
          state: maybeSent ? "attempting" : "pending",
          recovered: 0,
          cause: null,
          nowMs,
          machineBoot: bootId,
          uptimeMs,
        }).changes > 0
      );
    },
    /** What the lane owes first. */
    next: (key: SessionKey): ObligationRow | undefined => next.get(key),
    get: (id: string): ObligationRow | undefined => get.get(id),
    /** Everything that is not settled, in the order in which it was owed. */
    open: (): ObligationRow[] => open.all(),
    /** Whether the ledger has this turn's reply, in whatever state. */
    hasReplyOf: (turnId: string): boolean => ofTurn.get(turnId) !== undefined,
    /** Claims the row for one attempt; null when somebody else holds it. Returns the new fence. */
    attempt(
      row: ObligationRow,
      owner: { bootId: string; pid: number },
      nowMs: number,
    ): number | null {
      const claimed = attempt.run(owner.bootId, owner.pid, nowMs, row.obligationId, row.fence);
      return claimed.changes > 0 ? row.fence + 1 : null;
    },
    /** Writes an outcome, or a decision. `claim` takes the fence, so that a send still in flight no longer counts. */
    settle(id: string, fence: number, to: Settlement, nowMs: number, claim = false): boolean {
      return (
        settle.run({
          id,
          fence,
          state: to.state,
          nowMs,
          error: to.error ?? null,
          remoteId: to.remoteId ?? null,
          nextAttemptAt: to.nextAttemptAt ?? null,
          cause: to.labelled ?? null,
          released: to.released === true ? 1 : 0,
          claim: claim ? 1 : 0,
        }).changes > 0
      );
    },
    /** Part `done` of `total` is confirmed; only the others are ever sent again (decision 6). */
    confirmPart(id: string, fence: number, done: number, total: number): void {
      partDone.run(done, total, id, fence);
    },
    openLanes: (): SessionKey[] => openLanes.all().map((row) => row.key),
    countUnknown: (): number => unknown.get()?.n ?? 0,
    /** A page of the ledger, newest first. */
    list: (query: {
      state: string | null;
      key: string | null;
      before: number;
      limit: number;
    }): ObligationRow[] => list.all(query),
    counts: (): Partial<Record<ObligationState, number>> =>
      Object.fromEntries(stateCounts.all().map((row) => [row.state, row.n])),
    /** Forgets at most `limit` settled rows older than `beforeMs`. */
    prune: (beforeMs: number, limit: number): number => prune.run(beforeMs, limit).changes,
    /** Forgets at most `limit` settled rows of those beyond the newest `keep`. */
    pruneBeyond: (keep: number, limit: number): number => pruneBeyond.run({ keep, limit }).changes,
  };
}
