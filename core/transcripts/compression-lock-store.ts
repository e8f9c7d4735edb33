import type { SessionId } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";

export type CompressionLockStore = ReturnType<typeof compressionLockStore>;

/** The table `compression_locks` (lifecycle 14.4): one compression of a session at a time. Callers bring the transaction. */
export function compressionLockStore({ sql }: Database) {
  const take = sql.prepare<{ id: string; holder: string; now: number; until: number }>(`
    INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (@id, @holder, @now, @until)
    ON CONFLICT(session_id) DO UPDATE SET holder = excluded.holder, acquired_at = excluded.acquired_at,
      expires_at = excluded.expires_at WHERE expires_at <= @now`);
  const release = sql.prepare<[string, string]>(
    `DELETE FROM compression_locks WHERE session_id = ? AND holder = ?`,
  );
  const held = sql.prepare<[string, number], { holder: string }>(
    `SELECT holder FROM compression_locks WHERE session_id = ? AND expires_at > ?`,
  );
  const drop = sql.prepare(`DELETE FROM compression_locks`);
  return {
    /** False while somebody else compresses the session. */
    acquire: (id: SessionId, holder: string, nowMs: number, ttlMs: number): boolean =>
      take.run({ id, holder, now: nowMs, until: nowMs + ttlMs }).changes > 0,
    /** Whether this holder has it still. */
    holds: (id: SessionId, holder: string, nowMs: number): boolean =>
      held.get(id, nowMs)?.holder === holder,
    release(id: SessionId, holder: string): void {
      release.run(id, holder);
    },
    /** At start-up: whoever held one is gone with the process that owned the data. */
    dropAll(): void {
      drop.run();
    },
  };
}
