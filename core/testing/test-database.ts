import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStores } from "../compose/stores.ts";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import { tempDir } from "./temp-dir.ts";

/** A migrated database, closed at the end of the test; in memory unless the test needs a file. */
export function testDatabase(file = ":memory:"): Database {
  const db = openDatabase(file, silentLog);
  onTestFinished(() => db.close());
  return db;
}

/** The same as a file, with its path. */
export function fileDatabase(): { db: Database; file: string } {
  const file = join(tempDir(), "state.db");
  return { db: testDatabase(file), file };
}

/** Every store on a database of its own. */
export function testStores() {
  const db = testDatabase();
  return { db, ...openStores(db) };
}

export type TestStores = ReturnType<typeof testStores>;

/**
 * Commits in a database's write-ahead log, each of which was one fsync: frames that carry the size of the database
 * after them. Counts from the last checkpoint that restarted the log.
 */
export function commitsIn(file: string): number {
  const wal = readFileSync(`${file}-wal`);
  const pageBytes = wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + 24 + pageBytes <= wal.length; at += 24 + pageBytes) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break; // left over from before the log was restarted
    if (wal.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
