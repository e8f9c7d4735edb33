import type { Database } from "../state/database.ts";
import type { Chain } from "./relay.ts";

export type RelayStore = ReturnType<typeof relayStore>;

/** The tables behind the bounds of relays among agents. Callers bring the transaction. */
export function relayStore({ sql }: Database) {
  const insert = sql.prepare<[number, string, number, string]>(
    `INSERT INTO agent_relays (at, chain_id, hops, pair) VALUES (?, ?, ?, ?)`,
  );
  const inChain = sql.prepare<[string, number], { n: number }>(
    `SELECT count(*) AS n FROM agent_relays WHERE chain_id = ? AND at > ?`,
  );
  const inPair = sql.prepare<[string, number], { n: number }>(
    `SELECT count(*) AS n FROM agent_relays WHERE pair = ? AND at > ?`,
  );
  const word = sql.prepare<[string, number]>(`
    INSERT INTO last_human_words (session_key, at) VALUES (?, ?) ON CONFLICT(session_key) DO UPDATE SET at = excluded.at`);
  const lastWord = sql.prepare<[string, string], { at: number | null }>(
    `SELECT max(at) AS at FROM last_human_words WHERE session_key IN (?, ?)`,
  );
  const setChain = sql.prepare<[string, string, number, number]>(
    `INSERT OR REPLACE INTO turn_chains (turn_id, chain_id, hops, at) VALUES (?, ?, ?, ?)`,
  );
  const chain = sql.prepare<[string], Chain>(
    `SELECT chain_id AS id, hops FROM turn_chains WHERE turn_id = ?`,
  );
  const forgetRelays = sql.prepare<[number]>(`DELETE FROM agent_relays WHERE at < ?`);
  const forgetChains = sql.prepare<[number]>(`DELETE FROM turn_chains WHERE at < ?`);

  return {
    insert(chainNow: Chain, pair: string, nowMs: number): void {
      insert.run(nowMs, chainNow.id, chainNow.hops, pair);
    },
    inChain: (id: string, sinceMs: number): number => inChain.get(id, sinceMs)?.n ?? 0,
    inPair: (pair: string, sinceMs: number): number => inPair.get(pair, sinceMs)?.n ?? 0,
    /** A person spoke in this session. */
    noteWord(key: string, nowMs: number): void {
      word.run(key, nowMs);
    },
    /** When a person last spoke in one of two sessions; 0 where none did. */
    lastWord: (a: string, b: string): number => lastWord.get(a, b)?.at ?? 0,
    setChain(turnId: string, given: Chain, nowMs: number): void {
      setChain.run(turnId, given.id, given.hops, nowMs);
    },
    chainOf: (turnId: string): Chain | null => chain.get(turnId) ?? null,
    forget(beforeMs: number): void {
      forgetRelays.run(beforeMs);
      forgetChains.run(beforeMs);
    },
  };
}
