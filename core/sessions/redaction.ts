import { createHash } from "node:crypto";
import { describePlace } from "./description.ts";
import type { Platform, SessionSource } from "./session-source.ts";

// Discord is missing on purpose: a mention needs the raw id. Everything unknown is exempt too.
const SAFE: ReadonlySet<Platform> = new Set<Platform>([
  "whatsapp",
  "signal",
  "telegram",
  "bluebubbles",
]);

/**
 * Whether the prompt of this platform's sessions hides ids (lifecycle 9.4).
 *
 * @param redactPii `privacy.redact_pii`, read anew for each message. Default false.
 * @param declaredSafe Platforms whose channel declares that it can live without raw ids in the prompt.
 */
export const redacts = (
  redactPii: boolean,
  platform: Platform,
  declaredSafe: ReadonlySet<Platform> = new Set(),
): boolean => redactPii && (SAFE.has(platform) || declaredSafe.has(platform));

/** First 12 hex digits of SHA-256 over the UTF-8 bytes (lifecycle 9.4). No salt, so that it is stable across restarts. */
export const hashId = (value: string): string =>
  createHash("sha256").update(value, "utf8").digest("hex").slice(0, 12);

/** A person's id in a redacted prompt (lifecycle 9.4). */
export const hashSenderId = (value: string): string => `user_${hashId(value)}`;

/** A chat's id in a redacted prompt (lifecycle 9.4): what stands before the first colon stays readable. */
export function hashChatId(value: string): string {
  const colon = value.indexOf(":");
  if (colon <= 0) return hashId(value);
  return `${value.slice(0, colon + 1)}${hashId(value.slice(colon + 1))}`;
}

/** The description for a redacted prompt (lifecycle 9.4): names stay, bare ids are hashed, no thread suffix. */
export const redactedDescription = (source: SessionSource): string =>
  describePlace(source, { user: hashSenderId, chat: hashChatId });
