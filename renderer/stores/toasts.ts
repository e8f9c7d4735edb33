import { createStore } from "zustand/vanilla";
import type { Timer } from "./timer.ts";

export interface ToastAction {
  label: string;
  run: () => void;
}

export interface Toast {
  id: number;
  /** `role=status` for info, `role=alert` for the others. */
  tone: "info" | "caution" | "failed";
  title: string;
  body?: string;
  actions: readonly ToastAction[];
  /** How often the same thing happened. */
  count: number;
  /** Milliseconds left on its clock; null stays until it is cleared. */
  leftMs: number | null;
}

export interface ToastWish {
  title: string;
  body?: string;
  tone?: Toast["tone"];
  actions?: readonly ToastAction[];
  /** Toasts of the same subject are one: a further one raises its count and starts its clock anew. */
  subject?: string;
  /** `undo` stays 10 s, `info` 6 s, `stays` until cleared. Default: by tone. */
  stay?: "info" | "undo" | "stays";
}

export interface ToastsState {
  /** Oldest first. The last three are shown. */
  toasts: readonly Toast[];
}

export const SHOWN_TOASTS = 3;
const STAY_MS = { info: 6_000, undo: 10_000, stays: null };
const TICK_MS = 250;

/** Toasts and their clock, which stands still while somebody looks at them or nobody can (ux.md 8). */
export function toastsStore(timer: Timer) {
  const store = createStore<ToastsState>(() => ({ toasts: [] }));
  const subjects = new Map<string, number>();
  const holds = new Set<string>();
  let nextId = 1;
  let cancelTick: (() => void) | null = null;

  const tick = () => {
    cancelTick = null;
    if (holds.size === 0)
      store.setState(({ toasts }) => ({
        toasts: toasts
          .map((one) => (one.leftMs === null ? one : { ...one, leftMs: one.leftMs - TICK_MS }))
          .filter((one) => one.leftMs === null || one.leftMs > 0),
      }));
    run();
  };
  const run = () => {
    const counting = store.getState().toasts.some((one) => one.leftMs !== null);
    if (counting && holds.size === 0) cancelTick ??= timer.after(TICK_MS, tick);
  };

  const dismiss = (id: number) => {
    store.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) }));
  };

  const raise = (wish: ToastWish): number => {
    const { tone = "info", actions = [], subject, title } = wish;
    const stay = wish.stay ?? (tone === "info" ? "info" : "stays");
    const known = subject === undefined ? undefined : subjects.get(subject);
    const former = store.getState().toasts.find((one) => one.id === known);
    const id = former?.id ?? nextId;
    if (former === undefined) nextId += 1;
    if (subject !== undefined) subjects.set(subject, id);
    const toast: Toast = {
      id,
      tone,
      title,
      ...(wish.body === undefined ? {} : { body: wish.body }),
      actions,
      count: (former?.count ?? 0) + 1,
      leftMs: STAY_MS[stay],
    };
    store.setState(({ toasts }) => ({
      toasts:
        former === undefined
          ? [...toasts, toast]
          : toasts.map((one) => (one === former ? toast : one)),
    }));
    run();
    return id;
  };

  return {
    store,
    actions: {
      raise,
      dismiss,
      /** Whether a toast of this subject is still there, so that a further one only counts up. */
      has: (subject: string): boolean => {
        const id = subjects.get(subject);
        return store.getState().toasts.some((one) => one.id === id);
      },
      /** Takes the actions off a toast, e.g. an undo that is no longer possible, and says why instead. */
      withdraw(id: number, body: string) {
        store.setState(({ toasts }) => ({
          toasts: toasts.map((one) => (one.id === id ? { ...one, actions: [], body } : one)),
        }));
      },
      dismissAll() {
        store.setState({ toasts: [] });
      },
      /** Stops the clock for a reason (`hover`, `focus`, `hidden`); it runs on when every reason is gone. */
      hold(reason: string, held: boolean) {
        if (held) holds.add(reason);
        else holds.delete(reason);
        if (holds.size > 0) {
          cancelTick?.();
          cancelTick = null;
        } else run();
      },
    },
  };
}

export type Toasts = ReturnType<typeof toastsStore>;
