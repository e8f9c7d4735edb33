import { useEffect, useMemo, useRef } from "react";

type Functions = Record<string, (...args: never[]) => unknown>;

/** The same object of functions for ever, each calling its latest version: rows that get it need not be drawn anew. */
export function useLatest<F extends Functions>(functions: F): F {
  const latest = useRef(functions);
  useEffect(() => {
    latest.current = functions;
  });
  return useMemo(() => {
    const names = Object.keys(latest.current);
    const stable = names.map((name) => [
      name,
      (...args: never[]) => latest.current[name]?.(...args),
    ]);
    return Object.fromEntries(stable) as F;
  }, []);
}
