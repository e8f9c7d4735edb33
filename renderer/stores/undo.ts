import type { Bridge } from "../../core/contract/bridge.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import type { Toasts } from "./toasts.ts";

export interface UndoWish {
  keys: readonly SessionKey[];
  title: string;
  body: string;
  /** This machine's clock. */
  untilMs: number;
  run: () => void;
}

interface Undoable {
  keys: Set<SessionKey>;
  untilMs: number;
  toastId: number;
  run: () => void;
}

export interface UndoOptions {
  bridge: Bridge;
  toasts: Toasts;
  nowMs: () => number;
  words: { undo: () => string; gone: (reason: string) => string };
}

/** The last things that can be taken back: each a toast with Undo, all reachable by `mod+Z`, newest first. */
export function undoStack({ bridge, toasts, nowMs, words }: UndoOptions) {
  let stack: Undoable[] = [];
  const take = (one: Undoable) => {
    stack = stack.filter((other) => other !== one);
    toasts.actions.dismiss(one.toastId);
    one.run();
  };

  return {
    /** Offers to take something back until `untilMs`. */
    offer({ keys, title, body, untilMs, run }: UndoWish) {
      const one: Undoable = { keys: new Set(keys), untilMs, toastId: 0, run };
      one.toastId = toasts.actions.raise({
        title,
        body,
        stay: "undo",
        actions: [
          {
            label: words.undo(),
            run: () => {
              take(one);
            },
          },
        ],
      });
      stack.push(one);
    },
    /** Takes back the newest thing that still can be. False where there is none. */
    last(): boolean {
      stack = stack.filter((one) => one.untilMs > nowMs());
      const one = stack.at(-1);
      if (one === undefined) return false;
      take(one);
      return true;
    },
    start: () =>
      bridge.on("undo.withdrawn", ({ key, reason }) => {
        for (const one of stack.filter((each) => each.keys.has(key)))
          toasts.actions.withdraw(one.toastId, words.gone(reason));
        stack = stack.filter((each) => !each.keys.has(key));
      }),
  };
}

export type Undo = ReturnType<typeof undoStack>;
