import type { Database } from "../state/database.ts";
import { noLineage } from "./producers.ts";
import type { Lineage } from "./producers.ts";

export type ParentageStore = ReturnType<typeof parentageStore>;

/** The table `session_parentage`: whose child a session is. Sessions that people make have none (3.3). Callers bring the transaction. */
export function parentageStore({ sql }: Database) {
  const get = sql.prepare<[string], Lineage>(
    `SELECT spawned_by AS spawnedBy, parent_session_key AS parent FROM session_parentage WHERE session_key = ?`,
  );
  const put = sql.prepare<[string, string | null, string | null, number]>(`
    INSERT INTO session_parentage (session_key, spawned_by, parent_session_key, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT(session_key) DO UPDATE SET spawned_by = excluded.spawned_by, parent_session_key = excluded.parent_session_key`);
  const children = sql.prepare<[string], { key: string }>(
    `SELECT session_key AS key FROM session_parentage WHERE spawned_by = ? ORDER BY created_at, session_key`,
  );
  const drop = sql.prepare<[string]>(`DELETE FROM session_parentage WHERE session_key = ?`);
  return {
    get: (key: string): Lineage => get.get(key) ?? noLineage,
    put(key: string, lineage: Lineage, nowMs: number): void {
      put.run(key, lineage.spawnedBy, lineage.parent, nowMs);
    },
    childrenOf: (key: string): string[] => children.all(key).map((row) => row.key),
    /** Whether `key` was spawned by `ancestor`, at whatever distance. */
    descends(key: string, ancestor: string): boolean {
      const seen = new Set<string>();
      for (let at: string | null = key; at !== null && !seen.has(at);) {
        seen.add(at);
        const found: Lineage = get.get(at) ?? noLineage;
        at = found.spawnedBy ?? found.parent;
        if (at === ancestor) return true;
      }
      return false;
    },
    drop(key: string): void {
      drop.run(key);
    },
  };
}
