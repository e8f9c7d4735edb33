import type { TFunction } from "i18next";
import { coarse } from "./format.ts";

/** A length of time in words: "4 min". */
export function longTime(ms: number, t: TFunction): string {
  const { value, unit } = coarse(ms);
  return t(`unit.${unit}`, { value });
}

/** Told from now: "4 min ago", "in 2 h", "now" below a second. */
export function fromNow(atMs: number, nowMs: number, t: TFunction): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < 1_000) return t("unit.now");
  const length = longTime(Math.abs(ms), t);
  return ms > 0 ? t("unit.ago", { length }) : t("unit.in", { length });
}
