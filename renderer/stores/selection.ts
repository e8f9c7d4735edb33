import { createStore } from "zustand/vanilla";
import type { SessionRow } from "../../core/contract/domain.ts";
import type { SessionKey } from "../../core/contract/ids.ts";

export interface SelectionState {
  /** The row the keys act on; follows the lane, not the place. */
  focused: SessionKey | null;
  selected: ReadonlySet<SessionKey>;
  /** The session whose detail is on screen. */
  shown: SessionRow | null;
}

/** Which sessions the operator points at: one by focus, any number by selection. */
export function selectionStore() {
  const store = createStore<SelectionState>(() => ({
    focused: null,
    selected: new Set(),
    shown: null,
  }));
  return {
    store,
    actions: {
      focus(focused: SessionKey | null) {
        if (store.getState().focused !== focused) store.setState({ focused });
      },
      select(keys: Iterable<SessionKey>) {
        store.setState({ selected: new Set(keys) });
      },
      toggle(key: SessionKey) {
        store.setState(({ selected }) => {
          const next = new Set(selected);
          if (!next.delete(key)) next.add(key);
          return { selected: next };
        });
      },
      show(shown: SessionRow | null) {
        store.setState({ shown });
      },
      clear() {
        if (store.getState().selected.size > 0) store.setState({ selected: new Set() });
      },
    },
  };
}

export type Selection = ReturnType<typeof selectionStore>;
