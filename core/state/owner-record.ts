import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What a running gateway tells about itself on disk; the command line finds it by this. */
const ownerRecord = z.looseObject({
  pid: z.number().int().positive(),
  startedAtMs: z.number().int().nonnegative(),
  host: z.enum(["desktop", "headless", "embedded"]),
  /** Where `POST /rpc` is answered; absent until it is ready, and where no port is open. */
  url: z.string().optional(),
  bootId: z.string().optional(),
  version: z.string().optional(),
});
export type OwnerRecord = z.output<typeof ownerRecord>;

/** The lock record's path. */
export const ownerRecordFile = (dataDir: string): string => join(dataDir, "gateway.json");

/**
 * Reads the lock record without looking at the lock: what it says may be the past of a killed process.
 *
 * @returns null where there is none or it cannot be read as one.
 */
export function readOwnerRecord(dataDir: string): OwnerRecord | null {
  try {
    const read = ownerRecord.safeParse(
      JSON.parse(readFileSync(ownerRecordFile(dataDir), "utf8")) as unknown,
    );
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** "2026-11-30 21:42:21" in the machine's own time zone. */
export function localTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
