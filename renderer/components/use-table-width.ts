import { useLayoutEffect, useState, type RefObject } from "react";

const SAMPLE = "0".repeat(20);

/** The width of an element in characters of its own type; 0 until it is known. */
export function useTableWidth(element: RefObject<HTMLElement | null>): number {
  const [widthCh, setWidthCh] = useState(0);
  useLayoutEffect(() => {
    const table = element.current;
    if (table === null) return;
    const ruler = document.createElement("canvas").getContext("2d");
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined || ruler === null) return;
      ruler.font = getComputedStyle(table).font;
      const character = ruler.measureText(SAMPLE).width / SAMPLE.length;
      setWidthCh(Math.floor(entry.contentRect.width / character));
    });
    observer.observe(table);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return widthCh;
}
