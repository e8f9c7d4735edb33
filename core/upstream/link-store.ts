import type { Database } from "../state/database.ts";
import type { UpstreamLink } from "./link.ts";

const columns = `l.session_key AS sessionKey, l.agent_id AS agentId, l.catalog_id AS catalogId, l.host_id AS hostId,
  l.thread_id AS threadId, l.upstream_kind AS upstreamKind, l.upstream_ref_json AS refJson, l.last_marker_json AS markerJson,
  l.last_scanned_at AS lastScannedAt, l.created_at AS createdAt, l.updated_at AS updatedAt`;

export type LinkStore = ReturnType<typeof linkStore>;

/** The table `session_upstream_links` (state-awareness 2.5). Callers bring the transaction. */
export function linkStore({ sql }: Database) {
  const get = sql.prepare<[string, string], UpstreamLink>(
    `SELECT ${columns} FROM session_upstream_links l WHERE session_key = ? AND agent_id = ?`,
  );
  const put = sql.prepare<[UpstreamLink]>(`
    INSERT OR REPLACE INTO session_upstream_links (session_key, agent_id, catalog_id, host_id, thread_id, upstream_kind,
      upstream_ref_json, last_marker_json, last_scanned_at, created_at, updated_at)
    VALUES (@sessionKey, @agentId, @catalogId, @hostId, @threadId, @upstreamKind, @refJson, @markerJson, @lastScannedAt,
      @createdAt, @updatedAt)`);
  const mark = sql.prepare<[string, number, number, string, string, number]>(`
    UPDATE session_upstream_links SET last_marker_json = ?, last_scanned_at = ?, updated_at = ?
     WHERE session_key = ? AND agent_id = ? AND updated_at = ?`);
  const drop = sql.prepare<[string, string]>(
    `DELETE FROM session_upstream_links WHERE session_key = ? AND agent_id = ?`,
  );
  const watched = sql.prepare<[], UpstreamLink>(`
    SELECT ${columns} FROM session_upstream_links l
     WHERE EXISTS (SELECT 1 FROM session_watch_cursors c WHERE c.target_session_key = l.session_key AND c.target_agent_id = l.agent_id)
     ORDER BY l.catalog_id, l.session_key`);

  return {
    get: (sessionKey: string, agentId: string): UpstreamLink | undefined =>
      get.get(sessionKey, agentId),
    put(link: UpstreamLink): void {
      put.run(link);
    },
    /** Moves the scan position, if the row is still the one that was scanned. */
    mark: (link: UpstreamLink, markerJson: string, nowMs: number): boolean =>
      mark.run(
        markerJson,
        nowMs,
        Math.max(nowMs, link.updatedAt + 1),
        link.sessionKey,
        link.agentId,
        link.updatedAt,
      ).changes > 0,
    drop(sessionKey: string, agentId: string): void {
      drop.run(sessionKey, agentId);
    },
    /** Those whose session somebody watches, by catalog and key. */
    watched: (): UpstreamLink[] => watched.all(),
  };
}
