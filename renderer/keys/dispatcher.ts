import type { CommandId } from "./commands.ts";

/** What a command does here. `false` means "not mine": the next handler outward is asked. */
export type Handlers = Partial<Record<CommandId, () => boolean | undefined>>;

/** Brings commands to whoever answers them: the focused part first, then outward, then the app. */
export interface Dispatcher {
  /** Answers commands that come from inside an element, or from anywhere (`null`), until called off. */
  register: (scope: Element | null, handlers: Handlers) => () => void;
  /** False where nobody answered. */
  dispatch: (command: CommandId, from: Element | null) => boolean;
}

export function dispatcher(): Dispatcher {
  let registered: { scope: Element | null; handlers: Handlers }[] = [];
  return {
    register(scope, handlers) {
      const one = { scope, handlers };
      registered.push(one);
      return () => {
        registered = registered.filter((other) => other !== one);
      };
    },
    dispatch(command, from) {
      const depth = (scope: Element | null) => {
        let steps = 0;
        for (let at = from; at !== null; at = at.parentElement, steps += 1)
          if (at === scope) return steps;
        return Number.POSITIVE_INFINITY;
      };
      const inner = registered
        .filter(({ scope }) => scope !== null && from !== null && scope.contains(from))
        .toSorted((a, b) => depth(a.scope) - depth(b.scope));
      const anywhere = registered.filter(({ scope }) => scope === null).toReversed();
      for (const { handlers } of [...inner, ...anywhere]) {
        const handler = handlers[command];
        if (handler !== undefined && handler() !== false) return true;
      }
      return false;
    },
  };
}
