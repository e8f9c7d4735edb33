/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the rows of a virtual grid are placed one by one; table tags cannot be */
import Ellipsis from "lucide-react/icons/ellipsis";
import { memo, type MouseEvent } from "react";
import { useWords } from "../i18n/use-words.ts";
import css from "./data-table.module.css";
import { Skeleton } from "./skeleton.tsx";
import type { Column } from "./table-columns.ts";

/** Where a row's menu opens: at its button, or at the pointer. */
export type MenuPlace = Element | { getBoundingClientRect: () => DOMRect };

export interface RowActions {
  click: (index: number, event: MouseEvent) => void;
  toggle: (index: number, event: MouseEvent) => void;
  focus: (index: number) => void;
  menu: (index: number, place: MenuPlace) => void;
}

export interface TableRowProps<Row> {
  index: number;
  /** Pixels from the top of the rows. */
  offset: number;
  row: Row | undefined;
  columns: readonly Column<Row>[];
  template: string;
  nameOf: (row: Row) => string;
  tabbable: boolean;
  current: boolean;
  /** Null where rows cannot be selected. */
  selected: boolean | null;
  hasMenu: boolean;
  actions: RowActions;
}

function Row<Data>(props: TableRowProps<Data>) {
  const { index, offset, row, columns, template, tabbable, current, selected, actions } = props;
  const { t } = useWords();
  const name = row === undefined ? t("table.loadingRow") : props.nameOf(row);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the key table handles rows: Enter, Space, x
    <div
      className={css["row"]}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected ?? undefined}
      aria-label={row === undefined ? name : undefined}
      tabIndex={tabbable ? 0 : -1}
      data-index={index}
      data-current={current || undefined}
      style={{ gridTemplateColumns: template, transform: `translateY(${offset}px)` }}
      onClick={(event) => {
        actions.click(index, event);
      }}
      onContextMenu={(event) => {
        if (!props.hasMenu) return;
        event.preventDefault();
        const { clientX, clientY } = event;
        actions.menu(index, {
          getBoundingClientRect: () => new DOMRect(clientX, clientY, 0, 0),
        });
      }}
      onFocus={(event) => {
        if (event.target === event.currentTarget) actions.focus(index);
      }}
    >
      {selected !== null && (
        <span role="gridcell" className={css["check"]}>
          <input
            type="checkbox"
            className={css["checkbox"]}
            tabIndex={-1}
            checked={selected}
            disabled={row === undefined}
            aria-label={t("table.select", { name })}
            onChange={() => {}}
            onClick={(event) => {
              event.stopPropagation();
              actions.toggle(index, event);
            }}
          />
        </span>
      )}
      {columns.map((column) => (
        <span key={column.id} role="gridcell" className={css["cell"]} data-align={column.align}>
          {row === undefined ? <Skeleton width={8} /> : column.cell(row)}
        </span>
      ))}
      {props.hasMenu && (
        <span role="gridcell" className={css["more"]}>
          <button
            type="button"
            className={css["moreButton"]}
            tabIndex={-1}
            disabled={row === undefined}
            aria-label={t("table.rowActions", { name })}
            aria-haspopup="menu"
            onClick={(event) => {
              event.stopPropagation();
              actions.menu(index, event.currentTarget);
            }}
          >
            <Ellipsis aria-hidden />
          </button>
        </span>
      )}
    </div>
  );
}

/** One row. Drawn anew only when its values, its place or its marks change; `nameOf` and `actions` stay the same. */
export const TableRow = memo(Row, (before, after) =>
  (
    [
      "index",
      "offset",
      "row",
      "columns",
      "template",
      "tabbable",
      "current",
      "selected",
      "hasMenu",
    ] as const
  ).every((name) => before[name] === after[name]),
) as typeof Row;
