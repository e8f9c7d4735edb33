import { useEffect, useRef } from "react";

interface Hold {
  hovered: boolean;
  scrolled: boolean;
  /** Keys or clicks came in a moment ago, and the focus is still there. */
  used: boolean;
  /** A row's menu is open. */
  menu: boolean;
}

const USED_FOR_MS = 20_000; // a focus that rests untouched holds nothing up: the operator is looking, not aiming

/** Whether somebody's pointer, focus or scroll position is on rows that would move (ux.md 5). */
export function useHold(onHold: ((held: boolean) => void) | undefined) {
  const hold = useRef<Hold>({ hovered: false, scrolled: false, used: false, menu: false });
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(rest.current);
    },
    [],
  );
  const tellHold = (changes: Partial<Hold>) => {
    Object.assign(hold.current, changes);
    onHold?.(Object.values(hold.current).some(Boolean));
  };
  const tellUse = () => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      tellHold({ used: false });
    }, USED_FOR_MS);
    tellHold({ used: true });
  };
  /** The focus left. Into a dialog or menu is not away: it comes back. */
  const tellLeft = (rows: Element) => {
    setTimeout(() => {
      const active = document.activeElement;
      const stays = rows.contains(active) || active?.closest("[data-overlay]") != null;
      if (!stays) tellHold({ used: false });
    });
  };
  return { tellHold, tellUse, tellLeft };
}
