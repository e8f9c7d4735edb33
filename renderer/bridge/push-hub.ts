import type { Bridge, LinkState, PushFrame, PushName, Pushes } from "../../core/contract/bridge.ts";

type Listener = (payload: Pushes[PushName]) => void;

/** What every bridge shares: who listens, the order of pushes, and the state of the link. */
export interface PushHub extends Pick<Bridge, "on" | "onLink"> {
  /** Hands a frame to its listeners. A late one is dropped; a missed one or a new boot says "gap" first. */
  deliver: (frame: PushFrame) => void;
  /** The link's new state. Coming up again after a loss is a gap: nobody knows what was missed. */
  link: (state: LinkState) => void;
}

/**
 * Makes the listening half of a bridge.
 *
 * `onLink` tells the present state at once, so that a late subscriber is never in doubt. Frames of one connection
 * count from 1; `link("up")` starts a new count.
 */
export function pushHub(): PushHub {
  const listeners = new Map<PushName, Set<Listener>>();
  const linkListeners = new Set<(state: LinkState | "gap") => void>();
  let state: LinkState = "connecting";
  let wasUp = false;
  let lastSeq = 0;
  let bootId: string | null = null;

  const tellLink = (news: LinkState | "gap") => {
    for (const listener of linkListeners) listener(news);
  };

  return {
    on(name, listener) {
      const known = listeners.get(name) ?? new Set<Listener>();
      listeners.set(name, known);
      known.add(listener as Listener); // `deliver` pairs the payload with the name it was declared under
      return () => known.delete(listener as Listener);
    },
    onLink(listener) {
      linkListeners.add(listener);
      listener(state);
      return () => linkListeners.delete(listener);
    },
    deliver(frame) {
      const otherBoot = bootId !== null && frame.bootId !== bootId;
      if (!otherBoot && frame.seq <= lastSeq) return;
      const gap = otherBoot || frame.seq !== lastSeq + 1;
      lastSeq = frame.seq;
      bootId = frame.bootId;
      if (gap) tellLink("gap");
      for (const listener of listeners.get(frame.name) ?? []) listener(frame.payload);
    },
    link(next) {
      if (next === state) return;
      state = next;
      if (next === "up") lastSeq = 0;
      tellLink(next);
      if (next === "up" && wasUp) tellLink("gap");
      wasUp ||= next === "up";
    },
  };
}
