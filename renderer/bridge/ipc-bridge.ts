import type { Bridge, PushFrame, Reply } from "../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import { disconnected } from "./disconnected.ts";
import { pushHub } from "./push-hub.ts";

/** Exactly what the desktop host's preload exposes as `window.signalbox`. */
export interface Preload {
  call(name: string, input: unknown): Promise<Reply<unknown>>;
  on(listener: (frame: PushFrame) => void): () => void;
}

declare global {
  interface Window {
    signalbox?: Preload;
  }
}

/** The contract over Electron's IPC. The link is up as long as the window lives: its host is the gateway's process. */
export function ipcBridge(preload: Preload): Bridge {
  const hub = pushHub();
  preload.on(hub.deliver);
  hub.link("up");
  return {
    on: hub.on,
    onLink: hub.onLink,
    async call<N extends CallName>(name: N, input: CallInput<N>): Promise<Reply<CallOutput<N>>> {
      try {
        return (await preload.call(name, input)) as Reply<CallOutput<N>>; // validated by the host's door
      } catch {
        return disconnected(true); // the main process is going away
      }
    },
  };
}
