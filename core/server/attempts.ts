import type { Clock } from "../clock.ts";

/** Wrong credentials that one address may try at once, and how soon it may try one more. */
const BURST = 10;
const REFILL_MS = 6000;
/** Far more addresses than a loopback port ever sees. */
const MAX_ADDRESSES = 1000;

/**
 * Counts failed logins per client address. Only failures are ever counted or refused: a good credential from the
 * same address always works, so nobody can lock the operator out.
 */
export function failedAttempts(clock: Clock): {
  /** Counts one failure. @returns milliseconds to wait where the address has used up its tries, else 0. */
  fail(address: string): number;
} {
  const seen = new Map<string, { left: number; atMs: number }>();
  return {
    fail(address) {
      const nowMs = clock.monotonicMs();
      const last = seen.get(address) ?? { left: BURST, atMs: nowMs };
      const left = Math.min(BURST, last.left + (nowMs - last.atMs) / REFILL_MS);
      seen.delete(address);
      if (seen.size >= MAX_ADDRESSES) seen.delete(seen.keys().next().value ?? "");
      seen.set(address, { left: Math.max(0, left - 1), atMs: nowMs });
      return left < 1 ? Math.ceil((1 - left) * REFILL_MS) : 0;
    },
  };
}
