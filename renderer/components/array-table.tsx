import { useState } from "react";
import { DataTable, type DataTableProps } from "./data-table.tsx";

export type ArrayTableProps<Row> = Omit<
  DataTableProps<Row>,
  "rowCount" | "rowAt" | "indexOf" | "focusedKey" | "onFocus" | "onRange"
> & {
  rows: readonly Row[];
};

/** A `DataTable` over rows that are all here: it keeps the focus by itself. Give its parent a height. */
export function ArrayTable<Row>({ rows, ...rest }: ArrayTableProps<Row>) {
  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  return (
    <DataTable
      {...rest}
      rowCount={rows.length}
      rowAt={(index) => rows[index]}
      indexOf={(key) => rows.findIndex((row) => rest.keyOf(row) === key)}
      focusedKey={focusedKey}
      onFocus={setFocusedKey}
    />
  );
}
