import { createStore } from "zustand/vanilla";
import type { Timer } from "./timer.ts";

/** Words for people who listen instead of look: put into a polite live region, then taken out again. */
export function announcer(timer: Timer) {
  const store = createStore<{ text: string }>(() => ({ text: "" }));
  let cancel = () => {};
  return {
    store,
    /** Says it once. Saying the same again is heard again. */
    say(text: string) {
      cancel();
      store.setState({ text: "" });
      cancel = timer.after(50, () => {
        store.setState({ text });
        cancel = timer.after(5_000, () => {
          store.setState({ text: "" });
        });
      });
    },
  };
}
