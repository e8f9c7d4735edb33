import { join } from "node:path";
import type { Problem } from "../contract/domain.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { transcriptAppender } from "../transcripts/transcript-files.ts";
import { moveAside } from "./aside.ts";
import { fromSqlite, openDatabase } from "./database.ts";
import type { Database } from "./database.ts";
import { removeStore } from "./remove-store.ts";

/** Where routing, queues and debts are kept while `state.db` cannot be opened. */
export const degradedFile = (dataDir: string): string => join(dataDir, "degraded.db");

export interface OpenedStore {
  db: Database;
  /** Null where the store is healthy. */
  degraded: { problem: Problem; armTranscripts(): void } | null;
}

/**
 * Opens `state.db`, or, where it cannot be opened or written to, the gateway's stand-in for it (lifecycle 3.10,
 * decision 0020).
 *
 * @throws {SignalboxError} E_STORE_FROM_FUTURE: a newer store is left alone; E_STORE_BUSY; what the first opening said where there
 *   is no room for a stand-in either.
 */
export function openStore(
  dataDir: string,
  sessionsDir: string,
  log: Log,
  nowMs: number,
): OpenedStore {
  const file = join(dataDir, "state.db");
  try {
    return { db: openHealthy(file, log), degraded: null };
  } catch (thrown) {
    const cause = named(thrown, file);
    if (!mayDegrade(cause)) throw cause;
    log.error("store.degraded", { code: cause.code }, cause);
    const transcripts = transcriptAppender(sessionsDir);
    const db = openStandIn(degradedFile(dataDir), transcripts, log, nowMs, cause);
    return {
      db,
      degraded: {
        problem: problemOf(cause, file),
        armTranscripts() {
          transcripts.arm(db.sql);
        },
      },
    };
  }
}

function openHealthy(file: string, log: Log): Database {
  const db = openDatabase(file, log);
  try {
    assertWritable(db);
    return db;
  } catch (cause) {
    db.sql.close();
    throw cause;
  }
}

/**
 * Writes a session with a message and takes it back: damage that every reading passes over is found here, before a
 * message is accepted (lifecycle 15.5).
 * @throws {SignalboxError} E_STORE_DAMAGED, E_READ_ONLY, E_STORE_FULL.
 */
function assertWritable({ sql }: Database): void {
  try {
    sql.exec("BEGIN IMMEDIATE");
    try {
      sql.exec(`
        INSERT INTO sessions (id, source, started_at) VALUES ('write probe', 'local', 0);
        INSERT INTO messages (session_id, role, content, timestamp) VALUES ('write probe', 'user', 'write probe', 0);
        INSERT INTO gateway_routing (session_key, session_id, created_at, updated_at, channel_id, state_since)
          VALUES ('write probe', 'write probe', 0, 0, 'local', 0);`);
    } finally {
      if (sql.inTransaction) sql.exec("ROLLBACK");
    }
  } catch (cause) {
    throw fromSqlite(cause);
  }
}

function openStandIn(
  file: string,
  { beforeCommit }: ReturnType<typeof transcriptAppender>,
  log: Log,
  nowMs: number,
  cause: SignalboxError,
): Database {
  try {
    return openDatabase(file, log, { beforeCommit });
  } catch (again) {
    log.error("store.stand_in_damaged", {}, again);
    moveAside(file, "damaged", nowMs);
    removeStore(file);
    try {
      return openDatabase(file, log, { beforeCommit });
    } catch {
      throw cause;
    }
  }
}

const degradable: ReadonlySet<string> = new Set(["E_STORE_DAMAGED", "E_READ_ONLY", "E_STORE_FULL"]);

const mayDegrade = (cause: unknown): cause is SignalboxError =>
  cause instanceof SignalboxError && degradable.has(cause.code);

/** What SQLite says of a database that is somebody else's is no damage: nothing may be done beside it either. */
function named(cause: unknown, file: string): unknown {
  if (cause instanceof SignalboxError || !(cause instanceof Error) || !("code" in cause))
    return cause;
  return new SignalboxError(
    "E_CONFLICT",
    `${file} is a database of another program. Choose another directory with --data; signalbox import takes its conversations over.`,
    { file },
    { cause },
  );
}

function problemOf(cause: SignalboxError, file: string): Problem {
  const why: Record<string, string> = {
    E_STORE_DAMAGED: "The database is damaged, or is not one",
    E_READ_ONLY: "The database cannot be opened for writing",
    E_STORE_FULL: "There is no room on the disk to open the database",
  };
  const remedy: Record<string, string> = {
    E_STORE_DAMAGED:
      "Stop the gateway, put a good copy of the file in its place (or move it away to begin with an empty one) and start again.",
    E_READ_ONLY:
      "Stop the gateway, let this user read and write the file and its folder, and start again.",
    E_STORE_FULL: "Stop the gateway, free some space, and start again.",
  };
  return {
    code: cause.code,
    message: `${why[cause.code] ?? cause.message}. Signalbox runs without it: lanes come from sessions.json, new messages are kept in files beside it, older ones cannot be shown. The database itself is not touched.`,
    where: file,
    remedy: `${remedy[cause.code] ?? ""} What was said meanwhile is then merged back.`,
  };
}
