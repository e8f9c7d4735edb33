import type { Database } from "../state/database.ts";
import type { SessionKey, TurnId } from "../contract/ids.ts";

/** `message`: typed by a person; `queue`: made by `/queue`, never merged; `internal`: our own wakes; `command`: acted on at once. */
export type InboundKind = "message" | "queue" | "internal" | "command";
/** Next up, or behind it in order (lifecycle 12.1). */
export type Place = "slot" | "fifo";
/** How an accepted message ended. */
export type InboundOutcome =
  | "answered"
  | "silent"
  | "failed"
  | "stopped"
  | "interrupted"
  /** Its turn was cut by a stop or a crash of the gateway, and is taken up by another. */
  | "parked"
  | "dropped"
  | "removed"
  | "merged"
  | "command";

export interface NewInbound {
  sessionKey: SessionKey;
  channelId: string;
  /** Channel and chat as one text: the space in which a platform message id is unique. */
  chatRef: string;
  platformMessageId: string | null;
  senderRef: string;
  kind: InboundKind;
  place: Place;
  eventJson: string;
  acceptedAt: number;
}

export interface InboundRow extends NewInbound {
  seq: number;
  firstPieceAt: number | null;
  lastPieceAt: number | null;
  position: number;
  state: "accepted" | "started" | "ended";
  turnId: TurnId | null;
}

export type InboxStore = ReturnType<typeof inboxStore>;

const columns = `seq, session_key AS sessionKey, channel_id AS channelId, chat_ref AS chatRef,
  platform_message_id AS platformMessageId, sender_ref AS senderRef, kind, place, position, event_json AS eventJson,
  state, turn_id AS turnId, first_piece_at AS firstPieceAt, last_piece_at AS lastPieceAt, accepted_at AS acceptedAt`;

/** The table `inbound_journal` (lifecycle 12.10): what was accepted, in order, until after its end. Callers bring the transaction. */
export function inboxStore({ sql }: Database) {
  const insert = sql.prepare<
    [
      NewInbound & {
        state: string;
        outcome: string | null;
        mergedInto: number | null;
        endedAt: number | null;
      },
    ]
  >(`
    INSERT INTO inbound_journal (session_key, channel_id, chat_ref, platform_message_id, sender_ref, kind, place, position,
      event_json, state, outcome, merged_into, accepted_at, ended_at)
    VALUES (@sessionKey, @channelId, @chatRef, @platformMessageId, @senderRef, @kind, @place,
      (SELECT coalesce(max(seq), 0) + 1 FROM inbound_journal), @eventJson, @state, @outcome, @mergedInto, @acceptedAt, @endedAt)`);
  const seen = sql.prepare<
    [string, string],
    { seq: number; sessionKey: SessionKey; kind: InboundKind; state: InboundRow["state"] }
  >(
    `SELECT seq, session_key AS sessionKey, kind, state FROM inbound_journal WHERE chat_ref = ? AND platform_message_id = ?`,
  );
  const endCommand = sql.prepare<[number, number]>(`
    UPDATE inbound_journal SET state = 'ended', outcome = 'command', ended_at = ?
     WHERE seq = ? AND state = 'started' AND kind = 'command'`);
  const waiting = sql.prepare<[string], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE session_key = ? AND state = 'accepted' ORDER BY place DESC, position`,
  );
  const slot = sql.prepare<[string], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE session_key = ? AND state = 'accepted' AND place = 'slot' ORDER BY position LIMIT 1`,
  );
  const fifoHead = sql.prepare<[string], { seq: number }>(
    `SELECT seq FROM inbound_journal WHERE session_key = ? AND state = 'accepted' AND place = 'fifo' ORDER BY position LIMIT 1`,
  );
  const internalHead = sql.prepare<[string], { seq: number }>(
    `SELECT seq FROM inbound_journal WHERE session_key = ? AND state = 'accepted' AND kind = 'internal' ORDER BY position LIMIT 1`,
  );
  const depth = sql.prepare<[string], { depth: number; human: number }>(
    `SELECT count(*) AS depth, count(*) FILTER (WHERE kind <> 'internal') AS human
       FROM inbound_journal WHERE session_key = ? AND state = 'accepted'`,
  );
  const toSlot = sql.prepare<[number]>(`UPDATE inbound_journal SET place = 'slot' WHERE seq = ?`);
  const start = sql.prepare<[string, number, number]>(
    `UPDATE inbound_journal SET state = 'started', turn_id = ?, started_at = ? WHERE seq = ?`,
  );
  const endTurn = sql.prepare<[string, number, string]>(
    `UPDATE inbound_journal SET state = 'ended', outcome = ?, ended_at = ? WHERE turn_id = ? AND state = 'started'`,
  );
  const end = sql.prepare<[string, number, number]>(
    `UPDATE inbound_journal SET state = 'ended', outcome = ?, ended_at = ? WHERE seq = ? AND state = 'accepted'`,
  );
  const lanes = sql.prepare<[], { key: SessionKey }>(
    `SELECT session_key AS key FROM inbound_journal WHERE state = 'accepted' GROUP BY session_key ORDER BY min(seq)`,
  );
  const orphans = sql.prepare<[], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE state = 'started' ORDER BY seq`,
  );
  const one = sql.prepare<[number], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE seq = ?`,
  );
  const neverMerge = sql.prepare<[number]>(
    `UPDATE inbound_journal SET kind = 'queue' WHERE seq = ? AND kind = 'message' AND state = 'accepted'`,
  );
  const lastSeq = sql.prepare<[], { seq: number | null }>(
    `SELECT max(seq) AS seq FROM inbound_journal`,
  );
  const ofTurn = sql.prepare<[string], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE turn_id = ? ORDER BY seq LIMIT 1`,
  );
  // What a removal was taken back of may have an older position, and still was shown behind it.
  const makeRoom = sql.prepare<[{ key: string }]>(`
    UPDATE inbound_journal SET place = 'fifo', position = min(position, coalesce((SELECT min(position) - 1 FROM inbound_journal
      WHERE session_key = @key AND state = 'accepted' AND place = 'fifo'), position))
     WHERE session_key = @key AND state = 'accepted' AND place = 'slot'`);
  const startedBy = sql.prepare<[string], InboundRow>(
    `SELECT ${columns} FROM inbound_journal WHERE turn_id = ? AND state = 'started' ORDER BY seq`,
  );
  const lastParked = sql.prepare<[string], InboundRow>(`
    SELECT ${columns} FROM inbound_journal WHERE seq = (SELECT i.seq FROM inbound_journal i JOIN turns t ON t.turn_id = i.turn_id
      WHERE i.session_key = ? AND i.state = 'ended' AND i.outcome = 'parked' ORDER BY t.rowid DESC LIMIT 1)`);
  const queuedResume = sql.prepare<[string], InboundRow>(`
    SELECT ${columns} FROM inbound_journal WHERE session_key = ? AND state = 'accepted' AND kind = 'internal'
      AND json_extract(event_json, '$.resume') IS NOT NULL ORDER BY place DESC, position LIMIT 1`);
  const suspendedResumes = sql.prepare<[number, number], { key: SessionKey }>(`
    SELECT i.session_key AS key FROM inbound_journal i JOIN gateway_routing r ON r.session_key = i.session_key
     WHERE i.state = 'accepted' AND i.kind = 'internal' AND json_extract(i.event_json, '$.resume') IS NOT NULL
       AND r.suspended = 1 AND r.suspended_at <= ? LIMIT ?`);
  const toFront = sql.prepare<[{ seq: number; key: string }]>(`
    UPDATE inbound_journal SET place = 'fifo', position = (SELECT min(position) - 1 FROM inbound_journal
      WHERE session_key = @key AND state = 'accepted') WHERE seq = @seq`);
  const removed = sql.prepare<[number, number], InboundRow>(`
    SELECT ${columns} FROM inbound_journal WHERE state = 'ended' AND outcome = 'removed' AND ended_at <= ? ORDER BY ended_at LIMIT ?`);
  const setOutcome = sql.prepare<[string, number]>(
    `UPDATE inbound_journal SET outcome = ? WHERE seq = ? AND state = 'ended'`,
  );
  const staleCommands = sql.prepare<[number, number, number]>(`
    UPDATE inbound_journal SET state = 'ended', outcome = 'dropped', ended_at = ?
     WHERE seq IN (SELECT seq FROM inbound_journal WHERE state = 'started' AND kind = 'command' AND accepted_at < ? LIMIT ?)`);
  const joinPiece = sql.prepare<[string, number, number]>(`
    UPDATE inbound_journal SET event_json = ?, last_piece_at = ?, first_piece_at = coalesce(first_piece_at, accepted_at)
     WHERE seq = ? AND state = 'accepted'`);
  const prune = sql.prepare<[number, number]>(`
    DELETE FROM inbound_journal WHERE seq IN (SELECT seq FROM inbound_journal WHERE state = 'ended' AND ended_at < ?
      AND outcome <> 'removed' AND NOT (outcome = 'parked' AND EXISTS (SELECT 1 FROM gateway_routing r
        WHERE r.session_key = inbound_journal.session_key AND r.resume_pending = 1)) ORDER BY ended_at LIMIT ?)`);

  return {
    /** Adds an accepted message; returns its number. */
    insert(row: NewInbound): number {
      return Number(
        insert.run({ ...row, state: "accepted", outcome: null, mergedInto: null, endedAt: null })
          .lastInsertRowid,
      );
    },
    /** Remembers a message that was acted on at once, or joined another, so that its redelivery is recognised. */
    insertEnded(
      row: NewInbound,
      outcome: InboundOutcome,
      mergedInto: number | null = null,
    ): number {
      return Number(
        insert.run({ ...row, state: "ended", outcome, mergedInto, endedAt: row.acceptedAt })
          .lastInsertRowid,
      );
    },
    /** Remembers a command that is about to be acted on; a redelivery finds it begun until `endCommand`. */
    insertCommand(row: NewInbound): number {
      const command = { ...row, kind: "command" as const, state: "started", outcome: null };
      return Number(insert.run({ ...command, mergedInto: null, endedAt: null }).lastInsertRowid);
    },
    endCommand(seq: number, nowMs: number): void {
      endCommand.run(nowMs, seq);
    },
    /** A waiting message with one more piece of its burst. */
    joinPiece(seq: number, eventJson: string, nowMs: number): void {
      joinPiece.run(eventJson, nowMs, seq);
    },
    /** The earlier acceptance of the same platform message, if any. */
    seen: (chatRef: string, platformMessageId: string) => seen.get(chatRef, platformMessageId),
    /** The lane's queue in running order: the slot first. */
    waiting: (key: SessionKey): InboundRow[] => waiting.all(key),
    slot: (key: SessionKey): InboundRow | undefined => slot.get(key),
    depth: (key: SessionKey): { depth: number; human: number } =>
      depth.get(key) ?? { depth: 0, human: 0 },
    /** Moves the head of the FIFO into a free slot (lifecycle 12.2); returns whether anything is next up now. */
    promote(key: SessionKey): boolean {
      if (slot.get(key)) return true;
      const head = fifoHead.get(key);
      if (!head) return false;
      toSlot.run(head.seq);
      return true;
    },
    /** After a command that keeps our own wakes: the first of them is next up, if the slot is free (lifecycle 12.8). */
    promoteInternal(key: SessionKey): void {
      const head = slot.get(key) ? undefined : internalHead.get(key);
      if (head) toSlot.run(head.seq);
    },
    get: (seq: number): InboundRow | undefined => one.get(seq),
    /** The newest number given out: what has a higher one arrived later. */
    lastSeq: (): number => lastSeq.get()?.seq ?? 0,
    /** The message that a turn answered, for as long as it is remembered. */
    ofTurn: (turnId: string): InboundRow | undefined => ofTurn.get(turnId),
    /** From now on it is a message of its own: nothing joins it. */
    neverMerge(seq: number): void {
      neverMerge.run(seq);
    },
    /** The slot's item waits behind a resume that is put before it; it stays first of the FIFO. */
    makeRoom(key: SessionKey): void {
      makeRoom.run({ key });
    },
    /** What a turn without an end was answering. */
    startedBy: (turnId: TurnId): InboundRow[] => startedBy.all(turnId),
    /** The cut turn that waits in the lane to be taken up. */
    queuedResume: (key: SessionKey): InboundRow | undefined => queuedResume.get(key),
    /** Lanes suspended before `beforeMs` in which a cut turn waits. */
    suspendedResumes: (beforeMs: number, limit: number): SessionKey[] =>
      suspendedResumes.all(beforeMs, limit).map((row) => row.key),
    /**
     * Holds the lane back behind this item: nothing is next up, and when something is again it is this one. As after
     * `/stop`, what waits then waits for the next message (lifecycle 12.2).
     */
    holdBack(key: SessionKey, seq: number): void {
      makeRoom.run({ key });
      toFront.run({ seq, key });
    },
    /** The message of the lane's newest turn that was cut by a stop or a crash. */
    lastParked: (key: SessionKey): InboundRow | undefined => lastParked.get(key),
    /** Messages that the operator took out before `beforeMs`, so that it can no longer be undone. */
    removedBefore: (beforeMs: number, limit: number): InboundRow[] => removed.all(beforeMs, limit),
    /** What is told of a message that has ended. */
    setOutcome(seq: number, outcome: InboundOutcome): void {
      setOutcome.run(outcome, seq);
    },
    /** Gives up commands that were begun before `beforeMs` and never redelivered; returns how many. */
    dropStaleCommands: (beforeMs: number, nowMs: number, limit: number): number =>
      staleCommands.run(nowMs, beforeMs, limit).changes,
    start(seq: number, turnId: TurnId, nowMs: number): void {
      start.run(turnId, nowMs, seq);
    },
    /** Ends everything that this turn answers. */
    endTurn(turnId: TurnId, outcome: InboundOutcome, nowMs: number): void {
      endTurn.run(outcome, nowMs, turnId);
    },
    /** Takes a waiting message out; false when it is no longer waiting. */
    end(seq: number, outcome: InboundOutcome, nowMs: number): boolean {
      return end.run(outcome, nowMs, seq).changes > 0;
    },
    /** Lanes in which something waits, oldest message first. */
    waitingLanes: (): SessionKey[] => lanes.all().map((row) => row.key),
    /** Messages whose turn had begun and has no end: a crash's left-overs. */
    started: (): InboundRow[] => orphans.all(),
    /** Forgets at most `limit` messages that ended before `beforeMs`, none that a turn may still take up; returns how many. */
    prune: (beforeMs: number, limit: number): number => prune.run(beforeMs, limit).changes,
  };
}
