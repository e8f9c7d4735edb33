import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import { entryOf } from "./routing-store.ts";
import type { RoutingStore } from "./routing-store.ts";
import { modelOverrideFrom } from "./session-entry.ts";
import type { ModelOverride } from "./session-entry.ts";
import { own } from "./stored-json.ts";
import type { JsonValue } from "./stored-json.ts";

/** What a lane's turns run with in place of the settings; every boundary clears it (lifecycle 2.1, 3.5). */
export interface RuntimeOptions {
  readonly modelOverride: ModelOverride | null;
  readonly reasoningOverride: JsonValue;
  readonly serviceTierOverride: JsonValue;
}

/** Small facts of one lane, and lanes that nobody needs any more (lifecycle 3.5, 3.9). Callers bring the transaction. */
export function laneUpkeep({ sql }: Database, routing: RoutingStore) {
  const old = sql.prepare<[number, number], { key: SessionKey }>(`
    SELECT session_key AS key FROM gateway_routing r
     WHERE updated_at < ? AND suspended = 0 AND resume_pending = 0 AND active_turn_token IS NULL AND queue_depth = 0
       AND NOT EXISTS (SELECT 1 FROM delivery_obligations o
         WHERE o.session_key = r.session_key AND o.state IN ('pending', 'attempting', 'failed', 'unknown'))
       AND NOT EXISTS (SELECT 1 FROM async_delegations d
         WHERE d.session_key = r.session_key AND (d.state = 'running' OR d.delivery = 'pending'))
     ORDER BY updated_at LIMIT ?`);

  return {
    /** Null where there is no lane. */
    runtimeOptions(key: SessionKey): RuntimeOptions | null {
      const row = routing.get(key);
      if (!row) return null;
      const { modelOverride, reasoningOverride, serviceTierOverride } = entryOf(row);
      return { modelOverride, reasoningOverride, serviceTierOverride };
    },
    /**
     * Sets some of them; of a model only name, provider and address are kept: credentials never reach disk.
     * @returns false where there is no lane, or it has moved on from `expected`.
     */
    setRuntimeOptions(
      key: SessionKey,
      options: Partial<RuntimeOptions>,
      expected: SessionId | null = null,
    ): boolean {
      const row = routing.get(key);
      if (!row || (expected !== null && row.sessionId !== expected)) return false;
      const json = (value: JsonValue): string | null =>
        value === null ? null : JSON.stringify(value);
      return routing.patch(key, {
        ...(options.modelOverride === undefined
          ? {}
          : { modelOverrideJson: json(modelOverrideFrom(options.modelOverride)) }),
        ...(options.reasoningOverride === undefined
          ? {}
          : { reasoningOverrideJson: json(options.reasoningOverride) }),
        ...(options.serviceTierOverride === undefined
          ? {}
          : { serviceTierOverrideJson: json(options.serviceTierOverride) }),
      });
    },
    metadata(key: SessionKey, name: string): JsonValue {
      const row = routing.get(key);
      return (row && own(entryOf(row).metadata, name)) ?? null;
    },
    /** Null removes it. No sign of life: `updatedAt` does not move. False where there is no lane. */
    setMetadata(key: SessionKey, name: string, value: JsonValue): boolean {
      const row = routing.get(key);
      if (!row) return false;
      const rest = Object.entries(entryOf(row).metadata).filter(([other]) => other !== name);
      const next = Object.fromEntries(value === null ? rest : [...rest, [name, value]]);
      return routing.patch(key, { metadataJson: JSON.stringify(next) });
    },
    /**
     * Takes lanes out of the index that nobody wrote in since `beforeMs`: never one that is suspended, at work, to be taken
     * up or owed something, never a transcript (lifecycle 3.9).
     * @param keep Lanes that something outside the database still needs: processes of a lane that run (asked by key).
     * @returns those taken out, at most `limit`.
     */
    pruneOld(beforeMs: number, limit: number, keep: (key: SessionKey) => boolean): SessionKey[] {
      const gone = old.all(beforeMs, limit).flatMap(({ key }) => (keep(key) ? [] : [key]));
      for (const key of gone) routing.remove(key);
      return gone;
    },
  };
}
