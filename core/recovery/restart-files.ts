import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SignalboxError } from "../contract/errors.ts";
import { writePrivateFile } from "../state/private-file.ts";

/** The files that other tools read beside the database, with the names of lifecycle 10.1. */
export const restartFiles = (dataDir: string) => {
  const clean = join(dataDir, ".clean_shutdown");
  const counts = join(dataDir, "restart_counts.json");
  const loop = join(dataDir, "gateway", "restart_loop.json");
  return {
    /**
     * Takes the receipt of a clean stop, if there is one.
     * @throws {SignalboxError} E_READ_ONLY when it cannot be removed: left behind it would hide a later crash (lifecycle 10.3).
     */
    takeCleanShutdown(): boolean {
      // Whatever stands there under this name counts; only its absence is no receipt.
      if (!lstatSync(clean, { throwIfNoEntry: false })) return false;
      try {
        rmSync(clean);
        syncDir(dataDir); // a power cut must not bring it back
      } catch (cause) {
        throw new SignalboxError(
          "E_READ_ONLY",
          `${clean} cannot be removed; left there it would hide a crash. Make the directory writable and start again.`,
          {},
          { cause },
        );
      }
      return true;
    },
    /** The last step of a stop whose drain did not run out of time. */
    writeCleanShutdown(): void {
      writePrivateFile(clean, "");
    },
    /** What the database counts, for others to read; an empty list removes the file. */
    writeCounts(all: readonly { key: string; restarts: number }[]): void {
      if (all.length === 0) rmSync(counts, { force: true });
      else
        writePrivateFile(
          counts,
          `${JSON.stringify(Object.fromEntries(all.map(({ key, restarts }) => [key, restarts])), null, 2)}\n`,
        );
    },
    /** Boots with something to take up, epoch seconds, at most 50. */
    writeLoop(bootsMs: readonly number[]): void {
      mkdirSync(join(dataDir, "gateway"), { recursive: true, mode: 0o700 });
      writePrivateFile(
        loop,
        `${JSON.stringify({ boots: bootsMs.slice(-50).map((ms) => ms / 1000) })}\n`,
      );
    },
  };
};

/** Puts a directory's entries on the disk, where the system knows such a thing. */
function syncDir(dir: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(dir, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
