import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** One clock for all that ticks: it runs while something on screen listens, once a second. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

const still = () => () => {};

/** A text that depends on the time: read anew each second, drawn anew only when it differs. */
export const useTicking = (text: () => string, ticks: boolean): string =>
  useSyncExternalStore(ticks ? subscribe : still, text);
