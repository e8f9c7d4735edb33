import type { Bridge, PushFrame, Reply } from "../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import { disconnected } from "./disconnected.ts";
import { pushHub } from "./push-hub.ts";

type Answer = { id: number; reply: Reply<unknown> };
type FromServer = Answer | { push: PushFrame };

/** The part of a WebSocket that is used, so that tests can bring their own. */
export interface Socket {
  send: (text: string) => void;
  close: () => void;
}

/** What happens to a socket, in order: perhaps opened, then texts, then closed, which also ends a failed attempt. */
export interface SocketEvents {
  opened: () => void;
  text: (text: unknown) => void;
  closed: () => void;
}

export interface WebSocketBridgeOptions {
  open: (events: SocketEvents) => Socket;
  /** Runs `fn` after `ms`; returns its cancellation. */
  after: (ms: number, fn: () => void) => () => void;
  /** 0 … 1; spreads the reconnects of several windows. */
  random: () => number;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000; // a person who restarts the gateway should not have to reload the page
const ANSWER_WITHIN_MS = 120_000; // a probe of a slow server takes tens of seconds; nothing takes minutes

/**
 * The contract over a WebSocket: `{id, call, input}` out, `{id, reply}` and `{push}` in.
 *
 * Calls made while the first connection is being opened wait for it. Later, while the link is lost, they are answered
 * E_DISCONNECTED at once (`details.asked` false), as are those in flight when it breaks (`details.asked` true).
 */
export function webSocketBridge(options: WebSocketBridgeOptions): Bridge & { close(): void } {
  const hub = pushHub();
  const waiting = new Map<number, (reply: Reply<unknown>) => void>();
  let socket: Socket | null = null;
  let unsent: string[] | null = []; // null once the first attempt has been decided
  let nextId = 1;
  let failures = 0;
  let closed = false;
  let cancelRetry = () => {};

  const settle = (id: number, reply: Reply<unknown>) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    answer?.(reply);
  };

  const receive = (text: unknown) => {
    const message = JSON.parse(String(text)) as FromServer; // our own host's frames, behind its cookie
    if ("push" in message) hub.deliver(message.push);
    else settle(message.id, message.reply);
  };

  const connect = () => {
    const opening = options.open({
      opened() {
        socket = opening;
        failures = 0;
        for (const text of unsent ?? []) opening.send(text);
        unsent = null;
        hub.link("up");
      },
      text: receive,
      closed() {
        socket = null;
        unsent = null;
        for (const id of waiting.keys()) settle(id, disconnected(true));
        if (closed) return;
        hub.link("lost");
        const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
        failures += 1;
        cancelRetry = options.after(waitMs * (0.75 + options.random() / 2), connect);
      },
    });
  };
  connect();

  return {
    on: hub.on,
    onLink: hub.onLink,
    call<N extends CallName>(name: N, input: CallInput<N>): Promise<Reply<CallOutput<N>>> {
      if (socket === null && unsent === null) return Promise.resolve(disconnected(false));
      const id = nextId;
      nextId += 1;
      const text = JSON.stringify({ id, call: name, input });
      return new Promise((resolve) => {
        const cancel = options.after(ANSWER_WITHIN_MS, () => {
          settle(id, disconnected(true));
        });
        waiting.set(id, (reply) => {
          cancel();
          resolve(reply as Reply<CallOutput<N>>); // the host validated it against the call of this id
        });
        if (socket === null) unsent?.push(text);
        else socket.send(text);
      });
    },
    close() {
      closed = true;
      cancelRetry();
      socket?.close();
    },
  };
}
