import { readFileSync } from "node:fs";
import { totalmem } from "node:os";

/** Reads a system file; null where it is not there or not readable. Injected in tests. */
export type ReadText = (path: string) => string | null;

export const systemFiles: ReadText = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

export interface MemoryBudget {
  /** Bytes above which the pressure pass works; null = the pass is off. */
  bytes: number | null;
  /** Where the number comes from, for a person. */
  from: string;
}

export interface MemoryReading {
  bytes: number;
  /** What was measured: `cgroup anon`, `process anonymous`, `process resident`. */
  what: string;
}

const unlimited = 2 ** 62;
const autoShare = 0.65; // lifecycle 16.2
const smallestBudget = 512 * 1024 * 1024; // below it the pass would fight the runtime itself
const mib = 1024 * 1024;

/** This process's cgroup v2 path, `/` where it is the root; null where there is none. */
function ownGroup(read: ReadText): string | null {
  const line = read("/proc/self/cgroup")
    ?.split("\n")
    .find((entry) => entry.startsWith("0::"));
  return line === undefined ? null : line.slice(3).trim();
}

function limitIn(text: string | null): number | null {
  const value = text?.trim();
  if (value === undefined || value === "" || value === "max") return null;
  const bytes = Number(value);
  return Number.isFinite(bytes) && bytes > 0 && bytes < unlimited ? bytes : null;
}

/** The memory limit this process runs under: the own group first, then the root's, then v1 (lifecycle 16.2). */
export function memoryLimit(read: ReadText): { bytes: number; file: string } | null {
  const group = ownGroup(read);
  const own =
    group === null || group === "/"
      ? []
      : [`/sys/fs/cgroup${group}/memory.high`, `/sys/fs/cgroup${group}/memory.max`];
  for (const file of [
    ...own,
    "/sys/fs/cgroup/memory.high",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
  ]) {
    const bytes = limitIn(read(file));
    if (bytes !== null) return { bytes, file };
  }
  return null;
}

/**
 * The budget of the agent cache (lifecycle 16.2).
 * @param setting `agent.agent_cache.memory_high_mb`: MB, `"auto"`, or null = off.
 */
export function memoryBudget(
  setting: number | "auto" | null,
  read: ReadText,
  totalBytes: number = totalmem(),
): MemoryBudget {
  if (setting === null || setting === 0) return { bytes: null, from: "switched off" };
  const limit = setting === "auto" ? memoryLimit(read) : null;
  const bytes =
    setting === "auto" ? Math.floor((limit?.bytes ?? totalBytes) * autoShare) : setting * mib;
  const from =
    setting === "auto" ? `65 % of ${limit ? limit.file : "this machine's memory"}` : "the settings";
  return bytes < smallestBudget
    ? { bytes: null, from: `${from}; too small to be watched` }
    : { bytes, from };
}

/**
 * What counts against the budget (lifecycle 16.3): the group's anonymous memory under a limit, so that children count;
 * else this process's own. Null where nothing can be read: the pass is skipped.
 */
export function readMemory(
  read: ReadText,
  rss: () => number = () => process.memoryUsage.rss(),
): MemoryReading | null {
  const group = ownGroup(read);
  if (group !== null && memoryLimit(read) !== null) {
    const stat = read(`/sys/fs/cgroup${group === "/" ? "" : group}/memory.stat`);
    const anon = /^anon (\d+)$/m.exec(stat ?? "")?.[1];
    if (anon !== undefined) return { bytes: Number(anon), what: "anonymous memory of the group" };
  }
  const own = /^RssAnon:\s+(\d+) kB$/m.exec(read("/proc/self/status") ?? "")?.[1];
  if (own !== undefined)
    return { bytes: Number(own) * 1024, what: "anonymous memory of the process" };
  const bytes = rss();
  return bytes > 0 ? { bytes, what: "resident memory of the process" } : null;
}
