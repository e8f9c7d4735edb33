import { randomUUID } from "node:crypto";
import type { IpcMain, IpcMainInvokeEvent, WebContents } from "electron";
import type { PushFrame, Reply } from "../core/contract/bridge.ts";
import { SignalboxError, toWire } from "../core/contract/errors.ts";
import type { Connection, GatewayApi } from "../core/gateway-api.ts";
import { CALL_CHANNEL, PUSH_CHANNEL, isPanelUrl } from "./channels.ts";

/** Of an IPC event, what the sender check looks at. */
export type Sender = Pick<IpcMainInvokeEvent, "sender" | "senderFrame">;

/** Only the top frame of our own window, and only while it shows our own page. */
export function isOwnPage({ sender, senderFrame }: Sender, own: WebContents): boolean {
  // A frame that navigated away or was closed is null by the time its call arrives.
  return sender.id === own.id && senderFrame?.parent === null && isPanelUrl(senderFrame.url);
}

const refusal = (message: string): Reply<never> => ({
  ok: false,
  error: toWire(new SignalboxError("E_SENDER", message)),
});

/**
 * Serves the contract to one window. Validation, run and envelope are the gateway's `answer`; this side adds
 * who may speak, and numbers the pushes of each document from 1.
 *
 * @returns Closes the door: calls are no longer taken and pushes end.
 */
export function openDoor(ipcMain: IpcMain, gateway: GatewayApi, page: WebContents): () => void {
  let line: { connection: Connection; hangUp: () => void } | null = null;

  const hangUp = () => {
    line?.hangUp();
    line = null;
  };

  /** A document's first call opens its line, so that no push is numbered before the page can hear it. */
  const lineOfDocument = (): Connection => {
    if (line) return line.connection;
    const connection: Connection = { id: `window-${randomUUID()}`, watching: new Set() };
    let seq = 0;
    const disconnect = gateway.connect(connection, (name, payload) => {
      if (page.isDestroyed()) return;
      const frame: PushFrame = { seq: ++seq, bootId: gateway.bootId, name, payload };
      page.send(PUSH_CHANNEL, frame);
    });
    line = { connection, hangUp: disconnect };
    return connection;
  };

  page.on("did-navigate", hangUp); // a reload or another page: its predecessor hears nothing more
  page.once("destroyed", hangUp);
  ipcMain.handle(CALL_CHANNEL, (event, name: unknown, input: unknown) => {
    if (!isOwnPage(event, page)) return refusal("Refused: this window is not the panel.");
    if (typeof name !== "string") return refusal("Refused: a call is a name and its input.");
    return gateway.answer(name, input, { actor: "panel", connection: lineOfDocument() });
  });

  return () => {
    ipcMain.removeHandler(CALL_CHANNEL);
    page.off("did-navigate", hangUp);
    hangUp();
  };
}
