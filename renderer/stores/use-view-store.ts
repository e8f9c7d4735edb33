import { useEffect, useMemo, type DependencyList } from "react";

/** A store that listens only while its view is on screen. */
interface Startable {
  start: () => () => void;
}

/** Makes a view's store once (again when `dependencies` change), starts it on mount and stops it on unmount. */
export function useViewStore<S extends Startable>(make: () => S, dependencies: DependencyList): S {
  // oxlint-disable-next-line react/exhaustive-deps -- the caller names what the store is made of
  const store = useMemo(make, dependencies);
  useEffect(() => store.start(), [store]);
  return store;
}
