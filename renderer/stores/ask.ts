import { createStore } from "zustand/vanilla";
import type { Reply } from "../../core/contract/bridge.ts";
import type { WireError } from "../../core/contract/errors.ts";

export interface Fact {
  label: string;
  value: string;
}

/** A question with consequences in facts: level 2 and 3 of ux.md 7. */
export interface Question {
  title: string;
  body?: string;
  facts: readonly Fact[];
  /** Names of what it concerns, where there are several: the first five are shown. */
  names?: readonly string[];
  /** Who is left out, with the reason, one line each. */
  skipped?: readonly string[];
  verb: string;
  busyVerb: string;
  tone: "plain" | "danger";
  /** What has to be typed before the verb works. */
  typed?: string;
  /** Does it. `progress` counts what is settled. A failure keeps the dialog open and shows inside. */
  run: (progress: (done: number) => void) => Promise<Reply<unknown>>;
}

export interface AskState {
  question: Question | null;
  /** Counts the questions, so that each is a new one. */
  asked: number;
  /** How many are settled, while it runs; null while it waits for the operator. */
  done: number | null;
  error: WireError | null;
}

/** The one dialog that asks before something is done. */
export function askStore() {
  const store = createStore<AskState>(() => ({
    question: null,
    asked: 0,
    done: null,
    error: null,
  }));
  return {
    store,
    actions: {
      ask(question: Question) {
        store.setState(({ asked }) => ({ question, asked: asked + 1, done: null, error: null }));
      },
      /** Closes it, unless it is at work. */
      cancel() {
        if (store.getState().done === null) store.setState({ question: null, error: null });
      },
      async confirm() {
        const { question, done } = store.getState();
        if (question === null || done !== null) return;
        store.setState({ done: 0, error: null });
        const reply = await question.run((settled) => {
          store.setState({ done: settled });
        });
        store.setState(
          reply.ok
            ? { question: null, done: null, error: null }
            : { done: null, error: reply.error },
        );
      },
    },
  };
}

export type Ask = ReturnType<typeof askStore>;
