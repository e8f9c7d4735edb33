import { mkdtemp, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentOf, isWoken } from "../journal/agent-key.ts";
import { openJournal } from "../journal/journal.ts";
import type { NewEvent } from "../journal/kinds.ts";
import { retention, retentionMs, retentionPauseMs } from "../journal/retention.ts";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import type { Catalog, Outcome, Probe } from "../upstream/catalog.ts";
import { scanClaudeFile } from "../upstream/claude-scan.ts";
import { linkStore } from "../upstream/link-store.ts";
import { upstreamMonitor } from "../upstream/monitor.ts";

/** 2027-01-15T08:00:00Z. */
const startMs = 1_800_000_000_000;
/** Larger than any table of a scenario: a pass in one slice. */
const all = 1_000_000;

/** A fresh gateway core for one scenario: journal, watches, notices, upstream monitor, on a clock that steps move. */
export function awarenessWorld() {
  const db = openDatabase(":memory:", silentLog);
  const journal = openJournal(db);
  const links = linkStore(db);
  const prune = retention(db);
  const sessions = new Set<string>();
  let nowMs = startMs;
  let lastPassMs: number | null = null;
  let wakes = new Set<string>();
  let scan = {
    outcomes: {} as Record<string, readonly Outcome[] | "throw">,
    running: new Set<string>(),
    own: [] as readonly string[],
    sessionIds: {} as Record<string, string>,
    during: (): void => undefined,
  };

  journal.listen({
    committed({ notices }) {
      for (const { watcher, opened } of notices) if (opened && isWoken(watcher)) wakes.add(watcher);
    },
    failed(what, cause) {
      throw new Error(`The journal failed at ${what}.`, { cause });
    },
  });

  const monitor = upstreamMonitor({
    links,
    journal,
    log: silentLog,
    nowMs: () => nowMs,
    catalog: (id): Catalog => ({
      id,
      async check() {
        const outcomes = scan.outcomes[id] ?? [];
        scan.during();
        if (outcomes === "throw") throw new Error("the provider failed");
        return outcomes;
      },
    }),
    sessionIdOf: (key) => scan.sessionIds[key] ?? `sid-${key}`,
    isRunning: (id) => scan.running.has(id),
    ownTexts: () => scan.own,
  });

  function pass(): void {
    prune.dropAged(nowMs, all);
    const bound = prune.bound();
    if (bound !== null) prune.dropThrough(bound, all);
    journal.expireSlice(nowMs - retentionMs, all, nowMs);
    lastPassMs = nowMs;
  }

  return {
    db,
    journal,
    links,
    monitor,
    sessions,
    get nowMs(): number {
      return nowMs;
    },
    advance(ms: number): void {
      nowMs += ms;
    },
    /** Appends one event; the first of an hour is followed by a retention pass. */
    record(event: NewEvent | null): { sequence: number } | null {
      const recorded = event && journal.record(event, nowMs);
      if (event && (lastPassMs === null || nowMs - lastPassMs > retentionPauseMs)) pass();
      return recorded && { sequence: recorded.sequence };
    },
    prune: pass,
    restart(): void {
      journal.recoverTaken(nowMs);
      let at: { watcher: string; target: string } | null = { watcher: "", target: "" };
      while (at) at = journal.replaySlice(at, all, (watcher) => sessions.has(watcher), nowMs).next;
      pass();
    },
    drain(session: string): string[] {
      const shown = journal.take(session, null);
      journal.acknowledge(session, shown, nowMs);
      return shown.map((line) => line.text);
    },
    takeWakes(): string[] {
      const woken = [...wakes];
      wakes = new Set();
      return woken;
    },
    bulk(session: string, agentId: string, count: number, ageMs: number): number {
      const insert = db.sql.prepare(
        `INSERT INTO session_state_events (session_key, agent_id, kind, actor_type, occurred_at, summary) VALUES (?, ?, 'compacted', 'system', ?, 'session compacted')`,
      );
      return db.writeNow(() => {
        let last = 0;
        for (let left = count; left > 0; left -= 1)
          last = Number(insert.run(session, agentId, nowMs - ageMs).lastInsertRowid);
        journal.events.raiseHead(session, agentId, last, nowMs);
        return last;
      });
    },
    async tick(given: Partial<typeof scan>): Promise<{ probes: number; missingStreaks: number[] }> {
      scan = {
        outcomes: {},
        running: new Set(),
        own: [],
        sessionIds: {},
        during: () => undefined,
        ...given,
      };
      const { probes } = await monitor.tick();
      return { probes, missingStreaks: monitor.missingStreaks() };
    },
    /** What happens while the catalogs look. */
    scanning: {
      startRun: (id: string): void => void scan.running.add(id),
      setOwn(texts: readonly string[]): void {
        scan.own = texts;
      },
    },
    /** Looks at a file made for this one step; `absent` and `directory` are no files. */
    async claudeScan(
      content: string,
      marker: unknown,
      ownTexts: readonly string[],
    ): Promise<Outcome | null> {
      const dir = await mkdtemp(join(tmpdir(), "signalbox-claude-"));
      const filePath = join(dir, "thread.jsonl");
      try {
        if (content === "directory") await mkdir(filePath);
        else if (content !== "absent") {
          await writeFile(filePath, content);
          await utimes(filePath, nowMs / 1000, nowMs / 1000);
        }
        const probe: Probe = {
          sessionKey: "agent:main:adopted:scan",
          agentId: "main",
          threadId: "thread",
          hostId: "gateway:local",
          upstreamKind: "claude-cli",
          upstreamRef: { filePath },
          marker,
          ownRecentUserTexts: ownTexts,
        };
        return await scanClaudeFile(probe);
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    },
    close: () => db.close(),
    agentOf,
  };
}

export type AwarenessWorld = ReturnType<typeof awarenessWorld>;
