/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the rows of a virtual grid are placed one by one; table tags cannot be */
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import css from "./data-table.module.css";
import { MenuAt, type MenuItems } from "./menu.tsx";
import { fittingColumns, type Column } from "./table-columns.ts";
import { TableHeader } from "./table-header.tsx";
import { TableRow, type MenuPlace } from "./table-row.tsx";
import { useHold } from "./use-hold.ts";
import { useLatest } from "./use-latest.ts";
import { useRowFocus } from "./use-row-focus.ts";
import { useTableWidth } from "./use-table-width.ts";
import { useToken } from "./use-token.ts";

export interface DataTableProps<Row> {
  label: string;
  /** Keep the array the same between renderings: rows are drawn anew when it is another. */
  columns: readonly Column<Row>[];
  rowCount: number;
  /** Undefined where the row is not here yet: its place shows a placeholder. */
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => string;
  /** The place of a key, or -1, so that the focus can follow it. */
  indexOf?: (key: string) => number;
  /** What a row is called, for its checkbox and menu. */
  rowLabel: (row: Row) => string;
  /** As `-updated`: the column's sort name, with "-" for descending. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** The rows on screen, with a few more on both sides. Keep the function the same between renderings. */
  onRange?: (first: number, last: number) => void;
  /** The row with the focus. */
  focusedKey: string | null;
  /** `byHand`: by a key or a click, not because the browser's focus came by. */
  onFocus: (key: string | null, byHand: boolean) => void;
  /** With these two, rows have checkboxes and `x`. */
  selection?: ReadonlySet<string>;
  onSelection?: (keys: ReadonlySet<string>) => void;
  /** Enter, or a double click. */
  onOpen?: (row: Row) => void;
  /** Space, or a click. */
  onPeek?: (row: Row) => void;
  menuFor?: (row: Row) => MenuItems;
  /** True while somebody's pointer, focus or scroll position is on the rows. */
  onHold?: (held: boolean) => void;
  /** What it shows is old: drawn at the second text colour. */
  stale?: boolean;
  /** In place of rows, when there are none. */
  empty?: ReactNode;
}

const OVERSCAN = 6;

/** A grid of any length: few rows in the document, all of them reachable by keys (ux.md 5, 9). */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rowCount, rowAt, keyOf, selection, focusedKey, menuFor, onRange } = props;
  const { t } = useTranslation();
  const grid = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useToken("--row");
  const widthCh = useTableWidth(grid);
  const columns = useMemo(() => fittingColumns(props.columns, widthCh), [props.columns, widthCh]);
  const [menu, setMenu] = useState<{ row: Row; at: MenuPlace } | null>(null);
  const focusIndex = useRef(0);

  // oxlint-disable-next-line react/incompatible-library -- it redraws by itself; nothing here is memoised on it
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    useFlushSync: false,
    // The focused row stays in the document wherever it is scrolled to, or the focus would fall out of the table.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      const at = focusIndex.current;
      return shown.includes(at) || at >= rowCount
        ? shown
        : [...shown, at].toSorted((a, b) => a - b);
    },
  });
  useLayoutEffect(() => {
    virtual.measure();
  }, [virtual, rowHeight]);

  const first = virtual.range?.startIndex ?? 0;
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    onRange?.(Math.max(0, first - OVERSCAN), last + OVERSCAN);
  }, [onRange, first, last]);

  const { index, keyAt, focusRow, toggle, forgetAnchor } = useRowFocus({
    grid,
    rowCount,
    pageRows: () =>
      Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / Math.max(1, rowHeight)) - 1),
    rowAt,
    keyOf,
    indexOf: props.indexOf,
    focusedKey,
    onFocus: props.onFocus,
    selection,
    onSelection: props.onSelection,
    onOpen: props.onOpen,
    onPeek: props.onPeek,
    reveal: (at) => {
      focusIndex.current = at;
      const rows = scroller.current;
      if (rows === null) return;
      const top = at * rowHeight;
      if (top < rows.scrollTop) rows.scrollTop = top;
      else if (top + rowHeight > rows.scrollTop + rows.clientHeight)
        rows.scrollTop = top + rowHeight - rows.clientHeight;
    },
  });
  focusIndex.current = index;

  const { tellHold, tellUse, tellLeft } = useHold(props.onHold);

  const actions = useLatest({
    click(at: number, event: MouseEvent) {
      if (event.shiftKey || event.metaKey || event.ctrlKey) {
        toggle(at, event.shiftKey);
        focusRow(at);
        return;
      }
      forgetAnchor();
      focusRow(at);
      const row = rowAt(at);
      const work = event.detail > 1 ? props.onOpen : (props.onPeek ?? props.onOpen);
      if (row !== undefined) work?.(row);
    },
    toggle(at: number, event: MouseEvent) {
      toggle(at, event.shiftKey);
      focusRow(at, false);
    },
    focus(at: number) {
      if (at !== index || focusedKey !== keyAt(at)) focusRow(at, false, false);
    },
    menu(at: number, place: MenuPlace) {
      const row = rowAt(at);
      if (row === undefined || menuFor === undefined) return;
      focusRow(at);
      tellHold({ menu: true });
      setMenu({ row, at: place });
    },
  });

  const selectable = selection !== undefined;
  const template = [
    ...(selectable ? ["var(--target)"] : []),
    ...columns.map((column) => column.width),
    ...(menuFor === undefined ? [] : ["var(--target)"]),
  ].join(" ");

  return (
    <>
      <div
        ref={grid}
        className={css["table"]}
        role="grid"
        aria-label={label}
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length}
        aria-multiselectable={selectable || undefined}
        data-keys="list"
        data-selecting={(selectable && selection.size > 0) || undefined}
        data-stale={props.stale === true || undefined}
        data-empty={rowCount === 0 || undefined}
      >
        <TableHeader
          columns={columns}
          template={template}
          selectable={selectable}
          menu={menuFor !== undefined}
          sort={props.sort}
          onSort={props.onSort}
        />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only watches where the pointer is */}
        <div
          ref={scroller}
          className={css["scroller"]}
          role="rowgroup"
          tabIndex={-1}
          onPointerEnter={() => {
            tellHold({ hovered: true });
          }}
          onPointerLeave={() => {
            tellHold({ hovered: false });
          }}
          onScroll={(event) => {
            tellHold({ scrolled: event.currentTarget.scrollTop > 0 });
          }}
          onKeyDown={tellUse}
          onPointerDown={tellUse}
          onBlur={(event) => {
            tellLeft(event.currentTarget);
          }}
        >
          <div
            className={css["rows"]}
            role="presentation"
            style={{ blockSize: `${virtual.getTotalSize()}px` }}
          >
            {virtual.getVirtualItems().map((item) => (
              <TableRow
                key={item.key}
                index={item.index}
                offset={item.start}
                row={rowAt(item.index)}
                columns={columns}
                template={template}
                nameOf={props.rowLabel}
                tabbable={item.index === index}
                current={focusedKey !== null && keyAt(item.index) === focusedKey}
                selected={selectable ? selection.has(keyAt(item.index) ?? "") : null}
                hasMenu={menuFor !== undefined}
                actions={actions}
              />
            ))}
          </div>
        </div>
      </div>
      {rowCount === 0 && <div className={css["empty"]}>{props.empty}</div>}
      {menuFor !== undefined && (
        <MenuAt
          label={menu === null ? "" : t("table.rowActions", { name: props.rowLabel(menu.row) })}
          items={menu === null ? [] : menuFor(menu.row)}
          anchor={menu?.at ?? null}
          onClose={() => {
            tellHold({ menu: false });
            setMenu(null);
          }}
        />
      )}
    </>
  );
}
