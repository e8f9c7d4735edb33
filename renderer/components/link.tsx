import type { MouseEvent, ReactNode, Ref } from "react";
import { go } from "../shell/location.ts";
import { cx } from "./cx.ts";
import css from "./link.module.css";

export interface LinkProps {
  href: string;
  children: ReactNode;
  /** Underlined only when pointed at: where many stand together, as in the rail and the footer. */
  quiet?: boolean;
  className?: string | undefined;
  current?: boolean;
  label?: string;
  ref?: Ref<HTMLAnchorElement>;
}

/** A link inside the panel. Opens in place; with a modifier, as the browser does. */
export function Link({ href, children, quiet = false, className, current, label, ref }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    go(href);
  };
  return (
    <a
      ref={ref}
      href={href}
      className={cx(quiet && css["quiet"], className)}
      aria-current={current === true ? "page" : undefined}
      aria-label={label}
      onClick={follow}
    >
      {children}
    </a>
  );
}
