import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { SignalboxError } from "../contract/errors.ts";
import { localTime, ownerRecordFile, readOwnerRecord, type OwnerRecord } from "./owner-record.ts";
import { diskError, ensurePrivateDir, systemCode, writePrivateFile } from "./private-file.ts";

export interface Ownership {
  /**
   * Writes the lock record for others to find. Call it again when something changed (a port was opened).
   *
   * @returns false where the disk refused it: the gateway runs, but the command line cannot find it.
   */
  publish(record: OwnerRecord): boolean;
  /** Removes the record and frees the directory. Calling it again does nothing. */
  release(): void;
}

/** Somebody who only looks holds the lock for a moment: long enough to wait for, short enough to be told. */
const PROBE_WAIT_MS = 250;

/** Keeps held locks reachable: a collected connection would be closed, and its lock with it. */
const held = new Set<Database.Database>();

const lockFile = (dataDir: string): string => join(dataDir, "owner.db");

/**
 * Makes this process the one owner of a data directory, which is created (0700) where it is missing.
 *
 * The lock is an exclusive SQLite transaction that stays open: the operating system's own file lock, which a
 * crash or kill -9 releases. No other code of this process may open `owner.db`: on POSIX, closing any
 * handle of a file drops the process's locks on it.
 *
 * @param self.startedAtMs Epoch milliseconds; shown to whoever is refused.
 * @throws {SignalboxError} E_OWNED naming the owner (details: pid, startedAtMs, where known); E_READ_ONLY, E_STORE_FULL.
 */
export function acquireOwnership(
  dataDir: string,
  self: Pick<OwnerRecord, "pid" | "startedAtMs"> & Partial<OwnerRecord>,
): Ownership {
  ensurePrivateDir(dataDir);
  const lock = takeLock(dataDir, PROBE_WAIT_MS);
  if (lock === null) throw owned(dataDir, readOwnerRecord(dataDir));
  const publish = (record: OwnerRecord): boolean => {
    try {
      writePrivateFile(ownerRecordFile(dataDir), `${JSON.stringify(record, null, 2)}\n`);
      return true;
    } catch {
      return false; // a full disk must not keep the gateway from running
    }
  };
  // At once, still without a URL: a second start in the first second is to name its owner too.
  publish({ host: "embedded", ...self });
  held.add(lock);
  return {
    publish: (record) => held.has(lock) && publish(record),
    release() {
      if (!held.delete(lock)) return;
      // The record first: whoever takes the lock next writes its own.
      rmSync(ownerRecordFile(dataDir), { force: true });
      lock.close();
    },
  };
}

/**
 * Who owns the directory now. Takes the lock for the moment of the probe only.
 *
 * @returns null where nobody does, whatever a stale record says.
 */
export function readOwner(dataDir: string): OwnerRecord | null {
  if (!existsSync(lockFile(dataDir))) return null;
  const probe = takeLock(dataDir, 0);
  if (probe !== null) {
    probe.close();
    return null;
  }
  return readOwnerRecord(dataDir);
}

/** @returns the connection that holds the lock; null where another process does. */
function takeLock(dataDir: string, waitMs: number): Database.Database | null {
  let db: Database.Database | null = null;
  try {
    const file = lockFile(dataDir);
    // Only where it is missing: closing a handle of a file that this process has locked would free the lock.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    db = new Database(file, { timeout: waitMs });
    db.pragma("journal_mode = MEMORY"); // nothing is ever written: nothing to roll back after a crash
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (cause) {
    db?.close();
    if (systemCode(cause)?.startsWith("SQLITE_BUSY") === true) return null;
    throw diskError(cause, lockFile(dataDir));
  }
}

function owned(dataDir: string, owner: OwnerRecord | null): SignalboxError {
  if (owner === null)
    return new SignalboxError("E_OWNED", `${dataDir} is in use by another process.`, { dataDir });
  return new SignalboxError(
    "E_OWNED",
    `${dataDir} is in use by process ${owner.pid}, since ${localTime(owner.startedAtMs)} (local time).`,
    { dataDir, pid: owner.pid, startedAtMs: owner.startedAtMs },
  );
}
