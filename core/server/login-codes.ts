import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";

const LIFETIME_MS = 10 * 60_000;
/** More unused links than this are a loop, not a person: the oldest dies. */
const MAX_OPEN = 32;

/** One-time codes for login links: good once, for ten minutes of running time. */
export function loginCodes(clock: Clock): {
  issue(): string;
  /** @returns true the one time that a code is good. */
  redeem(code: string): boolean;
} {
  const open = new Map<string, number>();
  return {
    issue() {
      if (open.size >= MAX_OPEN) open.delete(open.keys().next().value ?? "");
      const code = randomBytes(24).toString("base64url");
      open.set(code, clock.monotonicMs() + LIFETIME_MS);
      return code;
    },
    redeem(code) {
      const untilMs = open.get(code);
      open.delete(code);
      return untilMs !== undefined && clock.monotonicMs() < untilMs;
    },
  };
}
