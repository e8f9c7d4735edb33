import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** An empty directory on the disk that temporary files live on; removed by `cleanUp`. */
export const diskDir = (): string => makeIn(tmpdir());

/** The same where a write costs no disk, if this system has such a place: what is left is our own work. */
export const memoryDir = (): string => makeIn(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

function makeIn(parent: string): string {
  const dir = mkdtempSync(join(parent, "signalbox-bench-"));
  made.push(dir);
  return dir;
}

export function cleanUp(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}
