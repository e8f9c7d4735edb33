import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import type { PromptPin } from "./prompt-pin.ts";

/** The table `prompt_pins` (lifecycle 9.3): kept, so that a restart does not change the bytes. Callers bring the transaction. */
export function promptPinStore({ sql }: Database) {
  const get = sql.prepare<
    [string],
    { sessionId: SessionId; redacted: 0 | 1; section: string; pinnedAtMs: number }
  >(
    `SELECT session_id AS sessionId, redacted, section, pinned_at AS pinnedAtMs FROM prompt_pins WHERE session_key = ?`,
  );
  const put = sql.prepare<[string, string, number, string, number]>(`
    INSERT INTO prompt_pins (session_key, session_id, redacted, section, pinned_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT(session_key) DO UPDATE SET session_id = excluded.session_id, redacted = excluded.redacted,
      section = excluded.section, pinned_at = excluded.pinned_at`);
  const remove = sql.prepare<[string]>(`DELETE FROM prompt_pins WHERE session_key = ?`);
  return {
    get(key: SessionKey): PromptPin | null {
      const row = get.get(key);
      return row ? { ...row, redacted: row.redacted === 1 } : null;
    },
    put(key: SessionKey, pin: PromptPin): void {
      put.run(key, pin.sessionId, pin.redacted ? 1 : 0, pin.section, pin.pinnedAtMs);
    },
    /** Part of the funnel at a boundary. */
    clear(key: SessionKey): void {
      remove.run(key);
    },
  };
}
