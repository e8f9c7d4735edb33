import type { ReactNode } from "react";
import css from "./empty.module.css";

export interface EmptyProps {
  /** One sentence. */
  title: string;
  children?: ReactNode;
  /** The one thing to do about it. */
  action?: ReactNode;
}

/** Nothing here, said calmly, with the one way out. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={css["empty"]}>
      <p className={css["title"]}>{title}</p>
      {children !== undefined && <div className={css["more"]}>{children}</div>}
      {action !== undefined && <div className={css["action"]}>{action}</div>}
    </div>
  );
}
