import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../../core/contract/bridge.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import type { Timer } from "../../stores/timer.ts";
import type { Watching } from "../../stores/watching.ts";
import { setOut, travelled, type Journey, type News } from "./journey.ts";

export interface JourneyState {
  /** The conversation that test messages go to; made by the first. */
  key: SessionKey | null;
  journey: Journey | null;
}

export interface JourneyOptions {
  bridge: Bridge;
  lanes: Watching;
  timer: Timer;
  /** Title of the conversation that is made for test messages. */
  title: string;
}

/** Sends a test message on the local channel and watches it travel, by the pushes about its lane. */
export function journeyStore({ bridge, lanes, timer, title }: JourneyOptions) {
  const store = createStore<JourneyState>(() => ({ key: null, journey: null }));
  let unwatch = () => {};

  const hear = (key: SessionKey, news: News) => {
    const state = store.getState();
    if (state.key !== key || state.journey === null) return;
    store.setState({ journey: travelled(state.journey, news, timer.nowMs()) });
  };
  const refused = (error: Parameters<typeof travelled>[1] & { kind: "refused" }) => {
    store.setState(({ journey }) => ({
      journey: journey && travelled(journey, error, timer.nowMs()),
    }));
  };

  return {
    store,
    actions: {
      async send(text: string) {
        store.setState({ journey: setOut(timer.nowMs()) });
        let { key } = store.getState();
        if (key === null) {
          const made = await bridge.call("sessions.create", { title });
          if (!made.ok) {
            refused({ kind: "refused", error: made.error });
            return;
          }
          key = made.value.key;
          unwatch = lanes.watch(key);
          await Promise.resolve(); // the lane is watched before the message is sent
          store.setState({ key, journey: setOut(timer.nowMs()) });
        }
        const reply = await bridge.call("sessions.send", { key, text });
        if (reply.ok) hear(key, { kind: "accepted" });
        else refused({ kind: "refused", error: reply.error });
      },
    },
    start() {
      const stops = [
        bridge.on("sessions.delta", ({ upserts }) => {
          for (const row of upserts) hear(row.key, { kind: "row", row });
        }),
        bridge.on("turn.text", ({ key, from, text }) => {
          hear(key, { kind: "text", from, text });
        }),
        bridge.on("transcript.append", ({ key, messages }) => {
          hear(key, { kind: "messages", messages });
        }),
        bridge.on("turn.end", ({ key, outcome }) => {
          hear(key, { kind: "end", outcome });
        }),
      ];
      return () => {
        unwatch();
        for (const stop of stops) stop();
      };
    },
  };
}
