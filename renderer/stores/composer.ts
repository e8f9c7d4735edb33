import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { MessageRow } from "../../core/contract/domain.ts";
import type { WireError } from "../../core/contract/errors.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import type { Drafts } from "./drafts.ts";

/** A message between Enter and its place in the transcript or the queue. */
export interface Outgoing {
  /** Our own id: a second try with it is recognised by the gateway. */
  messageId: string;
  text: string;
  atMs: number;
  /** The gateway's number of it, once it is on disk there. */
  inputId: number | null;
}

/** A command and its answer, which are part of no transcript. */
export interface CommandAnswer {
  id: string;
  command: string;
  text: string;
  atMs: number;
}

export interface ComposerState {
  text: string;
  outgoing: readonly Outgoing[];
  answers: readonly CommandAnswer[];
  /** Why the last message could not be sent; its text is back in the field. */
  error: WireError | null;
}

export interface ComposerOptions {
  sessionKey: SessionKey;
  bridge: Bridge;
  drafts: Drafts;
  gatewayNowMs: () => number;
  newId: () => string;
}

/** As `sessions.send` takes it. */
export const LONGEST_MESSAGE = 200_000;

/** What the operator writes into a lane. Typed words are kept until the gateway has them on disk. */
export function composerStore(options: ComposerOptions) {
  const { sessionKey, bridge, drafts, gatewayNowMs, newId } = options;
  const store = createStore<ComposerState>(() => ({
    text: drafts.read(sessionKey),
    outgoing: [],
    answers: [],
    error: null,
  }));
  let again: Outgoing | null = null;

  /** Field and unanswered messages together: what a reload must bring back. */
  const keep = () => {
    const { text, outgoing } = store.getState();
    const unanswered = outgoing.filter((one) => one.inputId === null).map((one) => one.text);
    drafts.keep(sessionKey, [...unanswered, text].filter((part) => part !== "").join("\n"));
  };

  const settle = (messageId: string, change: (one: Outgoing) => Outgoing | null) => {
    store.setState(({ outgoing }) => ({
      outgoing: outgoing.flatMap((one) =>
        one.messageId === messageId ? (change(one) ?? []) : one,
      ),
    }));
  };

  const send = async () => {
    const { text } = store.getState();
    if (text.trim() === "" || text.length > LONGEST_MESSAGE) return;
    // The same words after a failure are the same message: it may have arrived after all.
    const messageId = again?.text === text ? again.messageId : newId();
    again = null;
    const one: Outgoing = { messageId, text, atMs: gatewayNowMs(), inputId: null };
    store.setState(({ outgoing }) => ({ text: "", error: null, outgoing: [...outgoing, one] }));
    keep();
    const reply = await bridge.call("sessions.send", { key: sessionKey, text, messageId });
    if (!reply.ok) {
      again = one;
      settle(messageId, () => null);
      store.setState((state) => ({
        error: reply.error,
        text: state.text === "" ? text : `${text}\n${state.text}`,
      }));
    } else {
      const { inputId, reply: answer } = reply.value;
      settle(messageId, () => (inputId === null || answer !== null ? null : { ...one, inputId }));
      if (answer !== null)
        store.setState(({ answers }) => ({
          answers: [
            ...answers,
            { id: messageId, command: text, text: answer, atMs: gatewayNowMs() },
          ],
        }));
    }
    keep();
  };

  return {
    store,
    actions: {
      write(text: string) {
        store.setState({ text });
        keep();
      },
      send,
      /** Takes out what has found its place: in the queue, or as a row of the transcript. */
      seen(waiting: readonly number[], messages: readonly MessageRow[]) {
        const { outgoing } = store.getState();
        if (outgoing.length === 0) return;
        const placed = (one: Outgoing) =>
          one.inputId !== null &&
          (waiting.includes(one.inputId) ||
            messages.some(
              (row) =>
                (row.role === "user" && row.text.includes(one.text.trim())) ||
                (row.role === "assistant" && row.atMs > one.atMs), // answered, whatever its words became
            ));
        if (outgoing.some(placed))
          store.setState({ outgoing: outgoing.filter((one) => !placed(one)) });
      },
    },
    start: () => () => {},
  };
}

export type Composer = ReturnType<typeof composerStore>;
