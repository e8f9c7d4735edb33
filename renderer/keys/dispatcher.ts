import type { CommandId } from "./commands.ts";

/** What a command does here. `false` means "not mine": the next handler outward is asked. */
export type Handlers = Partial<Record<CommandId, () => boolean | undefined>>;

export type HandlerScope = Element | "view" | "app";

/** Brings commands to whoever answers them: the focused part first, then outward, then the app. */
export interface Dispatcher {
  /**
   * Answers commands until called off: those from inside an element, those from anywhere (`"view"`), or those that
   * nothing else answered (`"app"`).
   */
  register: (scope: HandlerScope, handlers: Handlers) => () => void;
  /** False where nobody answered. */
  dispatch: (command: CommandId, from: Element | null) => boolean;
}

export function dispatcher(): Dispatcher {
  let registered: { scope: HandlerScope; handlers: Handlers }[] = [];
  return {
    register(scope, handlers) {
      const one = { scope, handlers };
      registered.push(one);
      return () => {
        registered = registered.filter((other) => other !== one);
      };
    },
    dispatch(command, from) {
      const depth = (scope: HandlerScope) => {
        let steps = 0;
        for (let at = from; at !== null; at = at.parentElement, steps += 1)
          if (at === scope) return steps;
        return Number.POSITIVE_INFINITY;
      };
      const inner = registered
        .filter(({ scope }) => typeof scope !== "string" && from !== null && scope.contains(from))
        .toSorted((a, b) => depth(a.scope) - depth(b.scope));
      const view = registered.filter(({ scope }) => scope === "view").toReversed();
      const app = registered.filter(({ scope }) => scope === "app");
      for (const { handlers } of [...inner, ...view, ...app]) {
        const handler = handlers[command];
        if (handler !== undefined && handler() !== false) return true;
      }
      return false;
    },
  };
}
