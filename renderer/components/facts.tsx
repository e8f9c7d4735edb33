import type { ReactNode } from "react";
import css from "./facts.module.css";

export interface FactRow {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
}

/** Facts in two columns: what, and how it is. */
export function Facts({ rows }: { rows: readonly FactRow[] }) {
  return (
    <dl className={css["facts"]}>
      {rows.map(({ label, value, hint }) => (
        <div key={label} className={css["row"]}>
          <dt className={css["label"]}>{label}</dt>
          <dd className={css["value"]}>
            {value}
            {hint !== undefined && <span className={css["hint"]}>{hint}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
