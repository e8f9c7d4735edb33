/**
 * Scripts of the stand-in that run inside the page. They are sent as source, so each is self-contained and
 * uses only what a browser has.
 */

type Listener = (event: Record<string, never>, ...args: unknown[]) => void;

/** What crosses between the two worlds of a page: each value with what it was, functions and promises by number. */
type Crossing =
  | ["value", unknown]
  | ["function" | "promise", number]
  | ["list", Crossing[]]
  | ["object", Record<string, Crossing>];

type Message =
  | { type: "expose"; name: string; api: Crossing }
  | { type: "call"; fn: number; args: Crossing }
  | { type: "return"; value: Crossing; threw: boolean }
  | { type: "settle"; promise: number; value: Crossing; threw: boolean };

interface Half {
  /** Hands `api` to the other world, which sees copies of its data and doors to its functions. */
  expose(name: string, api: unknown): void;
}

/**
 * One end of the bridge between a page's own world and its preload's. Both worlds share the document and
 * nothing else, so messages are events on it: delivered at once, their contents copied by the browser.
 *
 * @param say Name of the events this half sends. @param hear Name of those it receives.
 */
export function bridgeHalf(say: string, hear: string): Half {
  const functions: ((...args: unknown[]) => unknown)[] = [];
  const promises = new Map<number, { resolve(v: unknown): void; reject(e: unknown): void }>();
  const dispatch = document.dispatchEvent.bind(document); // kept from pages that replace it later
  const Custom = CustomEvent;
  let promised = 0;
  let returned: { value: Crossing; threw: boolean } | undefined;

  const post = (message: Message) => {
    dispatch(new Custom(say, { detail: message }));
  };
  const settle = (promise: number, threw: boolean) => (value: unknown) => {
    post({ type: "settle", promise, threw, value: pack(threw ? String(value) : value) });
  };
  const pack = (value: unknown): Crossing => {
    if (typeof value === "function") {
      return ["function", functions.push(value as (...args: unknown[]) => unknown) - 1];
    }
    if (value instanceof Promise) {
      const promise = promised++;
      value.then(settle(promise, false), settle(promise, true));
      return ["promise", promise];
    }
    if (Array.isArray(value)) return ["list", value.map(pack)];
    if (typeof value === "object" && value !== null) {
      const fields = Object.entries(value).map(([key, field]) => [key, pack(field)] as const);
      return ["object", Object.fromEntries(fields)];
    }
    return ["value", value];
  };
  const unpack = ([kind, value]: Crossing): unknown => {
    switch (kind) {
      case "value":
        return value;
      case "list":
        return value.map(unpack);
      case "object":
        return Object.fromEntries(
          Object.entries(value).map(([key, field]) => [key, unpack(field)] as const),
        );
      case "promise":
        return new Promise((resolve, reject) => promises.set(value, { resolve, reject }));
      case "function":
        return (...args: unknown[]) => {
          post({ type: "call", fn: value, args: pack(args) });
          const { threw, value: result } = returned ?? { threw: true, value: pack("no answer") };
          returned = undefined;
          if (threw) throw new Error(String(unpack(result)));
          return unpack(result);
        };
    }
  };
  const answer = (fn: number, args: Crossing) => {
    try {
      const result = functions[fn]?.(...(unpack(args) as unknown[]));
      post({ type: "return", threw: false, value: pack(result) });
    } catch (thrown) {
      post({ type: "return", threw: true, value: pack(String(thrown)) });
    }
  };
  document.addEventListener(hear, (event) => {
    const message = (event as CustomEvent<Message>).detail;
    switch (message.type) {
      case "expose": {
        const api = unpack(message.api);
        const value: unknown = typeof api === "object" ? Object.freeze(api) : api;
        Object.defineProperty(window, message.name, { value, enumerable: true });
        break;
      }
      case "call":
        answer(message.fn, message.args);
        break;
      case "return":
        returned = message;
        break;
      case "settle": {
        const waiting = promises.get(message.promise);
        promises.delete(message.promise);
        const value = unpack(message.value);
        if (message.threw) waiting?.reject(new Error(String(value)));
        else waiting?.resolve(value);
      }
    }
  });
  return {
    expose(name, api) {
      post({ type: "expose", name, api: pack(api) });
    },
  };
}

/** What the preload's world is called by from outside, for one message of the main process. */
export interface FromMain {
  type: "event" | "reply";
  channel?: string;
  id?: number;
  args: unknown[];
  error?: string;
}
/** What the preload's world sends out. `args` are wrapped: JSON has no `undefined`. */
export interface ToMain {
  type: "invoke" | "send";
  id: number;
  channel: string;
  args: { value?: unknown }[];
}

/** The `electron` module as a sandboxed preload sees it. */
export function preloadModule(half: Half, toMain: (message: string) => void) {
  const listeners = new Map<string, Listener[]>();
  const waiting = new Map<number, { resolve(v: unknown): void; reject(e: unknown): void }>();
  let sent = 0;
  const out = (type: ToMain["type"], channel: string, args: unknown[]): number => {
    const message: ToMain = { type, id: sent++, channel, args: args.map((value) => ({ value })) };
    toMain(JSON.stringify(message));
    return message.id;
  };
  const off = (channel: string, listener: Listener) => {
    const rest = (listeners.get(channel) ?? []).filter((one) => one !== listener);
    listeners.set(channel, rest);
  };
  const fromMain = ({ type, channel = "", id = -1, args, error }: FromMain) => {
    if (type === "event") {
      for (const listener of listeners.get(channel) ?? []) listener({}, ...args);
      return;
    }
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(args[0]);
    else asked?.reject(new Error(error));
  };
  const ipcRenderer = {
    invoke: (channel: string, ...args: unknown[]) =>
      new Promise((resolve, reject) => {
        waiting.set(out("invoke", channel, args), { resolve, reject });
      }),
    send(channel: string, ...args: unknown[]) {
      out("send", channel, args);
    },
    on(channel: string, listener: Listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return ipcRenderer;
    },
    off(channel: string, listener: Listener) {
      off(channel, listener);
      return ipcRenderer;
    },
  };
  const contextBridge = {
    exposeInMainWorld(name: string, api: unknown) {
      half.expose(name, api);
    },
  };
  return { fromMain, module: { contextBridge, ipcRenderer } };
}

/** Stands before the page's own `window.open`, which under a host that denies windows yields nothing. */
export function denyWindowOpen(say: string): void {
  const Custom = CustomEvent;
  window.open = (url) => {
    const detail = new URL(url ?? "about:blank", document.baseURI).href;
    document.dispatchEvent(new Custom(say, { detail }));
    return null;
  };
}
