import { useSyncExternalStore } from "react";

/** Read once a density: asking the browser for a style costs a layout, and this is asked at every drawing. */
const known = new Map<string, number>();

function read(name: string): number {
  const root = document.documentElement;
  const key = `${root.dataset["density"]} ${name}`;
  const value =
    known.get(key) ?? (Number.parseFloat(getComputedStyle(root).getPropertyValue(name)) || 0);
  if (value > 0) known.set(key, value);
  return value;
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-density"] });
  return () => {
    observer.disconnect();
  };
}

/** The number behind a size token, e.g. `--row`, for code that has to count in it. */
export const useToken = (name: string): number => useSyncExternalStore(subscribe, () => read(name));
