import { humanTurns } from "./human-turns.ts";
import type { TurnRow } from "./human-turns.ts";

/** Rows below which there is nothing worth compressing (lifecycle 18). */
export const minMessages = 4;

export type CompactionPlan<Row> =
  | { readonly kind: "too_short"; readonly messages: number }
  /** The exchanges to keep are all there is. */
  | { readonly kind: "nothing_older"; readonly exchanges: number }
  | {
      readonly kind: "compact";
      /** Rows that the summary stands in for, in order. */
      readonly archive: readonly Row[];
      /** The first row that stays; null where everything is summarised. */
      readonly keepFrom: number | null;
      readonly kept: number;
    };

/**
 * What of a live transcript a compression takes away (lifecycle 14, 18). Cuts only before a person's turn, so that a tool
 * call never loses its result.
 *
 * @param keepExchanges The last turns of people that stay as they are, with all that followed; 0 = none.
 */
export function planCompaction<Row extends TurnRow>(
  rows: readonly Row[],
  keepExchanges: number,
): CompactionPlan<Row> {
  const spoken = rows.filter((row) => row.role !== "boundary");
  if (spoken.length < minMessages) return { kind: "too_short", messages: spoken.length };
  const turns = humanTurns(rows);
  const keepFrom =
    keepExchanges <= 0 ? null : (turns[Math.max(0, turns.length - keepExchanges)]?.firstId ?? null);
  const cut = keepFrom === null ? rows.length : rows.findIndex((row) => row.id === keepFrom);
  const archive = rows.slice(0, cut);
  // A summary alone cannot be summarised further: there is nothing older than what stays.
  if (!archive.some((row) => row.role !== "boundary" && row.role !== "system"))
    return { kind: "nothing_older", exchanges: turns.length };
  return {
    kind: "compact",
    archive,
    keepFrom,
    kept: rows.slice(cut).filter((row) => row.role !== "boundary").length,
  };
}

/** The text that stands in for `count` messages, as the model reads it. */
export const summaryText = (count: number, summary: string): string =>
  `Summary of the conversation so far (${count} messages):\n\n${summary}`;
