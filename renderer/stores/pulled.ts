import { createStore } from "zustand/vanilla";
import type { Bridge, Reply } from "../../core/contract/bridge.ts";
import type { WireError } from "../../core/contract/errors.ts";

export interface Pulled<T> {
  /** Null before the first answer. Kept when a later one fails. */
  value: T | null;
  /** Why the newest question got no answer. */
  error: WireError | null;
  asking: boolean;
}

/**
 * One thing that the gateway knows: asked for when the link comes up or a push was missed, replaced by pushes.
 * An answer that was asked for before newer news arrived changes nothing.
 */
export function pulledStore<T>(bridge: Bridge, ask: () => Promise<Reply<T>>) {
  const store = createStore<Pulled<T>>(() => ({ value: null, error: null, asking: false }));
  let newest = 0;

  /** Newer than whatever is still being asked for. */
  const put = (value: T) => {
    newest += 1;
    store.setState({ value, error: null, asking: false });
  };
  const pull = async () => {
    newest += 1;
    const mine = newest;
    store.setState({ asking: true });
    const reply = await ask();
    if (mine !== newest) return;
    store.setState(
      reply.ok
        ? { value: reply.value, error: null, asking: false }
        : { error: reply.error, asking: false },
    );
  };

  return {
    store,
    put,
    pull,
    /** Pulls at each start and gap, until the returned function is called; `stops` are called with it. */
    keepFresh(stops: readonly (() => void)[] = []): () => void {
      const stopLink = bridge.onLink((news) => {
        const blind = news === "lost" && store.getState().value === null;
        if (news === "up" || news === "gap" || blind) void pull(); // a refusal is better than waiting for nothing
      });
      return () => {
        for (const stop of [stopLink, ...stops]) stop();
      };
    },
  };
}
