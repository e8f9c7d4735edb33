import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { SignalboxError } from "../contract/errors.ts";

/**
 * Makes a directory that only its owner can enter (0700), parents included.
 *
 * @throws {SignalboxError} E_READ_ONLY, E_STORE_FULL.
 */
export function ensurePrivateDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // A directory made earlier by a looser umask is tightened; on Windows the profile's own ACL protects it.
    if (process.platform !== "win32" && (statSync(dir).mode & 0o077) !== 0) chmodSync(dir, 0o700);
  } catch (cause) {
    throw diskError(cause, dir);
  }
}

/**
 * Replaces a file whole, mode 0600: a reader, or a crash, sees the old text or the new, never a part.
 *
 * @throws {SignalboxError} E_READ_ONLY, E_STORE_FULL; the old file is then as it was.
 */
export function writePrivateFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeAll(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw diskError(cause, file);
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  // A nearly full disk takes a part and says so only on the next write.
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

/** A refused write in words, by what the system said: full, read-only, not allowed. */
export function diskError(cause: unknown, path: string): SignalboxError {
  const code = systemCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT" || code === "SQLITE_FULL")
    return new SignalboxError(
      "E_STORE_FULL",
      `The disk is full: ${path} could not be written.`,
      { path },
      { cause },
    );
  const why = code === "EROFS" ? "it is on a read-only disk" : (code ?? "the system refused it");
  return new SignalboxError(
    "E_READ_ONLY",
    `${path} cannot be written (${why}). Check its permissions, or choose another directory with --data.`,
    { path },
    { cause },
  );
}

/** The `code` of a system or SQLite error, or null. */
export function systemCode(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}
