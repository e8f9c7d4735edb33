import { trimBlank } from "./blank-text.ts";

/**
 * Text of one mapping file of the bridge, or null where there is none.
 *
 * @param fileName `lid-mapping-<id>.json` or `lid-mapping-<id>_reverse.json`; never holds a path separator.
 */
export type MappingReader = (fileName: string) => string | null;

/** For lanes of other platforms, and for a bridge that has told nothing yet. */
export const noMappings: MappingReader = () => null;

// Ids become file names: nothing that could leave the folder is ever looked up.
const LOOKED_UP = /^[A-Za-z0-9@.+-]+$/;

/**
 * Bare form of a WhatsApp id (lifecycle 4.5): trimmed, without the first `+`, without device and domain.
 * "E.164" of the seed means these digits; nothing is validated.
 */
export function normalizeWhatsApp(id: string | null): string {
  const bare = trimBlank(id ?? "").replace("+", "");
  const beforeDevice = bare.split(":", 1)[0] ?? "";
  return beforeDevice.split("@", 1)[0] ?? "";
}

/** The id a mapping file names: a JSON string or number. Anything else tells nothing. */
function mappedId(text: string | null): string {
  if (text === null) return "";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return normalizeWhatsApp(value);
    // Digits are taken as written: a number this long may not survive as a double.
    return typeof value === "number" ? normalizeWhatsApp(text) : "";
  } catch {
    return ""; // half-written by the bridge; the next message reads it again
  }
}

/** Every id known to be the same person, itself included (lifecycle 4.5). Cycles end; unordered. */
export function whatsAppAliases(id: string | null, read: MappingReader): ReadonlySet<string> {
  const aliases = new Set<string>();
  const waiting = [normalizeWhatsApp(id)];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (aliases.has(next) || !LOOKED_UP.test(next)) continue;
    aliases.add(next);
    waiting.push(
      mappedId(read(`lid-mapping-${next}.json`)),
      mappedId(read(`lid-mapping-${next}_reverse.json`)),
    );
  }
  return aliases;
}

/**
 * The one spelling that lanes use for a person (lifecycle 4.5): the shortest alias, then the smallest by code
 * point. Usually the phone number, since linked ids are longer; the rule is "shortest", not "phone".
 *
 * @returns `""` for nothing; the bare form where the id may not be looked up.
 */
export function canonicalWhatsApp(id: string | null, read: MappingReader): string {
  const bare = normalizeWhatsApp(id);
  // Aliases start from the bare form, so a second `+` goes there and only there.
  let best: string | null = null;
  for (const alias of whatsAppAliases(bare, read)) {
    const isBetter =
      best === null || alias.length < best.length || (alias.length === best.length && alias < best); // all ASCII: unit order is code point order
    if (isBetter) best = alias;
  }
  return best ?? bare;
}

/**
 * Address to send to (lifecycle 4.5, outbound).
 *
 * @returns Bare phones as `…@s.whatsapp.net`, more than 15 digits as a group `…@g.us`, other text unchanged.
 */
export function toWhatsAppAddress(id: string | null): string {
  const text = trimBlank(id ?? "");
  if (text.includes("@")) return text.replace(/:\d+@/, "@");
  const digits = /^\+?(\d+)$/.exec(text)?.[1];
  if (digits === undefined) return text;
  return digits.length > 15 ? `${digits}@g.us` : `${digits}@s.whatsapp.net`;
}
