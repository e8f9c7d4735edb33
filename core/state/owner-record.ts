import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a running gateway tells about itself on disk; the command line finds it by this. */
export interface OwnerRecord {
  pid: number;
  /** Epoch milliseconds. */
  startedAtMs: number;
  host: "desktop" | "headless" | "embedded";
  /** Where `POST /rpc` is answered; absent until it is ready, and where no port is open. */
  url?: string;
  bootId?: string;
  version?: string;
}

/** The lock record's path. */
export const ownerRecordFile = (dataDir: string): string => join(dataDir, "gateway.json");

/**
 * Reads the lock record without looking at the lock: what it says may be the past of a killed process.
 *
 * @returns null where there is none or it cannot be read as one.
 */
export function readOwnerRecord(dataDir: string): OwnerRecord | null {
  try {
    const read: unknown = JSON.parse(readFileSync(ownerRecordFile(dataDir), "utf8"));
    return isRecord(read) ? read : null;
  } catch {
    return null;
  }
}

/** By hand: every command reads this, and loading a schema library would be half of its time. */
function isRecord(read: unknown): read is OwnerRecord {
  if (typeof read !== "object" || read === null) return false;
  const { pid, startedAtMs, host, url } = read as Record<string, unknown>;
  return (
    Number.isInteger(pid) &&
    Number.isInteger(startedAtMs) &&
    (host === "desktop" || host === "headless" || host === "embedded") &&
    (url === undefined || typeof url === "string")
  );
}

/** "2026-11-30 21:42:21" in the machine's own time zone. */
export function localTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
