import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../../core/contract/bridge.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import type { ChatType } from "./hook-form.ts";

/** Platforms to post as: the common ones of lifecycle 1; the gateway knows more. */
export const simulatedPlatforms = [
  "telegram",
  "discord",
  "slack",
  "whatsapp",
  "signal",
  "matrix",
  "mattermost",
  "teams",
  "google_chat",
  "email",
  "sms",
  "irc",
  "line",
] as const;

/** A message as the simulator's form holds it; empty means absent. */
export interface Post {
  platform: (typeof simulatedPlatforms)[number];
  chatType: ChatType;
  chatId: string;
  threadId: string;
  userId: string;
  userName: string;
  text: string;
}

/** Where a posted message went. */
export interface Landing {
  id: number;
  atMs: number;
  post: Post;
  outcome:
    | { kind: "accepted" | "duplicate"; key: SessionKey; reply: string | null }
    | { kind: "refused"; message: string };
}

const KEPT = 8;

/** The stored shape of a source (lifecycle 1.2). */
export function sourceOf(post: Post) {
  const given = (text: string) => (text.trim() === "" ? null : text.trim());
  return {
    platform: post.platform,
    chat_id: post.chatId.trim(),
    chat_name: null,
    chat_type: post.chatType,
    user_id: given(post.userId),
    user_name: given(post.userName),
    thread_id: given(post.threadId),
    chat_topic: null,
  };
}

/** Posts through the simulator and remembers where the last messages landed, newest first. */
export function simulatorStore(bridge: Bridge, nowMs: () => number) {
  const store = createStore<{ landings: readonly Landing[]; posting: boolean }>(() => ({
    landings: [],
    posting: false,
  }));
  let nextId = 1;
  return {
    store,
    actions: {
      async post(post: Post) {
        store.setState({ posting: true });
        const reply = await bridge.call("channels.simulate", {
          source: sourceOf(post),
          text: post.text,
        });
        const outcome: Landing["outcome"] = reply.ok
          ? {
              kind: reply.value.duplicate ? "duplicate" : "accepted",
              key: reply.value.key,
              reply: reply.value.reply,
            }
          : { kind: "refused", message: reply.error.message };
        const landing = { id: nextId, atMs: nowMs(), post, outcome };
        nextId += 1;
        store.setState(({ landings }) => ({
          landings: [landing, ...landings].slice(0, KEPT),
          posting: false,
        }));
      },
    },
    start: () => () => {},
  };
}
