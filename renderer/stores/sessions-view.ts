import type { Pushes } from "../../core/contract/bridge.ts";
import type { CallOutput } from "../../core/contract/calls.ts";
import type { SessionRow } from "../../core/contract/domain.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import { matchesSessionFilter, type SessionTerm } from "../../core/contract/session-filter.ts";

export type SessionCounts = CallOutput<"sessions.list">["counts"];

/** Rows are fetched by pages of this many; a page keeps its places until the next pull. */
export const PAGE_ROWS = 100;

export interface SessionsQuery {
  filter: string;
  /** As `sessions.list` takes it: a column, with "-" for descending. */
  sort: string;
}

/** A sparse picture of the filtered list: what is known of it, in the order last pulled. */
export interface SessionsView {
  query: SessionsQuery;
  total: number | null;
  counts: SessionCounts | null;
  pages: ReadonlyMap<number, readonly SessionKey[]>;
  rows: ReadonlyMap<SessionKey, SessionRow>;
  /** Lanes that came, went or would stand elsewhere since the last pull. */
  moved: ReadonlySet<SessionKey>;
}

export const emptyView = (query: SessionsQuery): SessionsView => ({
  query,
  total: null,
  counts: null,
  pages: new Map(),
  rows: new Map(),
  moved: new Set(),
});

/** The key at a place of the list, where its page is here. */
export function keyAt(view: SessionsView, index: number): SessionKey | undefined {
  return view.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
}

/** The place of a key among the pages that are here, or -1. */
export function indexOfKey(view: SessionsView, key: SessionKey): number {
  for (const [page, keys] of view.pages) {
    const at = keys.indexOf(key);
    if (at >= 0) return page * PAGE_ROWS + at;
  }
  return -1;
}

const sortValues: Record<string, (row: SessionRow) => string | number> = {
  updated: (row) => row.updatedAtMs,
  created: (row) => row.createdAtMs,
  title: (row) => row.title,
  state: (row) => row.state,
  queue: (row) => row.queueDepth,
  tokens: (row) => row.totalTokens,
  key: (row) => row.key,
};

/** Whether a row that changed its sort value still stands rightly between its neighbours. */
function keepsPlace(view: SessionsView, row: SessionRow, index: number): boolean {
  const { sort } = view.query;
  const value = sortValues[sort.replace("-", "")];
  if (value === undefined) return true;
  const before = view.rows.get(row.key);
  if (before !== undefined && value(before) === value(row)) return true;
  const inOrder = (first: SessionKey | undefined, second: SessionKey | undefined) => {
    const [a, b] = [first, second].map((key) =>
      key === row.key ? row : key === undefined ? undefined : view.rows.get(key),
    );
    if (a === undefined || b === undefined) return true;
    return sort.startsWith("-") ? value(a) >= value(b) : value(a) <= value(b);
  };
  const previous = index === 0 ? undefined : keyAt(view, index - 1);
  return inOrder(previous, row.key) && inOrder(row.key, keyAt(view, index + 1));
}

/**
 * Folds one push into the view: values change in place at once, places never do. Lanes whose place would change are
 * counted in `moved` instead, for the view to show when nobody's pointer is on the list.
 *
 * @param nowMs The gateway's clock, for `idle:` terms.
 */
export function foldDelta(
  view: SessionsView,
  delta: Pushes["sessions.delta"],
  terms: readonly SessionTerm[],
  nowMs: number,
): SessionsView {
  const rows = new Map(view.rows);
  const moved = new Set(view.moved);
  for (const row of delta.upserts) {
    const index = indexOfKey(view, row.key);
    const matches = matchesSessionFilter(row, terms, nowMs);
    if (index < 0 ? matches : !matches || !keepsPlace(view, row, index)) moved.add(row.key);
    if (index >= 0 || rows.has(row.key)) rows.set(row.key, row);
  }
  for (const key of delta.removed) if (indexOfKey(view, key) >= 0) moved.add(key);
  return { ...view, rows, moved, counts: delta.counts };
}

/** One pulled page. */
export interface PulledPage {
  page: number;
  sessions: readonly SessionRow[];
}

/**
 * Puts pulled pages into the view.
 *
 * @param newer Rows pushed while the pull was under way: they win over what it brought.
 * @param replace True for a pull of the present order: other pages, in the old order, are dropped.
 */
export function withPages(
  view: SessionsView,
  pulled: readonly PulledPage[],
  answer: Pick<CallOutput<"sessions.list">, "total" | "counts">,
  newer: ReadonlyMap<SessionKey, SessionRow>,
  replace: boolean,
): SessionsView {
  const pages = new Map(replace ? [] : view.pages);
  const rows = new Map(replace ? [] : view.rows);
  for (const { page, sessions } of pulled) {
    pages.set(
      page,
      sessions.map((row) => row.key),
    );
    for (const row of sessions) rows.set(row.key, newer.get(row.key) ?? row);
  }
  const { total, counts } = answer;
  return { ...view, pages, rows, total, counts, moved: replace ? new Set() : view.moved };
}
