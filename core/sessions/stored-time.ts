const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?$/i;

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Hours, minutes and seconds east of UTC of `+HH`, `+HHMM`, `+HH:MM[:SS]` or `Z`, in milliseconds. */
function offsetMs(offset: string): number {
  const digits = offset.replace(/[^\d]/g, "");
  const [hours, minutes, seconds] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2)));
  const ms = ((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1000;
  return offset.startsWith("-") ? -ms : ms;
}

/**
 * Reads a stored ISO-8601 timestamp (lifecycle 2.3).
 *
 * A value with an offset is exact. One without is host-local time, as older builds wrote it; the host may have
 * moved since, which is why nothing is written like that any more.
 *
 * @returns Epoch milliseconds, UTC (finer digits are cut), or null where it is no timestamp.
 */
export function timeFromStored(value: unknown): number | null {
  const parts = typeof value === "string" ? ISO.exec(value) : null;
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((at) =>
    Number(parts[at] ?? 0),
  ) as [number, number, number, number, number, number];
  const ms = Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3));
  const isReal =
    hour < 24 && minute < 60 && second < 60 && month >= 1 && month <= 12 && day >= 1 && year >= 1;
  // Day 0 of the next month is the last of this one; it also keeps the 31st of April from rolling over.
  if (!isReal || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return null;
  const offset = parts[8];
  const at = new Date(0);
  if (offset === undefined) {
    at.setFullYear(year, month - 1, day);
    at.setHours(hour, minute, second, ms);
    return bounded(at.getTime());
  }
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second, ms);
  return bounded(at.getTime() - offsetMs(offset));
}

/** Keeps a time inside what the store and `timeToStored` can hold: very old stays very old, it is not refused. */
const bounded = (ms: number): number => Math.min(Math.max(ms, 0), LAST_MS);

/** The stored form of a time (lifecycle 2.3): UTC with an explicit `Z`. */
export const timeToStored = (ms: number): string => new Date(ms).toISOString();
