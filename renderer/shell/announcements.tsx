import { useStore } from "zustand";
import { usePanel } from "../stores/panel.tsx";

/** Where the words for screen readers appear. */
export function Announcements() {
  const { announcer } = usePanel();
  const text = useStore(announcer.store, (state) => state.text);
  return (
    <output className="quiet" aria-live="polite">
      {text}
    </output>
  );
}
