import { cutWithDots, trimBlank } from "./blank-text.ts";

const VALUE_LIMIT = 240; // code points, the dots included

/** Controls below the space, but for line feed and tab; DEL and what follows it stay. */
const isHardControl = (character: string): boolean =>
  character < " " && character !== "\n" && character !== "\t";

/**
 * A label that other people wrote, made safe to show to a model (lifecycle 9.2, "quoted").
 *
 * @returns A JSON string, non-ASCII kept, of at most 240 code points before quoting.
 */
export function quotedValue(value: string): string {
  const text = trimBlank(value)
    .replace(/\r\n?/g, "\n")
    .replace(/./gsu, (character) => (isHardControl(character) ? " " : character));
  return JSON.stringify(cutWithDots(text, VALUE_LIMIT));
}
