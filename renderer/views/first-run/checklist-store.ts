import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../../core/contract/bridge.ts";
import { agentsStore } from "../../stores/agents.ts";
import { channelsStore } from "../../stores/channels.ts";
import { pulledStore } from "../../stores/pulled.ts";
import { readKept, type Kept, type Said, type Step } from "./checklist.ts";

const KEPT_AT = "signalbox.first-run";

/** The first run's checklist: what was said about its steps, and what there is to read them from. */
export function checklistStore(bridge: Bridge, place: Pick<Storage, "getItem" | "setItem">) {
  const read = (): Kept => {
    try {
      return readKept(place.getItem(KEPT_AT));
    } catch {
      return readKept(null); // storage may be refused altogether
    }
  };
  const kept = createStore<Kept>(read);
  kept.subscribe((state) => {
    try {
      place.setItem(KEPT_AT, JSON.stringify(state));
    } catch {
      // full or refused: the checklist comes back after a reload, nothing else is lost
    }
  });
  const channels = channelsStore(bridge);
  const agents = agentsStore(bridge);
  /** Whether any message was ever answered here. */
  const answered = pulledStore<boolean>(bridge, async () => {
    const reply = await bridge.call("sessions.list", { sort: "-updated", limit: 20 });
    if (!reply.ok) return reply;
    return { ok: true, value: reply.value.sessions.some((row) => row.turnCount > 0) };
  });

  return {
    kept,
    channels,
    agents,
    answered: answered.store,
    actions: {
      say(step: Step, word: Said) {
        kept.setState(({ said }) => ({ said: { ...said, [step]: word } }));
      },
      dismiss() {
        kept.setState({ dismissed: true });
      },
      /** Shows it again, from its first open step. */
      restart() {
        kept.setState({ said: {}, dismissed: false });
      },
    },
    start() {
      const stops = [channels.start(), agents.start(), answered.keepFresh()];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

export type ChecklistStore = ReturnType<typeof checklistStore>;
