import type { SearchHit } from "../contract/calls-data.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { SearchIndex } from "./search-index.ts";
import type { HitRow, SearchRows } from "./search-rows.ts";
import { findTerms, snippetOf } from "./search-text.ts";
import type { Term } from "./search-text.ts";

export interface FindRequest {
  terms: readonly Term[];
  key: SessionKey | null;
  limit: number;
  /** Messages with smaller ids. */
  before: number;
}

export interface Found {
  hits: SearchHit[];
  /** Go on before this id; null where nothing is left. */
  next: number | null;
  complete: boolean;
}

/** Rows looked at between two turns of the event loop. */
const page = 50;
/** What one search may take in all, in ms, before it answers with what it has. */
const budgetMs = 1_500;
/** More sessions in one lane than the index is asked for by name. */
const sessionsAtMost = 400;

/**
 * Looks through the messages, newest first: rows that the index does not hold yet one by one, the others as the index names
 * them; all of them one by one where there is no index or it cannot tell.
 */
export async function findMessages(
  rows: SearchRows,
  index: SearchIndex | null,
  request: FindRequest,
): Promise<Found> {
  const { terms, key, limit } = request;
  const startedMs = performance.now();
  const hits: SearchHit[] = [];
  const sessions = key === null ? null : rows.sessionsOf(key);
  const asked = sessions !== null && sessions.length <= sessionsAtMost ? sessions : null;
  let before = request.before;

  /** Takes rows until the page is full; returns whether it is. `certain` rows were named by the index. */
  function take(found: readonly HitRow[], certain: boolean): boolean {
    for (const row of found) {
      before = row.id;
      if (key !== null && row.key !== key) continue;
      // The index folds a few letters otherwise than we do; what it found is shown, if need be without places.
      const spans = findTerms(row.text, terms) ?? (certain ? [] : null);
      if (spans) hits.push(hitOf(row, spans));
      if (hits.length === limit) return true;
    }
    return false;
  }
  const isLate = (): boolean => performance.now() - startedMs > budgetMs;
  const pause = (): Promise<void> => new Promise((resume) => setImmediate(resume));

  /** One by one, down to `floor`; null when that was reached. */
  async function scan(
    floor: number,
    inSessions: readonly SessionId[] | null,
  ): Promise<Found | null> {
    for (;;) {
      const found = rows.scan(inSessions, before, floor, page);
      if (take(found, false)) return { hits, next: before, complete: true };
      if (found.length < page) {
        before = Math.min(before, floor + 1);
        return null;
      }
      if (isLate()) return { hits, next: before, complete: false };
      await pause();
    }
  }

  const mark = index?.mark() ?? 0;
  const tail = await scan(mark, sessions);
  if (tail) return tail;
  while (index) {
    const ids = index.candidates({ terms, sessions: asked, before, limit: page });
    if (ids === null) break;
    const full = take(rows.hits(ids), true);
    if (full) return { hits, next: before, complete: true };
    const last = ids.at(-1);
    if (last === undefined || ids.length < page) return { hits, next: null, complete: true };
    before = last; // candidates that are hidden count as seen
    if (isLate()) return { hits, next: before, complete: false };
    await pause();
  }
  return (await scan(0, sessions)) ?? { hits, next: null, complete: true };
}

function hitOf(row: HitRow, spans: NonNullable<ReturnType<typeof findTerms>>): SearchHit {
  return {
    key: row.key,
    sessionId: row.sessionId,
    messageId: row.id,
    atMs: row.atMs,
    role: row.role as SearchHit["role"],
    from: row.from,
    title: row.title ?? "",
    ...snippetOf(row.text, spans),
  };
}
