import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

const NEAR_END = 48; // pixels: within a line or two of the end somebody means to be at the end
const BY_HAND_MS = 700; // wheels and touch scroll on for a while after the hand is gone

/**
 * Follows the end of a growing list, and lets go when somebody scrolls away by hand; being back at the end, it follows
 * again. Growth alone, however large, never lets go.
 *
 * @param size Anything that changes when the content grows.
 */
export function useTail(scroller: RefObject<HTMLElement | null>, size: unknown) {
  const [follows, setFollows] = useState(true);
  const following = useRef(true);
  const byHandAt = useRef(Number.NEGATIVE_INFINITY);

  const set = useCallback((next: boolean) => {
    following.current = next;
    setFollows(next);
  }, []);
  const toEnd = useCallback(() => {
    set(true);
    const list = scroller.current;
    list?.scrollTo({ top: list.scrollHeight });
  }, [scroller, set]);

  useLayoutEffect(() => {
    const list = scroller.current;
    if (following.current) list?.scrollTo({ top: list.scrollHeight });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the size is what it follows
  }, [scroller, size]);

  // The window of the list changes too: a header that grows, a composer of three lines.
  useEffect(() => {
    const list = scroller.current;
    if (list === null) return;
    const observer = new ResizeObserver(() => {
      if (following.current) list.scrollTo({ top: list.scrollHeight });
    });
    observer.observe(list);
    return () => {
      observer.disconnect();
    };
  }, [scroller]);

  const byHand = () => {
    byHandAt.current = performance.now();
  };
  return {
    follows,
    toEnd,
    /** Letting go on purpose, e.g. to show a match further up. */
    letGo: useCallback(() => {
      set(false);
    }, [set]),
    /** For the scrolling element. */
    handlers: {
      onWheel: byHand,
      onTouchMove: byHand,
      onPointerDown: byHand,
      onKeyDown: byHand,
      onScroll() {
        const list = scroller.current;
        if (list === null) return;
        const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END;
        if (atEnd) set(true);
        else if (performance.now() - byHandAt.current < BY_HAND_MS) set(false);
      },
    },
  };
}
