import { asSessionId } from "../contract/ids.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

/** What a person's message does to a running turn (lifecycle 12.3). */
export const busyModes = ["interrupt", "queue", "steer"] as const;
export type BusyMode = (typeof busyModes)[number];

/** What a person chose for one lane. Callers bring the transaction. */
export function laneSettingStore({ sql }: Database) {
  const get = sql.prepare<[string], { busyMode: BusyMode | null }>(
    `SELECT busy_mode AS busyMode FROM lane_settings WHERE session_key = ?`,
  );
  const put = sql.prepare<[string, string | null]>(`
    INSERT INTO lane_settings (session_key, busy_mode) VALUES (?, ?)
    ON CONFLICT(session_key) DO UPDATE SET busy_mode = excluded.busy_mode`);
  return {
    /** Null where the lane follows the settings. */
    busyMode: (key: SessionKey): BusyMode | null => get.get(key)?.busyMode ?? null,
    setBusyMode(key: SessionKey, mode: BusyMode | null): void {
      put.run(key, mode);
    },
  };
}

/** The list of sessions that a lane was last shown (`/resume`, `/sessions`). Callers bring the transaction. */
export function shownListStore({ sql }: Database) {
  const get = sql.prepare<[string], { ids: string }>(
    `SELECT session_ids_json AS ids FROM shown_lists WHERE session_key = ?`,
  );
  const put = sql.prepare<[string, string, number]>(`
    INSERT INTO shown_lists (session_key, session_ids_json, shown_at) VALUES (?, ?, ?)
    ON CONFLICT(session_key) DO UPDATE SET session_ids_json = excluded.session_ids_json, shown_at = excluded.shown_at`);
  const remove = sql.prepare<[string]>(`DELETE FROM shown_lists WHERE session_key = ?`);
  return {
    /** Ids in the order shown, counted from 1 by people; null where nothing was shown since the last boundary. */
    get(key: SessionKey): SessionId[] | null {
      const row = get.get(key);
      return row ? (JSON.parse(row.ids) as string[]).map(asSessionId) : null;
    },
    put(key: SessionKey, ids: readonly SessionId[], nowMs: number): void {
      put.run(key, JSON.stringify(ids), nowMs);
    },
    /** Part of the funnel at a boundary. */
    clear(key: SessionKey): void {
      remove.run(key);
    },
  };
}
