import type { IpcMain, IpcMainInvokeEvent, WebContents } from "electron";
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import type { PushFrame, Reply } from "../core/contract/bridge.ts";
import type { CallContext, GatewayApi, PushListener } from "../core/gateway-api.ts";
import { CALL_CHANNEL, PUSH_CHANNEL } from "./channels.ts";
import { isOwnPage, openDoor } from "./ipc.ts";
import type { Sender } from "./ipc.ts";

const contents = (id: number) =>
  Object.assign(new EventEmitter(), { id }) as unknown as WebContents;
const sender = (id: number, url: string, parent: object | null = null) =>
  ({ sender: contents(id), senderFrame: { url, parent } }) as unknown as Sender;

describe("who may speak", () => {
  const own = contents(7);
  test.each<[string, Sender, boolean]>([
    ["our page", sender(7, "app://panel/sessions"), true],
    ["a frame inside our page", sender(7, "app://panel/", {}), false],
    ["another page in our window", sender(7, "https://panel/"), false],
    ["our page in another window", sender(8, "app://panel/"), false],
    ["a frame that is gone", { ...sender(7, "app://panel/"), senderFrame: null }, false],
  ])("%s", (_who, from, may) => {
    expect(isOwnPage(from, own)).toBe(may);
  });
});

/** A door with a gateway behind it that tells who called, and a window that keeps what it is sent. */
function setUp() {
  const sent: PushFrame[] = [];
  const contexts: CallContext[] = [];
  const lines = new Map<string, PushListener>();
  let handler: ((event: IpcMainInvokeEvent, ...args: unknown[]) => unknown) | undefined;
  let destroyed = false;
  const page = Object.assign(new EventEmitter(), {
    id: 1,
    isDestroyed: () => destroyed,
    send(channel: string, frame: PushFrame) {
      if (destroyed) throw new TypeError("Object has been destroyed");
      expect(channel).toBe(PUSH_CHANNEL);
      sent.push(frame);
    },
  });
  const ipcMain = {
    handle(channel: string, listener: typeof handler) {
      expect(channel).toBe(CALL_CHANNEL);
      handler = listener;
    },
    removeHandler() {
      handler = undefined;
    },
  };
  const gateway: Pick<GatewayApi, "bootId" | "answer" | "connect"> = {
    bootId: "boot",
    answer(name, input, context) {
      contexts.push(context);
      return Promise.resolve({ ok: true, value: { name, input } });
    },
    connect(connection, listener) {
      lines.set(connection.id, listener);
      return () => lines.delete(connection.id);
    },
  };
  const close = openDoor(
    ipcMain as unknown as IpcMain,
    gateway as GatewayApi,
    page as unknown as WebContents,
  );
  const event = { sender: page, senderFrame: { url: "app://panel/", parent: null } };
  return {
    sent,
    contexts,
    lines,
    page,
    close,
    push() {
      for (const tell of lines.values()) tell("config.changed", { path: "x" });
    },
    destroy() {
      destroyed = true;
    },
    isOpen: () => handler !== undefined,
    call: (name: unknown, input: unknown, from: object = event) =>
      Promise.resolve(handler?.(from as IpcMainInvokeEvent, name, input) as Reply<unknown>),
  };
}

describe("the door", () => {
  test("hands name and input to the gateway as the panel's, and its answer back", async () => {
    const door = setUp();
    expect(await door.call("x.y", { a: 1 })).toEqual({
      ok: true,
      value: { name: "x.y", input: { a: 1 } },
    });
    expect(door.contexts).toMatchObject([{ actor: "panel" }]);
  });

  test("refuses strangers and what is no call, and the gateway hears nothing of either", async () => {
    const door = setUp();
    const stranger = { sender: door.page, senderFrame: { url: "https://x.test/", parent: null } };
    for (const reply of [await door.call("x.y", {}, stranger), await door.call({ a: 1 }, {})]) {
      expect(reply).toMatchObject({ ok: false, error: { code: "E_SENDER" } });
    }
    expect(door.contexts).toEqual([]);
    expect(door.lines.size).toBe(0);
  });

  test("keeps one line for a document, and starts another one after it was left", async () => {
    const door = setUp();
    await door.call("x.y", {});
    await door.call("x.y", {});
    door.push();
    door.push();
    door.page.emit("did-navigate");
    door.push(); // nobody is there
    await door.call("x.y", {});
    door.push();
    expect(door.sent.map(({ seq }) => seq)).toEqual([1, 2, 1]);
    const ids = door.contexts.map(({ connection }) => connection?.id);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("sends nothing to a window that is gone", async () => {
    const door = setUp();
    await door.call("x.y", {});
    door.destroy();
    door.push();
    expect(door.sent).toEqual([]);
    door.page.emit("destroyed");
    expect(door.lines.size).toBe(0);
  });

  test("closing it ends calls and pushes", async () => {
    const door = setUp();
    await door.call("x.y", {});
    door.close();
    expect(door.isOpen()).toBe(false);
    expect(door.lines.size).toBe(0);
  });
});
