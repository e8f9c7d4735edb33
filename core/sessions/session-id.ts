import { asSessionId } from "../contract/ids.ts";
import type { SessionId } from "../contract/ids.ts";

/** Gives `count` random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** Four random bytes as eight lowercase hex digits. */
const suffix = (random: RandomBytes): string =>
  Array.from(random(4), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Mints the id of a new incarnation: `YYYYMMDD_HHMMSS_<8 hex>` (lifecycle 2.4).
 *
 * The stamp is host-local because people read it in file names; nothing may parse it back.
 *
 * @param nowMs Epoch milliseconds, UTC.
 * @param isTaken Whether a row with that id exists already; then another is minted.
 */
export function mintSessionId(
  nowMs: number,
  random: RandomBytes,
  isTaken: (id: SessionId) => boolean = () => false,
): SessionId {
  const at = new Date(nowMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${String(at.getFullYear()).padStart(4, "0")}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  let id = asSessionId(`${day}_${time}_${suffix(random)}`);
  while (isTaken(id)) id = asSessionId(`${day}_${time}_${suffix(random)}`);
  return id;
}
