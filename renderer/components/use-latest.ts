import { useEffect, useRef, useState } from "react";

type Functions = Record<string, (...args: never[]) => unknown>;

/** The same object of functions for ever, each calling its latest version: rows that get it need not be drawn anew. */
export function useLatest<F extends Functions>(functions: F): F {
  const latest = useRef(functions);
  useEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() => {
    const calls = Object.keys(functions).map((name) => [
      name,
      (...args: never[]) => latest.current[name]?.(...args),
    ]);
    return Object.fromEntries(calls) as F;
  });
  return stable;
}
