import { resolve } from "node:path";
import type { ImportReport, ImportStatus } from "../contract/calls-data.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { Bus } from "../live/bus.ts";
import type { NewNotice } from "../live/notice-store.ts";
import type { Log } from "../log/log.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import { gatherFindings } from "./import-source.ts";
import { openSource } from "./open-source.ts";
import { taker } from "./take.ts";
import { rulesWithMappings, takeMappings } from "./whatsapp-mappings.ts";

export interface ImporterDeps {
  db: Database;
  directory: SessionDirectory;
  bus: Bus;
  clock: Clock;
  log: Log;
  dataDir: string;
  /** False while the gateway runs without its database: what is imported then would not come back. */
  isHealthy: boolean;
  keyRules(): KeyRules;
  raise(notice: NewNotice): void;
}

/** Progress is told at most this often, in ms. */
const tellMs = 250;

const idle: ImportStatus = {
  state: "none",
  dir: null,
  dryRun: false,
  phase: "",
  done: 0,
  total: 0,
  startedAtMs: null,
  endedAtMs: null,
  report: null,
  error: null,
};

export type Importer = ReturnType<typeof createImporter>;

/** Takes over other installations (issue "Session lifecycle"), one at a time. */
export function createImporter(deps: ImporterDeps) {
  const { bus, clock, log } = deps;
  let status: ImportStatus = idle;
  let cancelled = false;
  let toldMs = -Infinity;
  let running: Promise<void> | null = null;

  function tell(change: Partial<ImportStatus>, now = false): void {
    status = { ...status, ...change };
    if (!now && clock.monotonicMs() - toldMs < tellMs) return;
    toldMs = clock.monotonicMs();
    bus.emit("import.progress", status);
  }

  async function run(dir: string, dryRun: boolean): Promise<ImportReport> {
    const findings = gatherFindings();
    const rules = rulesWithMappings(deps.keyRules(), dir);
    const source = await openSource({ dir, dataDir: deps.dataDir, rules, findings });
    try {
      if (!dryRun) takeMappings(dir, deps.dataDir);
      tell({ phase: dryRun ? "looking through it" : "taking it over", total: source.total }, true);
      const take = taker({
        ...deps,
        kind: source.kind,
        findings,
        dryRun,
        isCancelled: () => cancelled,
      });
      for await (const session of source.sessions()) {
        await take.take(session);
        tell({ done: status.done + 1 });
        if (!dryRun && session.key !== null) {
          bus.emit("session.changed", { key: session.key, urgent: false });
          bus.emit("messages.appended", { key: session.key, ids: [] }); // the search index looks for itself
        }
        if (cancelled) break;
      }
      await take.finish();
      return { dir, kind: source.kind, ...take.report(), ...findings.read() };
    } finally {
      await source.close();
    }
  }

  /** One line for the operator; none where nothing was new. */
  function notify(report: ImportReport): void {
    const { taken, partial, partialTotal, skipped, skippedTotal } = report;
    if (taken.sessions === 0 && taken.messages === 0) return;
    const some = (list: ImportReport["partial"]): string =>
      list
        .slice(0, 5)
        .map(({ what, reason }) => `${what}: ${reason}.`)
        .join(" ");
    const whole = `${taken.lanes} lanes, ${taken.sessions} sessions and ${taken.messages} messages were taken over.`;
    const inPart = partialTotal === 0 ? "" : ` In part: ${some(partial)}`;
    const not = skippedTotal === 0 ? "" : ` Left out: ${some(skipped)}`;
    const more = partialTotal + skippedTotal > 10 ? " The report tells the rest." : "";
    deps.raise({
      kind: partialTotal + skippedTotal === 0 ? "info" : "needs_you",
      title: `Imported from ${report.dir}`,
      body: whole + inPart + not + more,
      link: null,
      group: null,
    });
  }

  async function work(dir: string, dryRun: boolean): Promise<void> {
    try {
      const report = await run(dir, dryRun);
      if (!dryRun) notify(report);
      tell({ state: cancelled ? "cancelled" : "done", report, endedAtMs: clock.nowMs() }, true);
    } catch (cause) {
      const { code, message } = toWire(cause);
      log.error("import.failed", { code }, cause);
      tell({ state: "failed", error: { code, message }, endedAtMs: clock.nowMs() }, true);
      throw cause;
    }
  }

  return {
    status: (): ImportStatus => status,
    /**
     * Looks a folder through, or takes it over; resolves at the end.
     * @throws {SignalboxError} E_BUSY while another import runs; E_CONFLICT without a healthy database; E_NOT_FOUND, E_INPUT for the folder.
     */
    async start(dir: string, dryRun: boolean): Promise<ImportStatus> {
      if (running)
        throw new SignalboxError("E_BUSY", "An import is running already.", { dir: status.dir });
      if (!deps.isHealthy)
        throw new SignalboxError(
          "E_CONFLICT",
          "The gateway runs without its database: repair it first, then import.",
        );
      cancelled = false;
      const whole = resolve(dir);
      status = { ...idle, state: "running", dir: whole, dryRun, startedAtMs: clock.nowMs() };
      tell({ phase: "opening it" }, true);
      const mine = work(whole, dryRun);
      running = mine.catch(() => undefined);
      try {
        await mine;
      } finally {
        running = null;
      }
      return status;
    },
    /** Ends a running import at the next session or batch; what was taken stays. */
    cancel(): ImportStatus {
      if (running) cancelled = true;
      return status;
    },
    /** Cancels and waits. */
    async close(): Promise<void> {
      cancelled = true;
      await running;
    },
  };
}
