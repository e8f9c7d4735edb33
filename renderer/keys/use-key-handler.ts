import { useEffect, useRef } from "react";
import { usePanel } from "../stores/panel.tsx";
import { keyTable } from "./key-table.ts";
import { matchPress } from "./match.ts";
import { isMac } from "./platform.ts";

const SEQUENCE_MS = 1_000;

const isText = (element: Element): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable ||
    element.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])"));

/** Listens to the keyboard for the whole page and turns presses into commands, by the one table. */
export function useKeyHandler(): void {
  const { dispatcher, presentation } = usePanel();
  const pending = useRef<string | null>(null);
  useEffect(() => {
    let forget: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      // Whatever floats above the page has its own keys; only the page below it is ours.
      const floating = target.closest("[data-overlay]") !== null;
      if (event.defaultPrevented || event.isComposing || floating) return;
      if (["Control", "Shift", "Alt", "Meta"].includes(event.key)) return;
      const presses = target.matches(
        "button, a[href], summary, [role=tab], [role=switch], [role=combobox]",
      );
      const activates = event.key === "Enter" || event.key === " ";
      const moves = target.matches("[role=tab]") && event.key.startsWith("Arrow");
      if (presses && (activates || moves)) return;
      const match = matchPress(
        keyTable,
        {
          key: event.key,
          mod: isMac ? event.metaKey : event.ctrlKey,
          shift: event.shiftKey,
          alt: event.altKey,
        },
        {
          inText: isText(target),
          inList: target.closest("[data-keys=list]") !== null,
          singleKeys: presentation.store.getState().singleKeys,
          pending: pending.current,
        },
      );
      clearTimeout(forget);
      pending.current = match?.kind === "pending" ? match.first : null;
      if (match?.kind === "pending") {
        forget = setTimeout(() => {
          pending.current = null;
        }, SEQUENCE_MS);
        event.preventDefault();
        return;
      }
      if (match !== null && dispatcher.dispatch(match.command, target)) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => {
      clearTimeout(forget);
      window.removeEventListener("keydown", press);
    };
  }, [dispatcher, presentation]);
}
