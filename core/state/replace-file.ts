import { randomBytes } from "node:crypto";
import * as nodeFs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "./private-file.ts";

/** The system calls used, so that a test can break each one. */
export type FileCalls = Pick<
  typeof nodeFs,
  "open" | "rename" | "copyFile" | "rm" | "realpath" | "readlink"
>;

/** A file that is about to take another's place. */
export interface Replacement {
  write(text: string): Promise<void>;
  /** Puts it in place: after this, as after a crash in the middle of it, the target is the old file or the new, whole. */
  commit(): Promise<void>;
  /** Forgets it; the target stays as it is. */
  discard(): Promise<void>;
}

const tries = 5; // a scanner or an indexer holds a file for a moment, on Windows above all

/**
 * Opens a temporary file beside `target` (0600) that will replace it (lifecycle 3.6). Where the target is a symbolic
 * link, the file it points to is replaced.
 */
export async function openReplacement(
  target: string,
  calls: FileCalls = nodeFs,
): Promise<Replacement> {
  const real = await pointedTo(target, calls);
  const name = `.${basename(target, ".json")}_${randomBytes(6).toString("hex")}.tmp`;
  const temporary = join(dirname(real), name);
  const file = await calls.open(temporary, "wx", 0o600);
  return {
    write: (text) => file.writeFile(text),
    async commit() {
      try {
        await file.sync();
        await file.close();
        await place(temporary, real, calls);
        await syncDirectory(dirname(real), calls);
      } catch (cause) {
        await calls.rm(temporary, { force: true });
        throw cause;
      }
    },
    async discard() {
      await file.close();
      await calls.rm(temporary, { force: true });
    },
  };
}

/** Where a chain of links ends, also where there is no file yet. */
async function pointedTo(target: string, calls: FileCalls): Promise<string> {
  try {
    return await calls.realpath(target);
  } catch {
    try {
      return resolve(dirname(target), await calls.readlink(target));
    } catch {
      return target; // no link
    }
  }
}

async function place(temporary: string, target: string, calls: FileCalls): Promise<void> {
  for (let left = tries; ; left -= 1) {
    try {
      await calls.rename(temporary, target);
      return;
    } catch (cause) {
      const code = systemCode(cause) ?? "";
      if (left > 1 && (code === "EPERM" || code === "EACCES")) {
        await sleep(20);
        continue;
      }
      // A mount point in a container, another disk behind a link: the file cannot be swapped, only filled anew.
      if (code !== "EXDEV" && code !== "EBUSY") throw cause;
      await calls.copyFile(temporary, target);
      const file = await calls.open(target, "r+");
      await file.sync();
      await file.close();
      await calls.rm(temporary, { force: true });
      return;
    }
  }
}

/** Makes the new name itself survive a power cut; some systems refuse, and need it not. */
async function syncDirectory(dir: string, calls: FileCalls): Promise<void> {
  try {
    const handle = await calls.open(dir, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows opens no directories
  }
}
