import type { Database } from "./database.ts";

export type MetaStore = ReturnType<typeof metaStore>;

/** The table `state_meta`: single facts about this store, by name. Callers bring the transaction. */
export function metaStore({ sql }: Database) {
  const get = sql.prepare<[string], string>(`SELECT value FROM state_meta WHERE key = ?`).pluck();
  const set = sql.prepare<[string, string]>(
    `INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
  );
  return {
    get: (key: string): string | null => get.get(key) ?? null,
    set(key: string, value: string): void {
      set.run(key, value);
    },
  };
}
