/** Of an invoke event, what the app looks at; shaped as Electron's. */
export interface InvokeEvent {
  sender: unknown;
  senderFrame: unknown;
}
type Handler = (event: InvokeEvent, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

export const ipcMain = {
  handle(channel: string, handler: Handler): void {
    if (handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    handlers.set(channel, handler);
  },
  removeHandler(channel: string): void {
    handlers.delete(channel);
  },
};

/** Runs the app's handler. Its answer is copied as between processes: what cannot be, rejects. */
export async function handleInvoke(
  event: InvokeEvent,
  channel: string,
  args: unknown[],
): Promise<unknown> {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  return structuredClone(await handler(event, ...args));
}
