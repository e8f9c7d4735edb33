import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { setParams } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { SELECTED_IN_ADDRESS, type SessionsAddress } from "./sessions-address.ts";

/** Keeps the selection and the address telling the same: the address wins on arrival, the selection afterwards. */
export function useSelectionInAddress({ selected: written, open }: SessionsAddress): void {
  const { selection } = usePanel();
  const selected = useStore(selection.store, (state) => state.selected);
  const arrived = useRef(false);
  useEffect(() => {
    if (!arrived.current) {
      arrived.current = true;
      selection.actions.select(written);
      if (open !== null && selection.store.getState().focused === null)
        selection.actions.focus(open);
      return;
    }
    const keys = [...selected];
    if (keys.length === written.length && keys.every((key) => written.includes(key))) return;
    setParams({ selected: keys.length > SELECTED_IN_ADDRESS ? null : keys });
    // oxlint-disable-next-line react/exhaustive-deps -- writing follows the selection, never the other way round
  }, [selection, selected]);
}
