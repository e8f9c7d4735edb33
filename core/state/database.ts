import { chmodSync, existsSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { SignalboxError } from "../contract/errors.ts";
import { failpoint } from "../failpoint.ts";
import type { Log } from "../log/log.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";

export type SqlDatabase = Sqlite.Database;

/** The one writer connection of a data directory. Stores prepare their statements on `sql` and write inside `write`. */
export interface Database {
  readonly sql: SqlDatabase;
  readonly file: string;
  /** Schema version now, and before this start. */
  readonly version: { from: number; to: number };
  readonly sqliteVersion: string;
  /**
   * Runs `work` in the next group commit and resolves when it is on disk. Calls made in one turn of the event loop
   * share one transaction and one fsync; each has its own savepoint, so one that throws undoes only itself.
   *
   * @throws {SignalboxError} E_STORE_FULL, E_READ_ONLY, E_STORE_DAMAGED, E_STORE_BUSY for the disk's refusals; what `work` throws otherwise.
   */
  write<T>(work: () => T): Promise<T>;
  /** The same at once, for steps at start-up and tools; waits for the disk. */
  writeNow<T>(work: () => T): T;
  /** Finishes what was handed to `write`, then closes. */
  close(): Promise<void>;
}

interface Pending {
  work: () => unknown;
  resolve: (value: unknown) => void;
  reject: (cause: unknown) => void;
}

export interface DatabaseOptions {
  /**
   * Called last in each transaction, before its commit; what it throws undoes the transaction. Returns how to take back
   * what it did outside the database, should the commit fail. The degraded mode writes its transcripts here.
   */
  beforeCommit?: (sql: SqlDatabase) => () => void;
}

/** Above this the thread that serves the window would be held too long by one commit. */
const groupLimit = 200;

/**
 * Opens (and where needed migrates) the state database with the rules of lifecycle 7.1: WAL, foreign keys on,
 * durable commits, 0600.
 * @throws {SignalboxError} E_STORE_FROM_FUTURE, E_STORE_DAMAGED, E_READ_ONLY, E_STORE_FULL.
 */
export function openDatabase(file: string, log: Log, options: DatabaseOptions = {}): Database {
  const fresh = file === ":memory:" || !existsSync(file);
  let sql: SqlDatabase;
  let version: { from: number; to: number };
  try {
    if (!fresh) refuseNewer(file);
    sql = new Sqlite(file, { timeout: 1000 });
  } catch (cause) {
    throw fromSqlite(cause);
  }
  try {
    if (fresh && file !== ":memory:") chmodSync(file, 0o600);
    sql.pragma("foreign_keys = ON");
    sql.pragma("journal_mode = WAL");
    sql.pragma("synchronous = FULL"); // a power cut must not undo an acknowledged message
    sql.pragma("journal_size_limit = 67108864");
    sql.pragma("temp_store = MEMORY");
    sql.pragma("cache_size = -16000");
    version = migrate(sql, migrations);
  } catch (cause) {
    sql.close();
    throw fromSqlite(cause);
  }

  let queue: Pending[] = [];
  let scheduled = false;
  let commits = 0;
  let closing: Promise<void> | null = null;
  const begin = sql.prepare("BEGIN IMMEDIATE");
  const commit = sql.prepare("COMMIT");
  const rollback = sql.prepare("ROLLBACK");
  const beforeCommit = options.beforeCommit ?? (() => () => undefined);

  function flush(): void {
    scheduled = false;
    const group = queue.slice(0, groupLimit);
    queue = queue.slice(groupLimit);
    if (queue.length > 0) schedule();
    const settled: (() => void)[] = [];
    let takeBack = (): void => undefined;
    try {
      begin.run();
      for (const item of group) {
        try {
          const value = sql.transaction(item.work)(); // nested: a savepoint
          settled.push(() => {
            item.resolve(value);
          });
        } catch (cause) {
          if (!sql.inTransaction) throw cause; // a full disk rolls the whole transaction back
          settled.push(() => {
            item.reject(fromSqlite(cause));
          });
        }
      }
      takeBack = beforeCommit(sql);
      failpoint("db.before_commit");
      commit.run();
      failpoint("db.committed");
    } catch (cause) {
      undo();
      takeBack();
      const error = fromSqlite(cause);
      log.error(
        "commit.failed",
        { code: error instanceof SignalboxError ? error.code : null, items: group.length },
        cause,
      );
      for (const item of group) item.reject(error);
      return;
    }
    commits += 1;
    for (const settle of settled) settle(); // before the checkpoint, whose failure changes nothing for them
    if (commits % 50 === 0) checkpoint();
  }

  /** What cannot be taken back here SQLite takes back itself, at the latest when the file is next opened. */
  function undo(): void {
    try {
      if (sql.inTransaction) rollback.run();
    } catch (cause) {
      log.error("rollback.failed", {}, cause);
    }
  }

  function checkpoint(): void {
    const started = performance.now();
    try {
      sql.pragma("wal_checkpoint(PASSIVE)"); // TRUNCATE in live code was implicated in corruption (lifecycle 7.1)
    } catch (cause) {
      log.warn("checkpoint.failed", {}, cause); // the log keeps what was committed; the next one tries again
    }
    const ms = performance.now() - started;
    if (ms > 40) log.warn("checkpoint.slow", { ms: Math.round(ms) });
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    sql,
    file,
    version,
    sqliteVersion: sql.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "",
    write<T>(work: () => T) {
      if (closing)
        return Promise.reject(
          new SignalboxError("E_DRAINING", "The gateway is stopping; nothing was kept."),
        );
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    writeNow<T>(work: () => T): T {
      let takeBack = (): void => undefined;
      try {
        return sql
          .transaction(() => {
            const value = work();
            takeBack = beforeCommit(sql);
            return value;
          })
          .immediate();
      } catch (cause) {
        takeBack();
        throw fromSqlite(cause);
      }
    },
    close() {
      closing ??= (async () => {
        while (queue.length > 0) await new Promise<void>((done) => setImmediate(done));
        sql.close();
      })();
      return closing;
    },
  };
}

/**
 * Looks through a connection that cannot write: one that can would, when it closes, fold the log of a crashed build
 * into the file, and a newer file has to stay as it was to the byte.
 */
function refuseNewer(file: string): void {
  let from: number;
  const sql = new Sqlite(file, { readonly: true, timeout: 1000 });
  try {
    from = sql.pragma("user_version", { simple: true }) as number;
  } catch {
    return; // it has to be repaired or created before it can be read: the writing connection does, and looks again
  } finally {
    sql.close();
  }
  const to = migrations.at(-1)?.version ?? 0;
  if (from > to)
    throw new SignalboxError(
      "E_STORE_FROM_FUTURE",
      `The database is of version ${from}; this build knows up to ${to}. It was left as it is: start the newer Signalbox, or another data directory.`,
      { from, to },
    );
}

/** Whether the same write may be taken later: the disk is full, held by another program, or not writable now. */
export const isRefusedByDisk = (cause: unknown): boolean =>
  cause instanceof SignalboxError &&
  ["E_STORE_FULL", "E_STORE_BUSY", "E_READ_ONLY"].includes(cause.code);

/** Tells the disk's refusals apart by SQLite's extended code, never by words. */
export function fromSqlite(cause: unknown): unknown {
  if (cause instanceof SignalboxError || !(cause instanceof Error) || !("code" in cause))
    return cause;
  const code = String(cause.code);
  const wrap = (to: ConstructorParameters<typeof SignalboxError>[0], message: string) =>
    new SignalboxError(to, message, { sqlite: code }, { cause });
  if (code === "SQLITE_FULL")
    return wrap(
      "E_STORE_FULL",
      "The disk is full; the message was not kept. Free some space and send it again.",
    );
  if (
    code.startsWith("SQLITE_READONLY") ||
    code === "SQLITE_PERM" ||
    code.startsWith("SQLITE_CANTOPEN")
  )
    return wrap("E_READ_ONLY", "The data directory cannot be written to; nothing was kept.");
  if (code.startsWith("SQLITE_IOERR"))
    return wrap("E_STORE_FULL", "The disk could not be read or written; nothing was kept.");
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB")
    return wrap("E_STORE_DAMAGED", "The database is damaged; nothing was written to it.");
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return wrap("E_STORE_BUSY", "Another program holds the database; try again.");
  return cause;
}
