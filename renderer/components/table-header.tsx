/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the rows of a virtual grid are placed one by one; table tags cannot be */
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import { useTranslation } from "react-i18next";
import css from "./data-table.module.css";
import { nextSort, type Column } from "./table-columns.ts";

export interface TableHeaderProps<Row> {
  columns: readonly Column<Row>[];
  template: string;
  selectable: boolean;
  menu: boolean;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

/** The names of the columns; those that can be sorted by are buttons. */
export function TableHeader<Row>(props: TableHeaderProps<Row>) {
  const { columns, template, selectable, menu, sort, onSort } = props;
  const { t } = useTranslation();
  return (
    <div className={css["head"]} role="rowgroup">
      <div
        className={css["headRow"]}
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: template }}
      >
        {selectable && (
          <span role="columnheader">
            <span className="quiet">{t("command.row.select")}</span>
          </span>
        )}
        {columns.map(({ id, header, align, sort: name }) => {
          const up = sort === name;
          const down = sort === `-${name}`;
          return (
            <span
              key={id}
              role="columnheader"
              className={css["headCell"]}
              data-align={align}
              aria-sort={up ? "ascending" : down ? "descending" : undefined}
            >
              {name === undefined || onSort === undefined ? (
                header
              ) : (
                <button
                  type="button"
                  className={css["sort"]}
                  title={t("table.sortBy", { column: header })}
                  onClick={() => {
                    onSort(nextSort(sort, name));
                  }}
                >
                  {header}
                  {up && <ArrowUp aria-hidden />}
                  {down && <ArrowDown aria-hidden />}
                </button>
              )}
            </span>
          );
        })}
        {menu && (
          <span role="columnheader">
            <span className="quiet">{t("action.more")}</span>
          </span>
        )}
      </div>
    </div>
  );
}
