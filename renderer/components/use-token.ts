import { useSyncExternalStore } from "react";

const read = (name: string): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name)) || 0;

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-density"] });
  return () => {
    observer.disconnect();
  };
}

/** The number behind a size token, e.g. `--row`, for code that has to count in it. */
export function useToken(name: string): number {
  return useSyncExternalStore(subscribe, () => read(name));
}
