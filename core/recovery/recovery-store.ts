import type { SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import type { TurnStore } from "../turns/turn-store.ts";
import { ageMs, readMachine } from "./machine.ts";
import type { MachineRun } from "./machine.ts";

export interface BootRow {
  bootId: string;
  startedAtMs: number;
  readyAtMs: number | null;
  endedAtMs: number | null;
  exit: string | null;
  version: string;
  host: string;
  reportJson: string | null;
}

export type RecoveryStore = ReturnType<typeof recoveryStore>;

/** Restart counts and the record of boots (lifecycle 10.5, 10.6). Callers bring the transaction. */
export function recoveryStore({ sql }: Database, machine: () => MachineRun = readMachine) {
  const mark = sql.prepare<[string, string | null, number]>(`
    INSERT INTO resume_marks (session_key, machine_boot, uptime_ms) VALUES (?, ?, ?)
    ON CONFLICT(session_key) DO UPDATE SET machine_boot = excluded.machine_boot, uptime_ms = excluded.uptime_ms`);
  const marked = sql.prepare<[string], { machineBoot: string | null; uptimeMs: number }>(
    `SELECT machine_boot AS machineBoot, uptime_ms AS uptimeMs FROM resume_marks WHERE session_key = ?`,
  );
  const count = sql.prepare<[string], { restarts: number }>(
    `SELECT restarts FROM restart_counts WHERE session_key = ?`,
  );
  const counts = sql.prepare<[], { key: SessionKey; restarts: number }>(
    `SELECT session_key AS key, restarts FROM restart_counts ORDER BY session_key`,
  );
  const add = sql.prepare<[string, number]>(`
    INSERT INTO restart_counts (session_key, restarts, counted_at) VALUES (?, 1, ?)
    ON CONFLICT(session_key) DO UPDATE SET restarts = restarts + 1, counted_at = excluded.counted_at`);
  const clear = sql.prepare<[string]>(`DELETE FROM restart_counts WHERE session_key = ?`);
  const resuming = sql.prepare<[number], { at: number }>(
    `SELECT started_at AS at FROM boots WHERE resume_candidates > 0 ORDER BY started_at DESC LIMIT ?`,
  );
  const setReport = sql.prepare<[string, number, string]>(
    `UPDATE boots SET report_json = ?, resume_candidates = ? WHERE boot_id = ?`,
  );
  const columns = `boot_id AS bootId, started_at AS startedAtMs, ready_at AS readyAtMs, ended_at AS endedAtMs, exit, version, host, report_json AS reportJson`;
  const one = sql.prepare<[string], BootRow>(`SELECT ${columns} FROM boots WHERE boot_id = ?`);
  const list = sql.prepare<[number], BootRow>(
    `SELECT ${columns} FROM boots ORDER BY started_at DESC, rowid DESC LIMIT ?`,
  );
  const prune = sql.prepare<[number]>(
    `DELETE FROM boots WHERE boot_id NOT IN (SELECT boot_id FROM boots ORDER BY started_at DESC, rowid DESC LIMIT ?)`,
  );

  return {
    /** Remembers when, by the machine's own run, a lane was marked to resume. */
    markResume(key: SessionKey): void {
      const { bootId, uptimeMs } = machine();
      mark.run(key, bootId, uptimeMs);
    },
    /** How long ago that was, in ms; by the wall clock where the machine has started anew since. */
    resumeAgeMs(key: SessionKey, atMs: number, now: MachineRun & { nowMs: number }): number {
      const found = marked.get(key) ?? { machineBoot: null, uptimeMs: null };
      return ageMs({ ...found, atMs }, now);
    },
    restarts: (key: SessionKey): number => count.get(key)?.restarts ?? 0,
    allRestarts: (): { key: SessionKey; restarts: number }[] => counts.all(),
    /** One more interrupted restart of this lane. */
    countRestart(key: SessionKey, nowMs: number): void {
      add.run(key, nowMs);
    },
    /** The lane's loop is broken. */
    clearRestarts: (key: SessionKey): boolean => clear.run(key).changes > 0,
    /** Start times of the newest boots that had something to take up (this one's not yet among them). */
    resumingBoots: (limit: number): number[] => resuming.all(limit).map((row) => row.at),
    saveReport(bootId: string, report: unknown, resumeCandidates: number): void {
      setReport.run(JSON.stringify(report), resumeCandidates, bootId);
    },
    boot: (id: string): BootRow | undefined => one.get(id),
    /** Newest first. */
    boots: (limit: number): BootRow[] => list.all(limit),
    pruneBoots(keep: number): void {
      prune.run(keep);
    },
  };
}

/**
 * Turns that a drain could not wait for count as one more interrupted restart of their lanes (lifecycle 10.6); a resumed
 * one was counted at its dispatch. Part of the caller's transaction.
 */
export function countCut(
  { recovery, turns }: { recovery: RecoveryStore; turns: TurnStore },
  keys: readonly SessionKey[],
  nowMs: number,
): void {
  for (const { sessionKey, resumes } of turns.unended())
    if (resumes === null && keys.includes(sessionKey)) recovery.countRestart(sessionKey, nowMs);
}
