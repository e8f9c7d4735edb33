import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { copyAside } from "../state/aside.ts";
import type { Database } from "../state/database.ts";
import type { MetaStore } from "../state/meta-store.ts";
import { openReplacement } from "../state/replace-file.ts";
import type { Replacement } from "../state/replace-file.ts";
import { sealName } from "./mirror-load.ts";
import type { LoadedMirror } from "./mirror-load.ts";
import {
  entryText,
  memberText,
  mirrorHead,
  mirrorTail,
  quarantineText,
  sealOf,
} from "./mirror-text.ts";
import { entryOf } from "./routing-store.ts";
import type { RoutingStore } from "./routing-store.ts";

export interface MirrorDeps {
  db: Database;
  routing: RoutingStore;
  meta: MetaStore;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** `{sessions_dir}/sessions.json`. */
  file: string;
  loaded: LoadedMirror;
  /** `gateway.write_sessions_json`, read at each write. */
  enabled(): boolean;
}

/** Lanes read and serialised in one go, between two turns of the event loop: a few milliseconds. */
const slice = 100;
/** Writes are at least this far apart, in ms. */
const leastGapMs = 1_000;
/**
 * How many times the length of the last write a change has to wait, so that the mirror's cost is bounded whatever the
 * number of lanes: a moved lane, and counters alone. With a thousand lanes both are the one second.
 */
const restAfterMove = 10;
const restAfterCount = 50;
/** Nothing waits longer than this, in ms. */
const longestWaitMs = 120_000;
/** More changed lanes than this are not compared one by one. */
const comparedAtMost = 500;

export type Mirror = ReturnType<typeof createMirror>;

/**
 * Keeps `sessions.json` true to the table (lifecycle 3.6), from what the bus tells, never on a message's path: at most once a
 * second, the more lanes the rarer, a moved lane sooner than changed counters, everything at the end.
 */
export function createMirror(deps: MirrorDeps) {
  const { db, routing, clock, log, file, loaded } = deps;
  let dirty = new Set<SessionKey>();
  let everything = !loaded.upToDate;
  /** What the file says, so that a changed mapping is told from changed counters. */
  let written = new Map<SessionKey, string>();
  let lastSeal = loaded.seal;
  let lastStat: string | null = null;
  let lastWriteMs = -Infinity;
  let lastTookMs = 0;
  let cancel: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  let closed = false;

  const mayWrite = (): boolean => deps.enabled() && !loaded.blocked;

  /** Whether a lane has moved to another session, appeared or gone since the last write. */
  function mappingChanged(): boolean {
    if (everything || dirty.size > comparedAtMost) return true;
    for (const key of dirty) if (routing.get(key)?.sessionId !== written.get(key)) return true;
    return false;
  }

  function schedule(): void {
    if (closed || cancel !== null || writing !== null) return;
    const sinceMs = clock.monotonicMs() - lastWriteMs;
    cancel = clock.after(Math.max(0, leastGapMs - sinceMs), tick);
  }

  function tick(): void {
    cancel = null;
    if (!everything && dirty.size === 0) return;
    const factor = mappingChanged() ? restAfterMove : restAfterCount;
    const restMs = Math.min(lastTookMs * factor, longestWaitMs);
    const waitMs = restMs - (clock.monotonicMs() - lastWriteMs);
    if (waitMs > 0) {
      // Looked at again before it is over: a lane may move meanwhile.
      cancel = clock.after(Math.min(waitMs, Math.max(leastGapMs, restMs / 5)), tick);
      return;
    }
    writing = write().finally(() => {
      writing = null;
      if (dirty.size > 0) schedule();
    });
  }

  async function write(): Promise<void> {
    const changes = dirty;
    const wasEverything = everything;
    dirty = new Set();
    everything = false;
    const startedMs = clock.monotonicMs();
    try {
      if (mayWrite()) await replace();
    } catch (cause) {
      // The table holds it all; the next change tries again.
      log.warn("mirror.not_written", {}, cause);
      for (const key of changes) dirty.add(key);
      everything ||= wasEverything;
    }
    lastWriteMs = clock.monotonicMs();
    lastTookMs = lastWriteMs - startedMs;
  }

  async function replace(): Promise<void> {
    const mapping = new Map<SessionKey, string>();
    lastStat ??= lastSeal === null ? null : await statOf(); // as it was read at the start
    const replacement = await openReplacement(file);
    try {
      const seal = await writeMembers(replacement, mapping);
      if (seal === lastSeal && (await statOf()) === lastStat) {
        await replacement.discard(); // only things changed that the mirror does not show
      } else {
        await replacement.write(mirrorTail(seal));
        await keepForeign();
        await replacement.commit();
      }
      written = mapping;
      lastSeal = seal;
      lastStat = await statOf();
    } catch (cause) {
      await replacement.discard().catch(() => undefined);
      throw cause;
    }
    const seal = lastSeal;
    if (deps.meta.get(sealName) !== seal)
      await db.write(() => {
        deps.meta.set(sealName, seal);
      });
  }

  /** Everything but the end of the file, in slices; returns its digest. */
  async function writeMembers(
    replacement: Replacement,
    mapping: Map<SessionKey, string>,
  ): Promise<string> {
    const digest = createHash("sha256");
    const put = async (text: string): Promise<void> => {
      digest.update(text);
      await replacement.write(text);
    };
    await put(mirrorHead());
    let after: SessionKey | "" = "";
    for (;;) {
      const rows = routing.page(after, slice);
      if (rows.length > 0) await put(rows.map((row) => entryText(entryOf(row))).join(""));
      for (const row of rows) mapping.set(row.sessionKey, row.sessionId);
      const last = rows.at(-1);
      if (!last || rows.length < slice) break;
      after = last.sessionKey;
      await new Promise<void>((resume) => setImmediate(resume));
    }
    for (const [name, raw] of loaded.kept.reserved) await put(memberText(name, raw));
    const records = quarantineText(loaded.kept.quarantine);
    if (records !== "") await put(records);
    return digest.digest("hex");
  }

  /** Which file stands there now; null where there is none. */
  async function statOf(): Promise<string | null> {
    try {
      const { ino, size, mtimeMs } = await stat(file);
      return `${ino} ${size} ${mtimeMs}`;
    } catch {
      return null;
    }
  }

  /** A file that is not our own writing is copied aside before it is written over. */
  async function keepForeign(): Promise<void> {
    const now = await statOf();
    if (now === null || now === lastStat || sealOf(readFileSync(file)) !== null) return;
    const keptAs = copyAside(file, "kept", clock.nowMs());
    if (keptAs === null) throw new Error("The file in the mirror's place could not be kept.");
    log.warn("mirror.foreign_file_kept", { keptAs });
  }

  const changed = ({ key }: { key: SessionKey }): void => {
    dirty.add(key);
    schedule();
  };
  const off = [deps.bus.on("session.changed", changed), deps.bus.on("session.removed", changed)];
  if (everything) schedule();

  return {
    /** Many lanes changed at once (an import). */
    allChanged(): void {
      everything = true;
      schedule();
    },
    /** Writes what is left and stops listening. */
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      cancel?.();
      for (const undo of off) undo();
      await writing;
      if (everything || dirty.size > 0) await write();
    },
  };
}
