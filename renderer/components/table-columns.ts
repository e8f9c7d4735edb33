import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  header: string;
  /** A track of the row's grid: `12ch`, `minmax(16ch, 2fr)`. */
  width: string;
  align?: "start" | "end";
  /** Its name in the sort order; without one the column cannot be sorted by. */
  sort?: string;
  /** Left out where the table is narrower than this many characters of its own type. */
  from?: number;
  cell: (row: Row) => ReactNode;
}

/** The columns that a table of this width, in characters, has room for. */
export function fittingColumns<Row>(
  columns: readonly Column<Row>[],
  widthCh: number,
): readonly Column<Row>[] {
  return columns.filter(({ from = 0 }) => widthCh === 0 || widthCh >= from);
}

/** The other direction of a sort, or the first direction of another column. */
export function nextSort(current: string | undefined, name: string): string {
  return current === name ? `-${name}` : current === `-${name}` ? name : `-${name}`;
}
