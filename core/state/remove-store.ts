import { rmSync } from "node:fs";

/** Removes an SQLite file with what belongs to it. */
export function removeStore(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
}
