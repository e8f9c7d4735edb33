import type { Database } from "../state/database.ts";
import type { SessionKey } from "../contract/ids.ts";
import { firstPresent } from "./presence.ts";
import { entryOf, originOf, rowOf } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { freshEntry } from "./session-entry.ts";

/** Lanes looked at in one start; the others are looked at when somebody writes in them (lifecycle 3.3, rule 3). */
const mostAtOnce = 1_000;

export interface StaleRoutes {
  repointed: number;
  reopened: number;
  dropped: number;
}

/**
 * Lanes whose session has ended behind their back (lifecycle 3.6, step 4): the conversation that was meant is looked
 * for, and a lane that has none left is dropped from the index, its transcripts kept. One query, whatever the number
 * of lanes. Lanes that are suspended, at work or owed something are left for their next message to decide.
 */
export function pruneStaleRoutes(
  db: Database,
  { routing, incarnations, messages }: SessionDirectory,
  nowMs: number,
): StaleRoutes {
  const stale = db.sql.prepare<[number], { key: SessionKey }>(`
    SELECT r.session_key AS key FROM gateway_routing r CROSS JOIN sessions s ON s.id = r.session_id
     WHERE s.ended_at IS NOT NULL AND coalesce(s.end_reason, '') <> 'compression' AND r.suspended = 0
       AND r.resume_pending = 0 AND r.active_turn_token IS NULL AND r.queue_depth = 0 LIMIT ?`);
  const counts = { repointed: 0, reopened: 0, dropped: 0 };

  function settle(row: RoutingRow): keyof StaleRoutes {
    const origin = originOf(row);
    const found = incarnations.findLatest(row.sessionKey, {
      platform: origin?.platform ?? row.platform ?? "",
      userId: firstPresent(origin?.userIdAlt, origin?.userId),
      chatId: origin?.chatId ?? "",
      chatType: origin?.chatType ?? "",
      threadId: origin?.threadId ?? null,
    });
    if (!found) {
      routing.remove(row.sessionKey);
      return "dropped";
    }
    incarnations.reopen(found, row.sessionKey, nowMs);
    if (found === row.sessionId) return "reopened"; // the entry keeps its counters
    const past = incarnations.get(found);
    const entry = entryOf(row);
    routing.put({
      ...rowOf(
        {
          ...freshEntry(row.sessionKey, found, entry.origin, past?.startedAt ?? row.createdAt),
          platform: entry.platform,
          chatType: entry.chatType,
          displayName: entry.displayName,
          updatedAtMs: messages.lastAt(found) ?? 0,
        },
        row,
      ),
      messageCount: past?.messageCount ?? 0,
    });
    return "repointed";
  }

  return db.writeNow(() => {
    for (const { key } of stale.all(mostAtOnce)) {
      const row = routing.get(key);
      if (row) counts[settle(row)] += 1;
    }
    return counts;
  });
}
