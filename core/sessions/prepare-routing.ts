import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../log/log.ts";
import { moveAside } from "../state/aside.ts";
import type { Database } from "../state/database.ts";
import type { OpenedStore } from "../state/degraded.ts";
import { lanesRemembered, mergeStandIn, rememberLanes } from "../state/degraded-merge.ts";
import { metaStore } from "../state/meta-store.ts";
import { ensurePrivateDir } from "../state/private-file.ts";
import { mergeTranscriptFiles } from "../transcripts/transcript-files.ts";
import { loadMirror } from "./mirror-load.ts";
import type { LoadedMirror } from "./mirror-load.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { pruneStaleRoutes } from "./stale-routes.ts";
import type { StaleRoutes } from "./stale-routes.ts";

export interface PreparedRouting {
  mirror: LoadedMirror;
  stale: StaleRoutes;
  /** What a degraded time left and is in the database now; null where there was none. */
  merged: { rows: number } | null;
}

export interface PrepareDeps {
  db: Database;
  directory: SessionDirectory;
  degraded: OpenedStore["degraded"];
  standInFile: string;
  sessionsDir: string;
  nowMs: number;
  log: Log;
}

/**
 * Brings the routing table to what it should be before anything else looks at it (lifecycle 3.6, 3.10): what a degraded
 * time left, then what only the mirror knows, then routes whose session has ended.
 */
export function prepareRouting(deps: PrepareDeps): PreparedRouting {
  const { db, directory, degraded, sessionsDir, nowMs, log } = deps;
  makeFolder(deps);
  const merged = degraded ? null : mergeBack(deps);
  const mirror = loadMirror({
    db,
    directory,
    meta: metaStore(db),
    file: join(sessionsDir, "sessions.json"),
    nowMs,
    log,
  });
  if (degraded) {
    if (!lanesRemembered(db)) {
      mergeTranscriptFiles(db, directory, sessionsDir, { rename: false, nowMs, log });
      rememberLanes(db);
    }
    degraded.armTranscripts();
  }
  const stale = pruneStaleRoutes(db, directory, nowMs);
  if (stale.repointed + stale.reopened + stale.dropped > 0)
    log.info("routes.stale_settled", { ...stale });
  return { mirror, stale, merged };
}

function mergeBack(deps: PrepareDeps): { rows: number } | null {
  const { db, directory, sessionsDir, nowMs, log } = deps;
  const standIn = mergeStandIn(db, deps.standInFile, { nowMs, log });
  const lines = mergeTranscriptFiles(db, directory, sessionsDir, { rename: true, nowMs, log });
  standIn?.finish();
  if (!standIn && lines.files === 0) return null;
  log.info("degraded.merged", { ...lines });
  return { rows: lines.rows };
}

/**
 * The folder of mirror and lines, without what a killed process left half written. Something else in its place is moved
 * aside; where that fails too, the gateway runs without a mirror.
 */
function makeFolder({ sessionsDir, nowMs, log }: PrepareDeps): void {
  try {
    if (statSync(sessionsDir, { throwIfNoEntry: false })?.isDirectory() === false)
      log.warn("sessions_dir.not_a_folder", { keptAs: moveAside(sessionsDir, "kept", nowMs) });
    ensurePrivateDir(sessionsDir);
    for (const name of readdirSync(sessionsDir))
      if (/^\.sessions_[0-9a-f]+\.tmp$/.test(name))
        rmSync(join(sessionsDir, name), { force: true });
  } catch (cause) {
    log.error("sessions_dir.unusable", {}, cause);
  }
}
