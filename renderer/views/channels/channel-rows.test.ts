import { expect, test } from "vitest";
import { fakeWorld } from "../../bridge/fake/fake-world.ts";
import { channelRows, enabledPath, hookNameOf } from "./channel-rows.ts";

const { channels } = fakeWorld({ sessions: 0, nowMs: 0 });

test("switched-off channels are shown after the running ones, each once", () => {
  const settings = {
    channels: {
      local: { enabled: true },
      simulator: { enabled: false },
      webhook: { deploys: { enabled: true }, old: { enabled: false } },
    },
  };
  const running = channels.filter((row) => row.id !== "simulator");
  const rows = channelRows(running, settings);
  expect(rows.slice(0, running.length)).toEqual(running);
  expect(rows.slice(running.length).map(({ id, state }) => [id, state])).toEqual([
    ["simulator", "stopped"],
    ["webhook:old", "stopped"],
  ]);
});

test("without settings the running ones are all that is known", () => {
  expect(channelRows(channels, undefined)).toEqual(channels);
});

test.each([
  ["local", "channels.local.enabled", null],
  ["webhook:deploys", "channels.webhook.deploys.enabled", "deploys"],
])("%s is switched at %s", (id, path, hook) => {
  expect(enabledPath(id)).toBe(path);
  expect(hookNameOf(id)).toBe(hook);
});
