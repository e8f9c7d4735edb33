import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import type { CommandId } from "../keys/commands.ts";
import { shownKeys } from "../keys/key-table.ts";
import { Kbd } from "./kbd.tsx";
import css from "./tooltip.module.css";

export interface TooltipProps {
  text: ReactNode;
  /** The command whose shortcut stands beside the words. */
  keys?: CommandId | undefined;
  /** One focusable element. */
  children: ReactElement;
  side?: "top" | "bottom" | "left" | "right";
}

/** Words on hover and focus. Never the only place where something is said. */
export function Tooltip({ text, keys, children, side = "bottom" }: TooltipProps) {
  const shortcut = keys === undefined ? undefined : shownKeys(keys);
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className={css["positioner"]} side={side} sideOffset={6}>
          <Base.Popup className={css["popup"]}>
            <span>{text}</span>
            {shortcut !== undefined && <Kbd keys={shortcut} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Shares the delay among all tooltips: the second one beside the first opens at once. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider delay={500} closeDelay={0}>
      {children}
    </Base.Provider>
  );
}
