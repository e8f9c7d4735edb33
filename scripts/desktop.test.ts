import { expect, test } from "vitest";
import { chooseHost, type Machine } from "./desktop.ts";

const laptop: Machine = { platform: "darwin", env: {}, electron: "/e" };

test.each<[string, Machine, "desktop" | "headless"]>([
  ["a Mac with the runtime", laptop, "desktop"],
  ["Windows with the runtime", { ...laptop, platform: "win32" }, "desktop"],
  ["Linux under X", { ...laptop, platform: "linux", env: { DISPLAY: ":0" } }, "desktop"],
  [
    "Linux under Wayland",
    { ...laptop, platform: "linux", env: { WAYLAND_DISPLAY: "w" } },
    "desktop",
  ],
  ["Linux without a display", { ...laptop, platform: "linux" }, "headless"],
  ["an empty DISPLAY", { ...laptop, platform: "linux", env: { DISPLAY: "" } }, "headless"],
  ["no runtime", { ...laptop, electron: undefined }, "headless"],
  ["headless by wish", { ...laptop, env: { SIGNALBOX_HOST: "headless" } }, "headless"],
])("%s", (_, machine, kind) => {
  expect(chooseHost(machine).kind).toBe(kind);
});

const because = (machine: Machine) => {
  const host = chooseHost(machine);
  return host.kind === "headless" ? host.because : undefined;
};

test("the one line names what is missing, and nothing else", () => {
  const noRuntime = because({ ...laptop, electron: undefined });
  expect(noRuntime).toContain("Electron runtime");
  expect(noRuntime).not.toContain("display");
  const noDisplay = because({ ...laptop, platform: "linux" });
  expect(noDisplay).toContain("display");
  expect(noDisplay).not.toContain("Electron");
  const neither = because({ ...laptop, platform: "linux", electron: undefined });
  expect(neither).toContain("display and the Electron runtime");
  expect(because({ ...laptop, env: { SIGNALBOX_HOST: "headless" } })).toBeUndefined();
});
