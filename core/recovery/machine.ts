import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** This machine's own run, told apart from others where the system names it. */
export interface MachineRun {
  /** Identity of the kernel's boot; null where the system does not tell. */
  bootId: string | null;
  /** Milliseconds since that boot, sleep included; no clock setting moves it. */
  uptimeMs: number;
}

let bootId: string | null | undefined; // the same as long as we live

/** Reads the machine's run. Never throws. */
export function readMachine(): MachineRun {
  if (bootId === undefined) bootId = readBootId();
  return { bootId, uptimeMs: Math.round(uptime() * 1000) };
}

function readBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null; // only Linux has it; elsewhere ages fall back to the wall clock
  }
}

/**
 * How long ago something happened, in ms, never negative. Within one run of the machine it is measured against the
 * boot, so that setting the clock or changing the zone between two starts changes no verdict (lifecycle 20.4).
 */
export function ageMs(
  then: { machineBoot: string | null; uptimeMs: number | null; atMs: number },
  now: MachineRun & { nowMs: number },
): number {
  const sameRun =
    then.machineBoot !== null &&
    then.machineBoot === now.bootId &&
    then.uptimeMs !== null &&
    then.uptimeMs <= now.uptimeMs;
  return Math.max(0, sameRun ? now.uptimeMs - (then.uptimeMs ?? 0) : now.nowMs - then.atMs);
}
