import type { SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import type { RoutingRow, RoutingStore } from "./routing-store.ts";
import type { SessionSource } from "./session-source.ts";

/**
 * Lanes that were filed under another spelling of their key: by an older build, under another id of the same person, or
 * by another product (lifecycle 4.7). When somebody writes under the key of today, the lane moves there, with
 * everything that names it. Callers bring the transaction.
 */
export function laneAdoption({ sql }: Database, routing: RoutingStore) {
  const alias = sql
    .prepare<[string], SessionKey>(`SELECT session_key FROM lane_aliases WHERE alias = ?`)
    .pluck();
  const setAlias = sql.prepare<[string, string]>(
    `INSERT INTO lane_aliases (alias, session_key) VALUES (?, ?) ON CONFLICT DO NOTHING`,
  );
  const forget = sql.prepare<[string, string]>(
    `DELETE FROM lane_aliases WHERE alias = ? OR session_key = ?`,
  );
  const named = sql
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c ON c.name = 'session_key' WHERE t.type = 'table'`,
    )
    .pluck()
    .all();
  const moves = named
    .filter((table) => table !== "lane_aliases")
    .map((table) =>
      sql.prepare<[string, string]>(
        `UPDATE OR IGNORE "${table}" SET session_key = ? WHERE session_key = ?`,
      ),
    );

  /** A lane at work is served in memory under its key; it is moved another time. */
  const isAtRest = (row: RoutingRow): boolean =>
    row.activeTurnToken === null && row.queueDepth === 0 && row.resumePending === 0;

  return {
    /** From now on a message under `key` goes on with the lane `of`, unless a lane of that key is there. */
    setAlias(key: SessionKey, of: SessionKey): void {
      setAlias.run(key, of);
    },
    /**
     * Moves the most recently used lane that `key` may have been called before.
     *
     * @returns The lane under its new key, or undefined where there was none.
     */
    adopt(key: SessionKey, spellings: readonly SessionKey[]): RoutingRow | undefined {
      const [found] = [alias.get(key) ?? key, ...spellings]
        .flatMap((spelling) => (spelling === key ? [] : (routing.get(spelling) ?? [])))
        .filter(isAtRest)
        .toSorted((a, b) => b.updatedAt - a.updatedAt);
      if (!found) return undefined;
      for (const move of moves) move.run(key, found.sessionKey);
      forget.run(key, found.sessionKey);
      routing.patch(key, { laneIdentity: null }); // of the old spelling
      return routing.get(key);
    },
  };
}

/** Whether no route is known, or only that of an operator who wrote into somebody else's lane. */
export const lacksRoute = (row: RoutingRow, source: SessionSource): boolean =>
  row.originJson === null ||
  (row.platform !== "local" &&
    source.platform !== "local" &&
    row.originJson.startsWith('{"platform":"local"'));
