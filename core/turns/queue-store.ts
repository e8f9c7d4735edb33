import type { SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import type { InboundKind, Place } from "./inbox-store.ts";

export interface WaitingRow {
  inputId: number;
  key: SessionKey;
  title: string;
  channelId: string;
  kind: InboundKind;
  place: Place;
  eventJson: string;
  acceptedAtMs: number;
  runningSinceMs: number | null;
  /** How many of the lane are before it. */
  before: number;
}

export type QueueStore = ReturnType<typeof queueStore>;

/** What waits, across lanes, and how a person changes its order (ux.md 3, Queues). Callers bring the transaction. */
export function queueStore({ sql }: Database) {
  const waiting = sql.prepare<[number], WaitingRow>(`
    SELECT i.seq AS inputId, i.session_key AS key, coalesce(r.title, '') AS title, i.channel_id AS channelId, i.kind, i.place,
      i.event_json AS eventJson, i.accepted_at AS acceptedAtMs, r.active_turn_started_at AS runningSinceMs,
      (SELECT count(*) FROM inbound_journal b WHERE b.session_key = i.session_key AND b.state = 'accepted'
        AND (b.place > i.place OR (b.place = i.place AND b.position < i.position))) AS before
      FROM inbound_journal i LEFT JOIN gateway_routing r ON r.session_key = i.session_key
     WHERE i.state = 'accepted' ORDER BY i.accepted_at, i.seq LIMIT ?`);
  const total = sql.prepare<[], { n: number }>(
    `SELECT count(*) AS n FROM inbound_journal WHERE state = 'accepted'`,
  );
  const lanes = sql.prepare<
    [],
    {
      key: SessionKey;
      title: string;
      channelId: string;
      runningSinceMs: number | null;
      slot: number;
      fifo: number;
      oldestAtMs: number | null;
      human: number;
      queue: number;
      internal: number;
      resume: number;
    }
  >(`
    SELECT r.session_key AS key, r.title, r.channel_id AS channelId, r.active_turn_started_at AS runningSinceMs,
      count(i.seq) FILTER (WHERE i.place = 'slot') AS slot, count(i.seq) FILTER (WHERE i.place = 'fifo') AS fifo,
      min(i.accepted_at) AS oldestAtMs, count(i.seq) FILTER (WHERE i.kind = 'message') AS human,
      count(i.seq) FILTER (WHERE i.kind = 'queue') AS queue,
      count(i.seq) FILTER (WHERE i.kind = 'internal' AND json_extract(i.event_json, '$.resume') IS NULL) AS internal,
      count(i.seq) FILTER (WHERE json_extract(i.event_json, '$.resume') IS NOT NULL) AS resume
      FROM gateway_routing r LEFT JOIN inbound_journal i ON i.session_key = r.session_key AND i.state = 'accepted'
     WHERE r.session_key IN (SELECT session_key FROM inbound_journal WHERE state = 'accepted'
       UNION SELECT session_key FROM gateway_routing WHERE active_turn_token IS NOT NULL)
     GROUP BY r.session_key ORDER BY oldestAtMs IS NULL, oldestAtMs`);
  const done = sql.prepare<[number], { key: SessionKey; n: number }>(
    `SELECT session_key AS key, count(*) AS n FROM turns WHERE started_at >= ? AND state <> 'running' GROUP BY session_key`,
  );
  const one = sql.prepare<
    [number],
    {
      key: SessionKey;
      kind: InboundKind;
      place: Place;
      state: string;
      outcome: string | null;
      position: number;
    }
  >(
    `SELECT session_key AS key, kind, place, state, outcome, position FROM inbound_journal WHERE seq = ?`,
  );
  const restore = sql.prepare<[number]>(
    `UPDATE inbound_journal SET state = 'accepted', outcome = NULL, ended_at = NULL, place = 'fifo' WHERE seq = ? AND state = 'ended' AND outcome = 'removed'`,
  );
  const setPlace = sql.prepare<[string, number, number]>(
    `UPDATE inbound_journal SET place = ?, position = ? WHERE seq = ?`,
  );
  const order = sql.prepare<
    [string],
    { inputId: number; kind: InboundKind; place: Place; position: number; resumes: 0 | 1 }
  >(`
    SELECT seq AS inputId, kind, place, position, json_extract(event_json, '$.resume') IS NOT NULL AS resumes FROM inbound_journal WHERE session_key = ? AND state = 'accepted' ORDER BY place DESC, position`);

  return {
    waiting: (limit: number): WaitingRow[] => waiting.all(limit),
    total: (): number => total.get()?.n ?? 0,
    /** Lanes with work: a turn, or something that waits. */
    lanes: () => lanes.all(),
    doneSince: (sinceMs: number): Map<SessionKey, number> =>
      new Map(done.all(sinceMs).map((row) => [row.key, row.n])),
    get: (inputId: number) => one.get(inputId),
    /** Takes a removal back: where it was in the order, behind what is next up. */
    restore: (inputId: number): boolean => restore.run(inputId).changes > 0,
    /**
     * Puts a waiting item before another of its lane (null: last). What is next up stays the first of the order: the
     * lane's places are dealt out again. A resume stays first: what it takes up came before the others.
     * @returns false where the item, or the one it goes before, is not waiting in the lane any more, or is a resume.
     */
    move(key: SessionKey, inputId: number, before: number | null): boolean {
      if (before === inputId) return false; // before itself: nothing is asked for
      const items = order.all(key);
      const item = items.find((one) => one.inputId === inputId);
      const goal = items.find((one) => one.inputId === before);
      if (!item || item.resumes || (before !== null && (!goal || goal.resumes))) return false;
      const rest = items.filter((one) => one.inputId !== inputId);
      const at = before === null ? rest.length : rest.findIndex((one) => one.inputId === before);
      const sorted = [...rest.slice(0, at), item, ...rest.slice(at)];
      const hasSlot = items.some((one) => one.place === "slot");
      const positions = items.map((one) => one.position).toSorted((a, b) => a - b);
      sorted.forEach((one, index) => {
        setPlace.run(
          index === 0 && hasSlot ? "slot" : "fifo",
          positions[index] ?? one.position,
          one.inputId,
        );
      });
      return true;
    },
  };
}
