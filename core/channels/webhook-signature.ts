import { createHmac, timingSafeEqual } from "node:crypto";

export const TIMESTAMP_HEADER = "x-signalbox-timestamp";
export const SIGNATURE_HEADER = "x-signalbox-signature";

/** Five minutes: clocks differ, and a recorded request is soon worth nothing. */
const TOLERANCE_MS = 300_000;

/**
 * The two headers that sign a body: `sha256=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>`.
 *
 * @param nowMs Epoch milliseconds; the header carries whole seconds.
 */
export function signatureHeaders(
  secret: string,
  body: Buffer,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: `sha256=${digest(secret, timestamp, body).toString("hex")}`,
  };
}

export type SignatureFault = "missing" | "malformed" | "stale" | "wrong";

/** @returns null for a signature that holds now, else what is wrong with it. Compares in constant time. */
export function signatureFault(
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  nowMs: number,
): SignatureFault | null {
  const timestamp = headers[TIMESTAMP_HEADER];
  const signature = headers[SIGNATURE_HEADER];
  if (timestamp === undefined || signature === undefined) return "missing";
  if (typeof timestamp !== "string" || !/^\d{1,12}$/.test(timestamp)) return "malformed";
  const hex =
    typeof signature === "string" ? /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1] : null;
  if (hex == null) return "malformed";
  // The signature before the age: who cannot sign learns nothing about our clock.
  if (!timingSafeEqual(Buffer.from(hex, "hex"), digest(secret, timestamp, body))) return "wrong";
  return Math.abs(nowMs - Number(timestamp) * 1000) > TOLERANCE_MS ? "stale" : null;
}

const digest = (secret: string, timestamp: string, body: Buffer): Buffer =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
