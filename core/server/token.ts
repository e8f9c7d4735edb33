import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDir, writePrivateFile } from "../state/private-file.ts";

/** 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @returns the data directory's bearer token, or null where there is none yet. */
export function readToken(dataDir: string): string | null {
  try {
    const token = readFileSync(join(dataDir, "token"), "utf8").trim();
    return TOKEN.test(token) ? token : null;
  } catch {
    return null;
  }
}

/**
 * The data directory's bearer token (`<data>/token`, 0600), made where there is none or it is damaged.
 *
 * @throws {SignalboxError} E_READ_ONLY, E_STORE_FULL.
 */
export function loadToken(dataDir: string): string {
  const known = readToken(dataDir);
  if (known !== null) return known;
  ensurePrivateDir(dataDir);
  const token = randomBytes(32).toString("base64url");
  writePrivateFile(join(dataDir, "token"), `${token}\n`);
  return token;
}

/** Compares in constant time, whatever the lengths. */
export function sameSecret(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/**
 * The cookie that a browser gets for a login link. Derived from the token, so that it outlives a restart,
 * and of no use as a bearer token. Its name differs by data directory: cookies do not tell ports apart.
 */
export function browserCookie(token: string): { name: string; value: string } {
  const derive = (purpose: string): Buffer => createHmac("sha256", token).update(purpose).digest();
  return {
    name: `signalbox-${derive("cookie name").toString("hex").slice(0, 8)}`,
    value: derive("browser cookie").toString("base64url"),
  };
}

/** The value of one cookie of a `Cookie` header, or null. */
export function cookieOf(header: string | undefined, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}
