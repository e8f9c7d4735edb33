/** What of a stored row decides whose turn it belongs to. */
export interface TurnRow {
  readonly id: number;
  readonly role: string;
  readonly text: string;
  readonly turnId: string | null;
  /** `internal` for our own machinery's rows. */
  readonly displayKind: string | null;
}

/** One turn that a person began: what `/undo` counts (lifecycle 3.8). */
export interface HumanTurn {
  /** Its first row that a person wrote. */
  readonly firstId: number;
  /** All that people wrote in it, parts joined by a blank line. */
  readonly text: string;
}

/**
 * The turns of people in a live transcript, oldest first (lifecycle 3.8): rows of a person that nothing answered in
 * between are one turn, as the model is shown them; what machinery wrote, bars and summaries begin none. Text that was
 * put into a running turn belongs to that turn.
 */
export function humanTurns(rows: readonly TurnRow[]): HumanTurn[] {
  const turns: { firstId: number; texts: string[] }[] = [];
  let open: { firstId: number; texts: string[] } | null = null;
  let openTurnIds = new Set<string>();
  let lastWasUser = false;
  for (const row of rows) {
    if (row.role === "boundary" || row.role === "system") continue;
    if (row.role !== "user") {
      lastWasUser = false;
      continue;
    }
    const joins = lastWasUser || (row.turnId !== null && openTurnIds.has(row.turnId));
    if (!joins) {
      open = null;
      openTurnIds = new Set();
    }
    if (row.turnId !== null) openTurnIds.add(row.turnId);
    lastWasUser = true;
    if (row.displayKind === "internal") continue;
    if (open === null) turns.push((open = { firstId: row.id, texts: [] }));
    open.texts.push(row.text);
  }
  return turns.map(({ firstId, texts }) => ({ firstId, text: texts.join("\n\n") }));
}

/** What a rewind of `count` turns begins at; null where no person said anything (lifecycle 3.8). */
export function rewindTarget(
  rows: readonly TurnRow[],
  count: number,
): { firstId: number; turns: number; text: string } | null {
  const turns = humanTurns(rows);
  const back = Math.min(Math.max(1, Math.trunc(count)), turns.length);
  const target = turns[turns.length - back];
  return target ? { firstId: target.firstId, turns: back, text: target.text } : null;
}

/** The message that `/retry` runs again: all that a person wrote in the last turn of theirs; null where there is none. */
export function lastHumanMessage<Row extends TurnRow>(
  rows: readonly Row[],
): { first: Row; text: string } | null {
  const isHuman = (row: Row): boolean => row.role === "user" && row.displayKind !== "internal";
  const last = rows.findLast(isHuman);
  if (!last) return null;
  const own = rows.filter(
    (row) => isHuman(row) && (row === last || (last.turnId !== null && row.turnId === last.turnId)),
  );
  return { first: own[0] ?? last, text: own.map((row) => row.text).join("\n\n") };
}
