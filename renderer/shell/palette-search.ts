/** What can be found in the palette: a name, and words that mean the same. */
export interface Findable {
  name: string;
  words?: string;
}

/**
 * How well a name matches what was typed: 0 not at all, higher is better. Whole beginnings beat beginnings of words,
 * which beat letters in order. `^` anchors the start of the name.
 */
export function score(text: string, { name, words = "" }: Findable): number {
  const anchored = text.startsWith("^");
  const wanted = text
    .slice(anchored ? 1 : 0)
    .trim()
    .toLowerCase();
  if (wanted === "") return 1;
  const lower = name.toLowerCase();
  if (lower.startsWith(wanted)) return 100 - Math.min(20, lower.length - wanted.length);
  if (anchored) return 0;
  if (wordStarts(lower, wanted)) return 70;
  if (lower.includes(wanted)) return 50;
  if (wordStarts(words.toLowerCase(), wanted)) return 40;
  return inOrder(lower, wanted) ? 10 : 0;
}

/** Every typed word begins a word of the name. */
const wordStarts = (name: string, wanted: string): boolean => {
  const parts = name.split(/[\s:/#.,_-]+/);
  return wanted.split(/\s+/).every((one) => parts.some((part) => part.startsWith(one)));
};

/** The typed letters appear in this order, not too far apart for a person to see why. */
function inOrder(name: string, wanted: string): boolean {
  if (wanted.length < 3) return false;
  let at = -1;
  let gaps = 0;
  for (const letter of wanted) {
    const next = name.indexOf(letter, at + 1);
    if (next < 0) return false;
    if (at >= 0) gaps += next - at - 1;
    at = next;
  }
  return gaps <= wanted.length * 2;
}

/** The best matches first; equals keep their order. */
export function ranked<T extends Findable>(text: string, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, points: score(text, item) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points)
    .map(({ item }) => item);
}
