import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionId } from "../contract/ids.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Importer } from "../import/importer.ts";
import { importStore } from "../sessions/import-store.ts";
import { isUnsafeSessionKey } from "../sessions/path-safety.ts";
import { rowOf } from "../sessions/routing-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { freshEntry } from "../sessions/session-entry.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionRowOf } from "../sessions/session-list.ts";
import type { Database } from "../state/database.ts";
import { createExport } from "../transcripts/export.ts";
import type { Search } from "../transcripts/search.ts";
import type { Served } from "./served.ts";

export interface DataServedDeps {
  db: Database;
  directory: SessionDirectory;
  clock: Clock;
  search: Search;
  importer: Importer;
  hideSecrets(text: string): string;
  changed(key: SessionKey): void;
}

/** The calls `search.*`, `sessions.export` and `import.*`. */
export function servedData(deps: DataServedDeps) {
  const { db, directory, clock, search, importer } = deps;
  const { routing, incarnations, messages } = directory;
  const exports = createExport(db, deps.hideSecrets);
  const imports = importStore(db);

  function exported(key: SessionKey | undefined, id: string | undefined): SessionId {
    if (id !== undefined) {
      const session = asSessionId(id);
      if (key !== undefined && incarnations.get(session)?.sessionKey !== key)
        throw new SignalboxError("E_NOT_FOUND", "This lane never held that session.", {
          field: "sessionId",
        });
      return session;
    }
    if (key === undefined)
      throw new SignalboxError("E_INPUT", "Name a session by its key or its id.", { field: "key" });
    const row = routing.get(key);
    if (!row)
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
        field: "key",
        key,
      });
    return row.sessionId;
  }

  /** Files the session under the lane, which is made where it is not there. Part of the caller's transaction. */
  function attach(id: SessionId, key: SessionKey, nowMs: number): RoutingRow | undefined {
    const session = incarnations.get(id);
    if (!session || !imports.mark(id))
      throw new SignalboxError("E_NOT_FOUND", "There is no imported session of this id.", {
        field: "sessionId",
      });
    if (!imports.attach(id, key))
      throw new SignalboxError("E_CONFLICT", "This session belongs to a lane already.", {
        field: "sessionId",
      });
    if (routing.get(key)) {
      incarnations.end(id, "session_switch", nowMs);
      return routing.get(key);
    }
    const entry = freshEntry(key, id, null, session.startedAt);
    routing.put(
      rowOf(
        { ...entry, updatedAtMs: messages.lastAt(id) ?? session.startedAt },
        { channelId: "local", title: session.title ?? key, messageCount: session.messageCount },
      ),
    );
    return routing.settleState(key, nowMs);
  }

  return {
    "search.messages": async ({ query, key, limit, cursor }) => ({
      ...(await search.messages({
        query,
        key: key ?? null,
        limit: limit ?? 20,
        cursor: cursor ?? null,
      })),
      index: search.state(),
    }),
    "search.rebuild": async () => {
      search.rebuild();
      return search.state();
    },

    "sessions.export": async ({ key, sessionId, format, cursor }) =>
      exports.piece({ sessionId: exported(key, sessionId), format, cursor: cursor ?? null }),

    "import.preview": ({ dir }) => importer.start(dir, true),
    "import.run": ({ dir }) => importer.start(dir, false),
    "import.status": async () => importer.status(),
    "import.cancel": async () => importer.cancel(),
    "import.unattached": async ({ limit }) => imports.unattached(limit ?? 50),
    "import.attach": async ({ sessionId, key }) => {
      if (isUnsafeSessionKey(key) || !key.startsWith("agent:"))
        throw new SignalboxError("E_INPUT", "A lane's key begins with agent: and its namespace.", {
          field: "key",
        });
      const row = await db.write(() => attach(sessionId, key, clock.nowMs()));
      deps.changed(key);
      return { key, changed: true, undoUntilMs: null, row: row ? sessionRowOf(row) : null };
    },
  } satisfies Partial<Served>;
}
