import { copyFileSync, constants, existsSync, renameSync } from "node:fs";

/** `20261130T214221Z`: sorts by time, and is a file name everywhere. */
export const utcStamp = (atMs: number): string =>
  new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, "");

/** A free name beside `path`: `<path>.<word>-<UTC stamp>`, with a number where that is taken. */
export function asideName(path: string, word: string, nowMs: number): string {
  const name = `${path}.${word}-${utcStamp(nowMs)}`;
  let free = name;
  for (let n = 2; existsSync(free); n += 1) free = `${name}-${n}`;
  return free;
}

/**
 * Moves something that cannot be used out of the way, so that nothing is written over it.
 *
 * @returns where it is now, or null where the system refused: then it must not be written to.
 */
export function moveAside(path: string, word: string, nowMs: number): string | null {
  const to = asideName(path, word, nowMs);
  try {
    renameSync(path, to);
    return to;
  } catch {
    return null;
  }
}

/** The same with a copy. */
export function copyAside(path: string, word: string, nowMs: number): string | null {
  const to = asideName(path, word, nowMs);
  try {
    copyFileSync(path, to, constants.COPYFILE_EXCL);
    return to;
  } catch {
    return null;
  }
}
