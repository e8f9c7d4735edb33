import { useId, type ReactNode } from "react";
import { cx } from "./cx.ts";
import css from "./panel.module.css";

export interface PanelProps {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Without inner padding, for tables and lists. */
  flush?: boolean;
}

/** A bordered part of a screen under its own heading. */
export function Panel({ title, actions, children, flush = false }: PanelProps) {
  const id = useId();
  return (
    <section className={css["panel"]} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header className={css["header"]}>
          <h2 id={id} className={css["title"]}>
            {title}
          </h2>
          {actions !== undefined && <div className={css["actions"]}>{actions}</div>}
        </header>
      )}
      <div className={cx(css["body"], flush && css["flush"])}>{children}</div>
    </section>
  );
}
