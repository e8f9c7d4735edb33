import { useSyncExternalStore } from "react";

const query = "(width < 76em)"; // below this a rail, a table and an inspector do not fit beside each other

function subscribe(listener: () => void): () => void {
  const list = window.matchMedia(query);
  list.addEventListener("change", listener);
  return () => {
    list.removeEventListener("change", listener);
  };
}

/** Whether the window is too narrow for rail, list and inspector at their full widths. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
