import { z } from "zod";

/** Marks an issue that costs its one setting only: it is reported and the default is used (lifecycle 19). */
export const TOLERATED = { tolerated: true } as const;

const YES = new Set(["true", "1", "yes", "on", "y"]);
const NO = new Set(["false", "0", "no", "off", "n"]);

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

/** A yes or no in any of the words people write; empty is the default. */
export function flag(fallback: boolean) {
  return z
    .unknown()
    .transform((value, context): boolean => {
      if (isBlank(value)) return fallback;
      const word = scalarWord(value);
      if (YES.has(word)) return true;
      if (NO.has(word)) return false;
      context.addIssue({
        code: "custom",
        message: "is not a yes or no",
        params: { ...TOLERATED, fallback, remedy: "Write true or false." },
      });
      return z.NEVER;
    })
    .default(fallback);
}

export interface NumberBounds {
  min?: number;
  max?: number;
  whole?: boolean;
}

/** A number, also written as text; empty is the default. */
export const number = (fallback: number, bounds: NumberBounds = {}) =>
  z.unknown().transform(numberReader<number>(fallback, bounds)).default(fallback);

/** A number that may be left out, which is null. */
export const numberOrNull = (bounds: NumberBounds = {}) =>
  z.unknown().transform(numberReader<number | null>(null, bounds)).default(null);

function numberReader<Fallback extends number | null>(fallback: Fallback, bounds: NumberBounds) {
  return (value: unknown, context: z.core.$RefinementCtx): number | Fallback => {
    if (isBlank(value)) return fallback;
    const read = typeof value === "number" ? value : Number(scalarWord(value));
    const wrong = numberFault(read, bounds);
    if (wrong === null) return read;
    context.addIssue({
      code: "custom",
      message: wrong,
      params: { ...TOLERATED, fallback, remedy: `Write ${numberWanted(bounds)}.` },
    });
    return z.NEVER;
  };
}

/** `auto`, a number of megabytes, or `off` (which is 0). */
export function megabytesOrAuto() {
  return z
    .unknown()
    .transform((value, context): number | "auto" => {
      const word = scalarWord(value);
      if (word === "auto" || isBlank(value)) return "auto";
      if (NO.has(word)) return 0;
      const read = Number(word);
      if (Number.isFinite(read) && read >= 0) return read;
      context.addIssue({
        code: "custom",
        message: "is not auto, off or a number of megabytes",
        params: { ...TOLERATED, fallback: "auto", remedy: "Write auto, off, or megabytes." },
      });
      return z.NEVER;
    })
    .default("auto");
}

/** A section of settings; an empty one (`agents:` and nothing below) is one with every default. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((value) => value ?? {}, z.strictObject(shape)).prefault({});
}

/** A section whose keys a person chooses; ids stay without dots, so that `agents.<id>.model` is a path. */
export function named<Entry extends z.ZodType>(entry: Entry) {
  const id = z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "Ids are letters, digits, - and _, at most 64.");
  return z.preprocess((value) => value ?? {}, z.record(id, entry)).prefault({});
}

/** An address that can be called: http or https, no user or password in it. */
export const httpUrl = z
  .url({ protocol: /^https?$/, message: "is not an http or https address" })
  .max(2000)
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "must not carry a user name or password");

function scalarWord(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.trim().toLowerCase();
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return "\u0000"; // a list or a map is never a word
  }
}

function numberFault(read: number, { min, max, whole }: NumberBounds): string | null {
  if (!Number.isFinite(read)) return "is not a number";
  if (whole === true && !Number.isInteger(read)) return "is not a whole number";
  if (min !== undefined && read < min) return `is under ${min}`;
  if (max !== undefined && read > max) return `is over ${max}`;
  return null;
}

function numberWanted({ min, max, whole }: NumberBounds): string {
  const kind = whole === true ? "a whole number" : "a number";
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  return min === undefined ? kind : `${kind} of ${min} or more`;
}
