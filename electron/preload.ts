import { contextBridge, ipcRenderer } from "electron";
import type { IpcRendererEvent } from "electron";
import type { PushFrame, Reply } from "../core/contract/bridge.ts";
import { CALL_CHANNEL, PUSH_CHANNEL } from "./channels.ts";

/** All that the page is given of the host. */
export interface DesktopPort {
  call(name: string, input: unknown): Promise<Reply<unknown>>;
  /** Hands over every push, in order, until the returned function is called. */
  on(listener: (frame: PushFrame) => void): () => void;
}

const port: DesktopPort = {
  call: (name, input) => ipcRenderer.invoke(CALL_CHANNEL, name, input) as Promise<Reply<unknown>>,
  on(listener) {
    // The event object stays here: it would hand the page `sender`, and with it the whole of IPC.
    const forward = (_event: IpcRendererEvent, frame: PushFrame) => {
      listener(frame);
    };
    ipcRenderer.on(PUSH_CHANNEL, forward);
    return () => {
      ipcRenderer.off(PUSH_CHANNEL, forward);
    };
  },
};

contextBridge.exposeInMainWorld("signalbox", port);
