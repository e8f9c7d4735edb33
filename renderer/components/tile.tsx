import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { Link } from "./link.tsx";
import css from "./tile.module.css";

export interface TileProps {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
  /** The screen, filtered, that shows what is behind the figure. */
  href?: string;
  /** A sparkline. */
  children?: ReactNode;
}

/** One figure. */
export function Tile({ label, value, hint, href, children }: TileProps) {
  const inner = (
    <>
      <span className={css["label"]}>{label}</span>
      <span className={css["value"]}>{value}</span>
      {hint !== undefined && <span className={css["hint"]}>{hint}</span>}
      {children}
    </>
  );
  if (href === undefined) return <div className={css["tile"]}>{inner}</div>;
  return (
    <Link href={href} quiet className={cx(css["tile"], css["link"])}>
      {inner}
    </Link>
  );
}
