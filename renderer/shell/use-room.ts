import { useSyncExternalStore } from "react";

/** How much fits beside each other: all; a rail or an inspector; one thing at a time. */
export type Room = "wide" | "narrow" | "small";

const wide = "(width >= 76em)";
const small = "(width < 48em)"; // 1024 points at 200 % are here

function subscribe(listener: () => void): () => void {
  const lists = [wide, small].map((query) => window.matchMedia(query));
  for (const list of lists) list.addEventListener("change", listener);
  return () => {
    for (const list of lists) list.removeEventListener("change", listener);
  };
}

const read = (): Room =>
  window.matchMedia(wide).matches ? "wide" : window.matchMedia(small).matches ? "small" : "narrow";

/** The room of the window. */
export const useRoom = (): Room => useSyncExternalStore(subscribe, read);
