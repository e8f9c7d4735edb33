import { constants, existsSync, statSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Findings } from "./import-source.ts";

/** A copy of another program's database, to be read at leisure. */
export interface DatabaseCopy {
  sql: Sqlite.Database;
  close(): Promise<void>;
}

const tries = 3;

const stampOf = (file: string): string =>
  ["", "-wal"]
    .map((end) => statSync(file + end, { throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.size} ${stat.mtimeMs}` : "absent"))
    .join(", ");

/**
 * Copies a database with its write-ahead log and opens the copy: even a read-only connection would make files beside the
 * original, and reading it in place would hold its owner's log back.
 *
 * @param workDir Made for the copy, removed at its end.
 * @throws what SQLite says of a file that is no database.
 */
export async function copyDatabase(
  file: string,
  workDir: string,
  findings: Findings,
): Promise<DatabaseCopy> {
  const copy = join(workDir, "state.db");
  for (let left = tries; ; left -= 1) {
    await rm(workDir, { recursive: true, force: true });
    await mkdir(workDir, { recursive: true, mode: 0o700 });
    const before = stampOf(file);
    for (const end of ["", "-wal"])
      if (existsSync(file + end))
        await copyFile(file + end, copy + end, constants.COPYFILE_FICLONE);
    if (stampOf(file) === before) break;
    if (left > 1) continue;
    findings.partial(
      "state.db",
      "its own gateway was writing to it; the newest rows may be missing",
    );
    break;
  }
  const sql = new Sqlite(copy);
  return {
    sql,
    async close() {
      sql.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}
