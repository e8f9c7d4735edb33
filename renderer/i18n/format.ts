/** How times are shown in the whole panel; `t` cycles through these in this order. */
export const timeForms = ["relative", "local", "utc"] as const;
export type TimeForm = (typeof timeForms)[number];

export type DurationUnit = "s" | "min" | "h" | "d";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The coarsest honest unit of a length of time: whole units, rounded down; below a second it is 0 s. */
export function coarse(ms: number): { value: number; unit: DurationUnit } {
  const length = Math.max(0, ms);
  if (length < MINUTE) return { value: Math.floor(length / SECOND), unit: "s" };
  if (length < HOUR) return { value: Math.floor(length / MINUTE), unit: "min" };
  if (length < 2 * DAY) return { value: Math.floor(length / HOUR), unit: "h" };
  return { value: Math.floor(length / DAY), unit: "d" };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(name, known);
  return known;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

/** Time of day with seconds, in the zone given (`undefined`: the machine's). */
export function clockTime(atMs: number, locale: string, timeZone?: "UTC"): string {
  return dateFormat(locale, timeZone === undefined ? CLOCK : { ...CLOCK, timeZone }).format(atMs);
}

/** Time of day where it was today, else the day and hours and minutes: what fits a table cell. */
export function shortTime(
  atMs: number,
  nowMs: number,
  locale: string,
  form: "local" | "utc",
): string {
  const zone = form === "utc" ? { timeZone: "UTC" } : {};
  const day = dateFormat(locale, { dateStyle: "short", ...zone });
  const suffix = form === "utc" ? "Z" : "";
  if (day.format(atMs) === day.format(nowMs))
    return clockTime(atMs, locale, form === "utc" ? "UTC" : undefined) + suffix;
  const whole = dateFormat(locale, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...zone,
  });
  return whole.format(atMs) + suffix;
}

/** Both absolute forms: local with its zone, and UTC. What tooltip and focus show. */
export function absoluteTime(atMs: number, locale: string): { local: string; utc: string } {
  const local = dateFormat(locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    ...CLOCK,
    timeZoneName: "short",
  });
  const iso = new Date(atMs).toISOString();
  return { local: local.format(atMs), utc: `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC` };
}

/** The name of a day for breaks in long lists, e.g. "Tuesday 4 August". */
export function dayName(atMs: number, locale: string): string {
  return dateFormat(locale, { weekday: "long", day: "numeric", month: "long" }).format(atMs);
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/** Making a format costs more than using it a hundred times, and tables use it in every cell. */
function numberFormat(locale: string, maximumFractionDigits: number): Intl.NumberFormat {
  const name = `${locale} ${maximumFractionDigits}`;
  const known = numberFormats.get(name) ?? new Intl.NumberFormat(locale, { maximumFractionDigits });
  numberFormats.set(name, known);
  return known;
}

/** Whole numbers, grouped as the locale does. */
export const groupedCount = (value: number, locale: string): string =>
  numberFormat(locale, 0).format(value);

/** Large counts in a table, e.g. 41 k: two significant digits are all that is read at a glance. */
export function shortCount(value: number, locale: string): string {
  if (value < 1_000) return groupedCount(value, locale);
  const [amount, unit] = value < 1_000_000 ? [value / 1_000, "k"] : [value / 1_000_000, "M"];
  const digits = amount < 10 ? 1 : 0;
  return `${numberFormat(locale, digits).format(amount)} ${unit}`;
}

/** Bytes in the unit that leaves one to three digits before the point; never more precise than true. */
export function byteSize(bytes: number, locale: string): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let amount = bytes;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && amount < 10 ? 1 : 0;
  return `${numberFormat(locale, digits).format(amount)} ${units[unit] ?? ""}`;
}

/** Head, ellipsis and the last six characters, as long as that is shorter than the whole. */
export function middleEllipsis(value: string, head = 12): { head: string; tail: string | null } {
  if (value.length <= head + 7) return { head: value, tail: null };
  return { head: value.slice(0, head), tail: value.slice(-6) };
}
