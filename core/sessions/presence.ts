/**
 * The truthiness rule of lifecycle 0: null, undefined and `""` are all "absent".
 *
 * @returns The text, or null where there is none. `"0"` and a string of spaces are present.
 */
export const present = (value: string | null | undefined): string | null =>
  value === undefined || value === "" ? null : value;

/** The first that is present (lifecycle 0), or null. */
export function firstPresent(...values: readonly (string | null | undefined)[]): string | null {
  for (const value of values) {
    const found = present(value);
    if (found !== null) return found;
  }
  return null;
}
