import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The newest change anywhere below some paths. Folders count too, since removing a file changes only its folder.
 *
 * @param paths Files or folders; ones that do not exist are passed over.
 * @returns Milliseconds since the epoch; 0 where nothing exists.
 */
export function newestChangeMs(paths: readonly string[]): number {
  let newest = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    newest = Math.max(newest, stat.mtimeMs);
    if (!stat.isDirectory()) continue;
    const below = readdirSync(path).filter((name) => name !== "node_modules");
    newest = Math.max(newest, newestChangeMs(below.map((name) => join(path, name))));
  }
  return newest;
}

/** Whether `sources` changed after the build that `stamp` records, or no such build is known. */
export function isStale(stamp: string, sources: readonly string[]): boolean {
  const stat = statSync(stamp, { throwIfNoEntry: false });
  return !stat || newestChangeMs(sources) > stat.mtimeMs;
}

/**
 * Records a build.
 *
 * @param startedAtMs When the build began: what was saved while it ran is then newer than the stamp.
 */
export function writeStamp(stamp: string, startedAtMs: number): void {
  writeFileSync(stamp, "");
  utimesSync(stamp, startedAtMs / 1000, startedAtMs / 1000);
}

/** Forgets a build, so that one that fails half-way is not taken for done. */
export function removeStamp(stamp: string): void {
  if (existsSync(stamp)) rmSync(stamp);
}
