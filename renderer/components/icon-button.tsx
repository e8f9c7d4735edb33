import type { MouseEvent, Ref } from "react";
import type { CommandId } from "../keys/commands.ts";
import type { Icon } from "./button.tsx";
import { cx } from "./cx.ts";
import css from "./icon-button.module.css";
import { Tooltip } from "./tooltip.tsx";

export interface IconButtonProps {
  icon: Icon;
  /** Its accessible name and tooltip. */
  label: string;
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  keys?: CommandId;
  size?: "regular" | "small";
  /** For toggles. */
  pressed?: boolean;
  disabled?: boolean;
  /** Why it cannot be used right now; stands in the tooltip. */
  why?: string | null | undefined;
  side?: "top" | "bottom" | "left" | "right";
  /** Out of the tab order, e.g. inside rows that have their own keys. */
  untabbed?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with a sign only; its words are in the tooltip and for screen readers. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, onClick, keys, size = "regular", pressed, disabled, why, ref } = props;
  const off = why !== undefined && why !== null;
  return (
    <Tooltip text={off ? `${label}\n${why}` : label} keys={keys} side={props.side ?? "bottom"}>
      <button
        ref={ref}
        type="button"
        className={cx(css["button"], size === "small" && css["small"])}
        aria-label={label}
        aria-pressed={pressed}
        aria-disabled={off || undefined}
        disabled={disabled}
        tabIndex={props.untabbed === true ? -1 : undefined}
        onClick={(event) => {
          if (!off) onClick?.(event);
        }}
      >
        <Icon size="1em" aria-hidden />
      </button>
    </Tooltip>
  );
}
