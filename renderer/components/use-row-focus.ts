import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { useCommands } from "../keys/use-commands.ts";
import { stepTo, withRange, type Step } from "./table-focus.ts";

export interface RowFocusOptions<Row> {
  grid: RefObject<HTMLDivElement | null>;
  rowCount: number;
  pageRows: () => number;
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => string;
  indexOf: ((key: string) => number) | undefined;
  focusedKey: string | null;
  onFocus: (key: string | null, byHand: boolean) => void;
  selection: ReadonlySet<string> | undefined;
  onSelection: ((keys: ReadonlySet<string>) => void) | undefined;
  onOpen: ((row: Row) => void) | undefined;
  onPeek: ((row: Row) => void) | undefined;
  reveal: (index: number) => void;
}

/** The roving focus and the selection of a table, driven by keys and clicks. Both follow keys, not places. */
export function useRowFocus<Row>(options: RowFocusOptions<Row>) {
  const { grid, rowCount, rowAt, keyOf, focusedKey, selection, onSelection } = options;
  const [chosen, setChosen] = useState(0);
  const anchor = useRef<number | null>(null);
  const takeFocus = useRef(false);
  const keyAt = (at: number) => {
    const row = rowAt(at);
    return row === undefined ? undefined : keyOf(row);
  };

  // The focus follows its key when rows change places; without a key it stays at its place, inside the rows.
  const strayed = focusedKey !== null && keyAt(chosen) !== focusedKey;
  const place = strayed ? (options.indexOf?.(focusedKey) ?? -1) : chosen;
  const index = Math.min(place >= 0 ? place : chosen, Math.max(0, rowCount - 1));

  /**
   * Puts the focus on a row; `reach` also scrolls to it and takes the browser's focus there. `byHand` is false where
   * the browser's focus only came by.
   */
  const focusRow = (at: number, reach = true, byHand = true) => {
    setChosen(at);
    options.onFocus(keyAt(at) ?? null, byHand);
    if (!reach) return;
    takeFocus.current = true;
    options.reveal(at);
  };
  useLayoutEffect(() => {
    if (!takeFocus.current) return;
    const row = grid.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (row === undefined || row === null) return;
    takeFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const step = (to: Step) => () => {
    anchor.current = null;
    const at = stepTo(to, index, rowCount, options.pageRows());
    if (at >= 0) focusRow(at);
    return true;
  };
  const extend = (to: Step) => () => {
    const at = stepTo(to, index, rowCount, options.pageRows());
    if (at < 0 || selection === undefined) return false;
    anchor.current ??= index;
    onSelection?.(withRange(selection, anchor.current, at, keyAt));
    focusRow(at);
    return true;
  };
  const toggle = (at: number, range: boolean) => {
    const key = keyAt(at);
    if (key === undefined || selection === undefined) return false;
    if (range) onSelection?.(withRange(selection, anchor.current ?? index, at, keyAt));
    else {
      const next = new Set(selection);
      if (!next.delete(key)) next.add(key);
      anchor.current = at;
      onSelection?.(next);
    }
    return true;
  };
  const onRow = (work: ((row: Row) => void) | undefined) => () => {
    const row = rowAt(index);
    if (row === undefined || work === undefined) return false;
    work(row);
    return true;
  };

  useCommands(
    {
      "row.next": step("next"),
      "row.previous": step("previous"),
      "row.first": step("first"),
      "row.last": step("last"),
      "row.pageDown": step("pageDown"),
      "row.pageUp": step("pageUp"),
      "row.extendDown": extend("next"),
      "row.extendUp": extend("previous"),
      "row.select": () => toggle(index, false),
      "row.open": onRow(options.onOpen),
      "row.peek": onRow(options.onPeek),
    },
    grid,
  );

  return {
    index,
    keyAt,
    focusRow,
    toggle,
    /** A plain click ends a range. */
    forgetAnchor() {
      anchor.current = null;
    },
  };
}
