import { useEffect, useMemo, type DependencyList } from "react";
import type { Bridge } from "../../core/contract/bridge.ts";
import { usePanel } from "./panel.tsx";

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

const kept = new WeakMap<Bridge, Map<string, Startable>>();

/**
 * The store of this name, made the first time; it listens only while a view shows it, and keeps what it knew
 * until the view comes back. One name, one kind of store.
 */
export function useKeptStore<S extends Startable>(name: string, make: () => S): S {
  const { bridge } = usePanel();
  const store = useMemo(() => {
    const stores = kept.get(bridge) ?? new Map<string, Startable>();
    kept.set(bridge, stores);
    const known = stores.get(name) ?? make();
    stores.set(name, known);
    return known as S; // whatever `make` of this name made
    // oxlint-disable-next-line react/exhaustive-deps -- the name stands for what `make` makes
  }, [bridge, name]);
  useEffect(() => store.start(), [store]);
  return store;
}
