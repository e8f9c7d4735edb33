import type { ComponentType, MouseEvent, ReactNode, Ref } from "react";
import type { CommandId } from "../keys/commands.ts";
import css from "./button.module.css";
import { cx } from "./cx.ts";
import { Tooltip } from "./tooltip.tsx";

export type Icon = ComponentType<{ size?: string | number; "aria-hidden"?: boolean }>;

export interface ButtonProps {
  children: ReactNode;
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  tone?: "plain" | "primary" | "danger" | "quiet";
  size?: "regular" | "small";
  icon?: Icon | undefined;
  /** Under way: looks the same width, does nothing more. Give the busy words as children. */
  busy?: boolean;
  disabled?: boolean;
  /** Why it cannot be used right now. Keeps it in the tab order, so that the reason can be read. */
  why?: string | null | undefined;
  /** The command whose shortcut its tooltip shows. */
  keys?: CommandId;
  type?: "button" | "submit";
  ref?: Ref<HTMLButtonElement>;
  autoFocus?: boolean;
}

/** A button with words. */
export function Button(props: ButtonProps) {
  const { children, onClick, tone = "plain", size = "regular", icon: Icon, keys, ref } = props;
  const { busy = false, disabled = false, why, type = "button", autoFocus } = props;
  const off = busy || (why !== undefined && why !== null);
  const button = (
    <button
      ref={ref}
      type={type}
      className={cx(css["button"], css[tone], size === "small" && css["small"])}
      disabled={disabled}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- asked for by dialogs, whose safe answer has the focus
      autoFocus={autoFocus}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {Icon !== undefined && <Icon size="1em" aria-hidden />}
      <span className={css["words"]}>{children}</span>
    </button>
  );
  if (why !== undefined && why !== null) return <Tooltip text={why}>{button}</Tooltip>;
  if (keys !== undefined)
    return (
      <Tooltip text={children} keys={keys}>
        {button}
      </Tooltip>
    );
  return button;
}
