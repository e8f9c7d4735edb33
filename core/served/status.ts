import { statfsSync, statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../clock.ts";
import type { GatewayStatus, Problem } from "../contract/domain.ts";
import type { ObligationStore } from "../delivery/obligation-store.ts";
import type { GatewayOptions } from "../gateway.ts";
import type { SessionList } from "../sessions/session-list.ts";
import type { Database } from "../state/database.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { TurnStore } from "../turns/turn-store.ts";
import { version } from "../version.ts";

export interface StatusDeps {
  options: GatewayOptions;
  bootId: string;
  startedAtMs: number;
  clock: Clock;
  db: Database;
  list: SessionList;
  turns: TurnStore;
  obligations: ObligationStore;
  lanes: Lanes;
  problems(): Problem[];
  previousExit(): GatewayStatus["previousExit"];
  state(): GatewayStatus["state"];
}

export type StatusReader = ReturnType<typeof statusReader>;

/** Reads how the gateway is, from what really is: no field is remembered that could be looked up. */
export function statusReader(deps: StatusDeps) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    read(): GatewayStatus {
      const { options, clock, lanes } = deps;
      const nowMs = clock.nowMs();
      const counts = deps.list.counts();
      const today = deps.turns.countSince(startOfDay(nowMs));
      const memory = process.memoryUsage();
      const p99 = delay.percentile(99) / 1e6;
      delay.reset();
      return {
        version,
        bootId: deps.bootId,
        pid: process.pid,
        host: options.host,
        state: deps.state(),
        startedAtMs: deps.startedAtMs,
        nowMs,
        dataDir: options.dataDir,
        storeVersion: deps.db.version.to,
        storeBytes: sizeOf(deps.db.file),
        counts: {
          sessions: counts.all,
          running: lanes.countRunning(),
          queued: deps.list.queuedMessages(),
          suspended: counts.suspended,
          needsYou: counts.needsMe,
          unknownDeliveries: deps.obligations.countUnknown(),
        },
        turns: { today: today.turns, failedToday: today.failed },
        paused: lanes.paused,
        previousExit: deps.previousExit(),
        memory: { rssBytes: memory.rss, heapBytes: memory.heapUsed },
        freeBytes: freeIn(options.dataDir),
        runtimes: {
          node: process.versions.node,
          sqlite: deps.db.sqliteVersion,
          ...(process.versions["electron"] === undefined
            ? {}
            : {
                electron: process.versions["electron"],
                chrome: process.versions["chrome"] ?? "",
              }),
        },
        loopDelayP99Ms: Number.isFinite(p99) && p99 > 0 ? Math.round(p99 * 10) / 10 : null,
        problems: deps.problems(),
        capabilities: {
          osNotifications: false,
          tray: false,
          autostart: false,
          openPath: false,
          ...options.capabilities,
        },
      };
    },
    close(): void {
      delay.disable();
    },
  };
}

/** Midnight before `nowMs` where this machine is. */
function startOfDay(nowMs: number): number {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Bytes of the database with its log; 0 where there is no file. */
function sizeOf(file: string): number {
  let bytes = 0;
  for (const part of [file, `${file}-wal`])
    bytes += statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

/** Free bytes for us on the disk that holds `dir`; null where the system does not say. */
function freeIn(dir: string): number | null {
  try {
    const disk = statfsSync(dir);
    return disk.bavail * disk.bsize;
  } catch {
    return null;
  }
}
