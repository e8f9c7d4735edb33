import type { ReactNode } from "react";
import { cssVars } from "./css-vars.ts";
import css from "./short-table.module.css";

/** Room for a `DataTable` of few rows on a page that scrolls: as high as its rows, up to half the window. */
export function ShortTable({ rows, children }: { rows: number; children: ReactNode }) {
  return (
    <div
      className={css["short"]}
      data-empty={rows === 0 || undefined}
      style={cssVars({ "--rows": rows })}
    >
      {children}
    </div>
  );
}
