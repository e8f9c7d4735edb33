import { expect, test } from "vitest";
import type { PushFrame } from "../../core/contract/bridge.ts";
import { ipcBridge } from "./ipc-bridge.ts";

test("calls go through, pushes come in, and the link is up while the window lives", async () => {
  let deliver: (frame: PushFrame) => void = () => {};
  const asked: unknown[] = [];
  const bridge = ipcBridge({
    call(name, input) {
      asked.push([name, input]);
      return Promise.resolve({ ok: true, value: { unseen: 3 } });
    },
    on(listener) {
      deliver = listener;
      return () => {};
    },
  });
  const news: string[] = [];
  bridge.onLink((state) => news.push(state));
  bridge.on("config.changed", ({ path }) => news.push(path));
  expect(await bridge.call("notices.seen", { through: 1 })).toEqual({
    ok: true,
    value: { unseen: 3 },
  });
  expect(asked).toEqual([["notices.seen", { through: 1 }]]);
  deliver({ seq: 1, bootId: "b", name: "config.changed", payload: { path: "agents" } });
  deliver({ seq: 3, bootId: "b", name: "config.changed", payload: { path: "logs" } });
  expect(news).toEqual(["up", "agents", "gap", "logs"]);
});

test("a main process that goes away is told like a lost link", async () => {
  const bridge = ipcBridge({
    call: () => Promise.reject(new Error("object has been destroyed")),
    on: () => () => {},
  });
  expect(await bridge.call("gateway.status", {})).toMatchObject({
    ok: false,
    error: { code: "E_DISCONNECTED" },
  });
});
