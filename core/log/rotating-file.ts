import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";

export interface RotationLimits {
  /** Bytes at which a new file is begun. */
  maxBytes: number;
  /** Earlier files kept, beside the one being written. */
  keep: number;
}

export interface LineFile {
  /** Appends one line, newline included. Never throws: a log must not take the gateway down. */
  write: (line: string) => void;
  /** Lines the disk refused so far. */
  dropped: () => number;
  close: () => void;
}

/**
 * A file of lines that begins anew at a size and at each local midnight: `x.log`, then `x.1.log` (newest) … `x.7.log`.
 *
 * Writes are synchronous appends: a line is with the kernel when `write` returns, so a killed process
 * loses none, and there is no worker to start.
 */
export function openRotatingFile(file: string, clock: Clock, limits: RotationLimits): LineFile {
  let fd: number | null = null;
  let sizeBytes = 0;
  let day = "";
  let dropped = 0;
  let closed = false;

  const earlier = (n: number): string => file.replace(/(\.[^.]*)?$/, `.${n}$1`);

  function open(): number {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const opened = openSync(file, "a", 0o600);
    const found = statSync(file);
    sizeBytes = found.size;
    day = localDay(sizeBytes > 0 ? found.mtimeMs : clock.nowMs());
    fd = opened;
    return opened;
  }

  function rotate(): void {
    if (fd !== null) closeSync(fd); // Windows renames no open file
    fd = null;
    rmSync(earlier(limits.keep), { force: true });
    for (let n = limits.keep - 1; n >= 1; n--) moveIfThere(earlier(n), earlier(n + 1));
    moveIfThere(file, earlier(1));
  }

  return {
    write(line) {
      if (closed) return;
      const bytes = Buffer.from(line, "utf8");
      try {
        let to = fd ?? open();
        const full = sizeBytes + bytes.length > limits.maxBytes;
        if (sizeBytes > 0 && (full || day !== localDay(clock.nowMs()))) {
          rotate();
          to = open();
        }
        // A part of a line on a full disk is closed off by the next one's newline, not repeated.
        sizeBytes += writeSync(to, bytes);
      } catch {
        dropped += 1;
      }
    },
    dropped: () => dropped,
    close() {
      closed = true;
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // Not there, or held open by a reader on Windows: the next rotation tries again.
  }
}

function localDay(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${at.getMonth() + 1}-${at.getDate()}`;
}
