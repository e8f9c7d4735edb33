import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { WireError } from "../../core/contract/errors.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import {
  withMessages,
  withNewestPage,
  withTurnText,
  type TranscriptView,
} from "./transcript-view.ts";
import type { Watching } from "./watching.ts";

export interface TranscriptState extends TranscriptView {
  loaded: boolean;
  loadingOlder: boolean;
  error: WireError | null;
}

const PAGE = 60;

/** One lane's transcript: the newest page first, older ones on demand, new rows and live text by push. */
export function transcriptStore(key: SessionKey, bridge: Bridge, lanes: Watching) {
  const store = createStore<TranscriptState>(() => ({
    messages: [],
    hasMore: false,
    live: null,
    loaded: false,
    loadingOlder: false,
    error: null,
  }));
  let asked = 0;

  /** The newest page, again. */
  const pull = async () => {
    asked += 1;
    const mine = asked;
    const reply = await bridge.call("sessions.history", { key, limit: PAGE });
    if (mine !== asked) return;
    if (!reply.ok) {
      store.setState({ error: reply.error });
      return;
    }
    const page = reply.value;
    store.setState((state) => ({ ...withNewestPage(state, page), loaded: true, error: null }));
  };

  /** The text so far of a turn that was under way before this page looked. */
  const pullLive = async () => {
    const reply = await bridge.call("sessions.get", { key });
    if (!reply.ok) return;
    const { turn } = reply.value;
    store.setState(({ live }) => {
      if (turn === null) return { live: null };
      const longer = live?.turnId === turn.id && live.text.length >= turn.text.length;
      return longer ? {} : { live: { turnId: turn.id, text: turn.text, tool: null } };
    });
  };

  return {
    store,
    actions: {
      pull,
      /** One more page upward, if there is one. */
      async older() {
        const { messages, hasMore, loadingOlder } = store.getState();
        const first = messages[0];
        if (!hasMore || loadingOlder || first === undefined) return;
        store.setState({ loadingOlder: true });
        const reply = await bridge.call("sessions.history", { key, limit: PAGE, before: first.id });
        store.setState((state) =>
          reply.ok
            ? {
                messages: withMessages(state.messages, reply.value.messages),
                hasMore: reply.value.hasMore,
                loadingOlder: false,
              }
            : { loadingOlder: false, error: reply.error },
        );
      },
    },
    start() {
      const stops = [
        lanes.watch(key),
        bridge.on("transcript.append", (push) => {
          if (push.key !== key) return;
          const last = store.getState().messages.at(-1);
          if (last !== undefined && last.sessionId !== push.sessionId) void pull(); // a fresh conversation
          store.setState(({ messages, live }) => {
            const replied = push.messages.some((one) => one.role === "assistant");
            return {
              messages: withMessages(messages, push.messages),
              live: replied ? null : live,
            };
          });
        }),
        bridge.on("transcript.changed", (push) => {
          if (push.key === key) void pull();
        }),
        bridge.on("turn.text", (push) => {
          if (push.key !== key) return;
          const live = withTurnText(store.getState().live, push);
          if (live === "gap") void pullLive();
          else store.setState({ live });
        }),
        bridge.on("turn.end", (push) => {
          if (push.key === key) store.setState({ live: null });
        }),
        bridge.onLink((news) => {
          if (news !== "up" && news !== "gap") return;
          void pull();
          void pullLive();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

export type Transcript = ReturnType<typeof transcriptStore>;
