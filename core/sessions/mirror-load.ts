import type { Log } from "../log/log.ts";
import { moveAside } from "../state/aside.ts";
import type { Database } from "../state/database.ts";
import type { MetaStore } from "../state/meta-store.ts";
import { quarantine, readMirror } from "./mirror-read.ts";
import type { MirrorKept, Refusal } from "./mirror-read.ts";
import { rowOf } from "./routing-store.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { entryToStored } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";
import { sessionSourceToStored } from "./session-source.ts";

/** Name of the seal of the mirror that the database has written or read last. */
export const sealName = "mirror_sha256";

export interface LoadedMirror {
  kept: MirrorKept;
  /** Lanes that the table did not know. */
  added: number;
  refused: Refusal[];
  /** A file that was not whole, or no file at all, with where it is kept; null where all was well. */
  damaged: { reason: string; keptAs: string | null } | null;
  /** The seal of the file as it was read, where a Signalbox wrote it. */
  seal: string | null;
  /** False where the file has to be written even if no lane changes any more. */
  upToDate: boolean;
  /** What stands in the mirror's place could not be moved: it must not be written over. */
  blocked: boolean;
}

export interface MirrorLoadDeps {
  db: Database;
  directory: SessionDirectory;
  meta: MetaStore;
  /** `{sessions_dir}/sessions.json`. */
  file: string;
  nowMs: number;
  log: Log;
}

/**
 * The loading rules of lifecycle 3.6, steps 2 and 3: the table is the truth, the file adds only the lanes that the table
 * lacks, one record that cannot be read costs only itself, and a file that is not whole is kept aside before anything
 * is written. Never throws for what the file holds.
 */
export function loadMirror(deps: MirrorLoadDeps): LoadedMirror {
  const { file, nowMs, log } = deps;
  const reading = readMirror(file, deps.meta.get(sealName));
  if (reading.kind === "absent")
    return {
      kept: { quarantine: new Map(), reserved: new Map() },
      added: 0,
      refused: [],
      damaged: null,
      seal: null,
      upToDate: false,
      blocked: false,
    };
  if (reading.kind === "unreadable") {
    const keptAs = moveAside(file, "corrupt", nowMs);
    log.warn("mirror.unreadable", { reason: reading.reason, keptAs });
    return {
      kept: { quarantine: new Map(), reserved: new Map() },
      added: 0,
      refused: [],
      damaged: { reason: reading.reason, keptAs },
      seal: null,
      upToDate: false,
      blocked: keptAs === null,
    };
  }
  const { kept, refused, whole } = reading;
  const added = reading.unchanged ? 0 : addMissing(deps, reading.entries, kept, refused);
  for (const { name, reason } of refused)
    log.warn("mirror.entry_quarantined", { entry: name.slice(0, 200), reason });
  const keptAs = whole ? null : moveAside(file, "corrupt", nowMs);
  if (!whole) log.warn("mirror.damaged", { keptAs, entries: reading.entries.length });
  return {
    kept,
    added,
    refused,
    damaged: whole ? null : { reason: "it ends in the middle, or is not JSON", keptAs },
    seal: reading.seal,
    upToDate: reading.unchanged,
    blocked: !whole && keptAs === null,
  };
}

/** Adds the lanes that the table lacks, in one transaction; returns how many. */
function addMissing(
  { db, directory, nowMs }: MirrorLoadDeps,
  entries: readonly SessionEntry[],
  kept: MirrorKept,
  refused: Refusal[],
): number {
  const { routing, incarnations } = directory;
  return db.writeNow(() => {
    let added = 0;
    for (const entry of entries) {
      if (routing.get(entry.sessionKey)) continue;
      const incarnation = incarnations.get(entry.sessionId);
      const isElsewhere =
        (incarnation !== undefined &&
          incarnation.sessionKey !== null &&
          incarnation.sessionKey !== entry.sessionKey) ||
        routing.bySessionId(entry.sessionId) !== undefined;
      if (isElsewhere) {
        // Two lanes in one transcript would show one person's words to another.
        quarantine(kept.quarantine, entry.sessionKey, JSON.stringify(entryToStored(entry)));
        refused.push({ name: entry.sessionKey, reason: "its session belongs to another lane" });
        continue;
      }
      if (!incarnation) insertIncarnation(directory, entry);
      routing.put(
        rowOf(withoutMarker(entry, nowMs), {
          channelId: entry.platform ?? "local",
          messageCount: incarnation?.messageCount ?? 0,
        }),
      );
      routing.settleState(entry.sessionKey, nowMs);
      added += 1;
    }
    return added;
  });
}

/** The row that owns the lane's transcript: without it no message could be stored. */
function insertIncarnation({ incarnations }: SessionDirectory, entry: SessionEntry): void {
  const { origin } = entry;
  incarnations.insert({
    id: entry.sessionId,
    source: entry.platform ?? "local",
    sessionKey: entry.sessionKey,
    userId: origin?.userIdAlt ?? origin?.userId ?? null,
    chatId: origin?.chatId ?? null,
    chatType: entry.chatType,
    threadId: origin?.threadId ?? null,
    displayName: entry.displayName,
    originJson: origin === null ? null : JSON.stringify(sessionSourceToStored(origin)),
    parentSessionId: null,
    modelConfig: null,
    startedAt: entry.createdAtMs,
    title: null,
  });
}

/**
 * A turn marker in a file is the past of a process that has ended, and its turn is not in this table: what is left of it
 * is an interrupted turn, as old as the marker says (lifecycle 10.2).
 */
function withoutMarker(entry: SessionEntry, nowMs: number): SessionEntry {
  if (entry.activeTurnToken === null) return entry;
  const cleared = { ...entry, activeTurnToken: null, activeTurnStartedAtMs: null };
  if (entry.suspended) return cleared;
  return {
    ...cleared,
    resumePending: true,
    resumeReason: "restart_interrupted",
    lastResumeMarkedAtMs: entry.activeTurnStartedAtMs ?? nowMs,
  };
}
