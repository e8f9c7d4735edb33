import type { Database } from "../state/database.ts";
import type { SearchIndex } from "./search-index.ts";
import { isUnspaced, parseQuery } from "./search-text.ts";
import type { SearchedRow, SearchRows } from "./search-rows.ts";

/** What one step may take of the gateway's thread, in ms. */
const stepMs = 8;
const smallestStep = 8;
const largestStep = 400;

/** One step further: rows that are not in the index yet, or changed since. Returns how many are left, roughly. */
export type FeedStep = () => Promise<number>;

/**
 * Feeds an index from the rows, oldest first, in steps of a few milliseconds (field need 19: rows first, index later).
 * Only what is written in the store has to be told: the settled changes.
 */
export function feedSteps(
  { db, rows }: { db: Database; rows: SearchRows },
  index: SearchIndex,
): FeedStep {
  let step = smallestStep * 4;

  async function again(ids: readonly number[]): Promise<void> {
    const there = rows.some(ids);
    index.drop(ids);
    index.put(there.filter(isSearched), index.mark());
    await db.write(() => {
      rows.settle(ids);
    });
  }

  return async () => {
    const startedMs = performance.now();
    const changed = rows.changed(step);
    if (changed.length > 0) await again(changed);
    const mark = index.mark();
    const next = rows.after(mark, step);
    const last = next.at(-1);
    if (last) index.put(next.filter(isSearched), last.id);
    const tookMs = performance.now() - startedMs;
    if (tookMs > stepMs) step = Math.max(smallestStep, Math.floor(step / 2));
    else if (tookMs < stepMs / 2) step = Math.min(largestStep, step * 2);
    if (changed.length === 0 && !last) return 0;
    return Math.max(1, rows.newest() - (last?.id ?? mark));
  };
}

const isSearched = (row: SearchedRow): boolean => row.role !== "boundary" && row.text !== "";

/**
 * Whether the index finds what it should: words of its newest rows are looked up. A search that finds nothing gives no
 * error (field case 22, a), so it has to be asked for something that is known.
 */
export function findsKnownWords(rows: SearchRows, index: SearchIndex): boolean {
  const mark = index.mark();
  if (rows.changed(1).length > 0) return true; // a row may say something else by now
  for (const from of [mark - 40, Math.floor(mark / 2), 0]) {
    const row = rows.after(from, 20).find((each) => each.id <= mark && isSearched(each));
    const word = row && knownWord(row.text);
    if (!row || word === undefined) continue;
    const found = index.candidates({
      terms: parseQuery(`"${word}"`),
      sessions: null,
      before: row.id + 1,
      limit: 1,
    });
    if (found !== null && found[0] !== row.id) return false;
  }
  return true;
}

/** A whole word of the text that the table of words must know. */
const knownWord = (text: string): string | undefined =>
  text
    .slice(0, 4_000)
    .match(/[\p{L}\p{N}\p{M}\p{Co}]+(?=\s)/gu)
    ?.find((word) => word.length > 2 && word.length < 40 && !isUnspaced(word));
