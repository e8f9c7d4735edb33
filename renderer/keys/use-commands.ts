import { useEffect, useRef, type RefObject } from "react";
import { usePanel } from "../stores/panel.tsx";
import type { CommandId } from "./commands.ts";
import type { Handlers } from "./dispatcher.ts";

/**
 * Answers commands while the component is mounted: those that come from inside `scope`; without one, those from
 * anywhere on the screen; with `"app"`, those that nothing else answered. The handlers may change freely; which
 * commands there are may not.
 */
export function useCommands(
  handlers: Handlers,
  scope: RefObject<Element | null> | "view" | "app" = "view",
): void {
  const { dispatcher } = usePanel();
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const names = Object.keys(latest.current) as CommandId[];
    const stable: Handlers = {};
    for (const name of names) stable[name] = () => latest.current[name]?.();
    const where = typeof scope === "string" ? scope : scope.current;
    return where === null ? undefined : dispatcher.register(where, stable);
  }, [dispatcher, scope]);
}
