import type { SessionRow } from "../../core/contract/domain.ts";

const KEPT = 6;
let rows: readonly SessionRow[] = [];

/** The sessions opened last from this page, newest first; forgotten with the page. */
export const recent = (): readonly SessionRow[] => rows;

export function remember(row: SessionRow): void {
  rows = [row, ...rows.filter((one) => one.key !== row.key)].slice(0, KEPT);
}
