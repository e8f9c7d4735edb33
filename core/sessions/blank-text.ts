// One idea of "blank" for keys, markers and names. It differs from `String.trim()` at its edges: the four
// separator controls (FS, GS, RS, US) and NEL are blank, the byte order mark is not. Stored data and the
// golden vectors were made with this set, so `trim()` would split lanes that were one.
const WHITE_SPACE = /\p{White_Space}/u;

/** Whether one UTF-16 unit is blank; every blank character fits in one. */
function isBlank(unit: string): boolean {
  const code = unit.charCodeAt(0);
  return (code >= 0x1c && code <= 0x1f) || WHITE_SPACE.test(unit);
}

/** Cuts blanks from both ends: what "trim" means in lifecycle 1.3, 4.5, 9.2 and 12.6. */
export function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charAt(start))) start++;
  while (end > start && isBlank(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Trims, and makes every run of blanks inside one space (lifecycle 5, 12.6). */
export function collapseBlank(text: string): string {
  let out = "";
  let gap = false;
  for (const unit of trimBlank(text).split("")) {
    const blank = isBlank(unit);
    if (!blank) out += gap ? ` ${unit}` : unit;
    gap = blank;
  }
  return out;
}

/**
 * Bounds what other people wrote before it reaches a prompt (lifecycle 5, 9.2).
 *
 * @param limit In code points, the dots included.
 */
export function cutWithDots(text: string, limit: number): string {
  if (text.length <= limit) return text; // code points are never more than units
  const points = Array.from(text);
  return points.length <= limit ? text : `${points.slice(0, limit - 3).join("")}...`;
}
