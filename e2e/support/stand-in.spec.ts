/** The stand-in itself, under the desktop host's real parts and a gateway that only echoes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test as base } from "playwright/test";
import { build } from "vite";
import type { PushFrame } from "../../core/contract/bridge.ts";
import type { DesktopPort } from "../../electron/preload.ts";
import { EndedEarly } from "./child.ts";
import { launchOnStandIn } from "./stand-in/launch.ts";
import type { StandInApp } from "./stand-in/launch.ts";

declare const window: Window & { signalbox: DesktopPort; heard: PushFrame[] };

const main = join(import.meta.dirname, "fake", "fake-desktop-main.ts");

const test = base.extend<{ dataDir: string; app: StandInApp }, { preload: string }>({
  preload: [
    async ({}, use) => {
      const outDir = mkdtempSync(join(tmpdir(), "signalbox-preload-"));
      await build({
        configFile: false,
        logLevel: "error",
        build: {
          ssr: true,
          outDir,
          rolldownOptions: {
            input: { preload: join(import.meta.dirname, "../../electron/preload.ts") },
            external: ["electron"],
            output: { format: "cjs", entryFileNames: "[name].cjs" },
          },
        },
      });
      await use(join(outDir, "preload.cjs"));
      rmSync(outDir, { recursive: true });
    },
    { scope: "worker" },
  ],
  dataDir: async ({}, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), "signalbox-stand-in-"));
    await use(dataDir);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  },
  app: async ({ preload, dataDir }, use) => {
    const app = await launchOnStandIn(main, ["--data", dataDir, "--preload", preload]);
    await use(app);
    app.child.process.kill("SIGKILL");
    await app.child.ended;
    await app.reap();
  },
});

const call = (app: StandInApp, name: string, input: unknown) =>
  app.page.evaluate(([name, input]) => window.signalbox.call(name, input), [name, input] as const);

test("a call goes through preload, door and gateway, and its answer comes back", async ({
  app,
}) => {
  const reply = await call(app, "test.echo", {
    text: "a\u2028b 🚉",
    list: [1, null, { deep: true }],
  });
  expect(reply).toMatchObject({
    ok: true,
    value: {
      name: "test.echo",
      input: { text: "a\u2028b 🚉", list: [1, null, { deep: true }] },
      actor: "panel",
    },
  });
  const nothing = await app.page.evaluate(() => window.signalbox.call("test.echo", undefined));
  expect(nothing).toMatchObject({ ok: true });
  expect(Object.keys((nothing as { value: object }).value)).toContain("name");
});

test("a handler that throws rejects the page's promise", async ({ app }) => {
  await expect(call(app, "test.crash", {})).rejects.toThrow(/a fault of the gateway's own/);
});

test("pushes arrive in order, numbered from 1 for each document", async ({ app }) => {
  await call(app, "test.push", {});
  await call(app, "test.push", {});
  await expect(app.page.getByRole("status")).toHaveText("2: config.changed");
  const bootId = `boot-${app.child.pid}`;
  expect(await app.page.evaluate(() => window.heard)).toEqual([
    { seq: 1, bootId, name: "config.changed", payload: { path: "test" } },
    { seq: 2, bootId, name: "config.changed", payload: { path: "test" } },
  ]);
  await app.page.reload();
  await call(app, "test.push", {});
  await expect(app.page.getByRole("status")).toHaveText("1: config.changed");
  const { value } = (await call(app, "test.echo", {})) as { value: { lines: number } };
  expect(value.lines).toBe(1); // the document before the reload hears nothing more
});

test("a listener that was taken off hears nothing more", async ({ app }) => {
  const counts = await app.page.evaluate(async () => {
    let heard = 0;
    const off = window.signalbox.on(() => heard++);
    await window.signalbox.call("test.push", {});
    const before = heard;
    off();
    await window.signalbox.call("test.push", {});
    return { before, after: heard };
  });
  expect(counts).toEqual({ before: 1, after: 1 });
});

test("the page has call and on, and nothing of the preload's own world", async ({ app }) => {
  const seen = await app.page.evaluate(() => ({
    port: Object.keys(window.signalbox),
    frozen: Object.isFrozen(window.signalbox),
    replaced: Reflect.set(window, "signalbox", null),
    require: typeof Reflect.get(window, "require"),
    process: typeof Reflect.get(window, "process"),
    toMain: typeof Reflect.get(window, "toMain"),
  }));
  expect(seen).toEqual({
    port: ["call", "on"],
    frozen: true,
    replaced: false,
    require: "undefined",
    process: "undefined",
    toMain: "undefined",
  });
});

test("navigation and new windows are denied; only https leaves, through the system", async ({
  app,
}) => {
  await app.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { opened });
    shell.openExternal = (url) => {
      opened.push(url);
      return Promise.resolve();
    };
  }, null);
  const before = app.page.url();
  expect(await app.page.evaluate(() => window.open("https://example.test/script"))).toBeNull();
  expect(await app.page.evaluate(() => window.open("file:///etc/passwd"))).toBeNull();
  expect(await app.page.evaluate(() => window.open("https://a:b@example.test/"))).toBeNull();
  await app.page.getByRole("link", { name: "open" }).click();
  await app.page.getByRole("link", { name: "leave" }).click();
  await call(app, "test.push", {}); // the page is alive, and everything before it has been handled
  await expect(app.page.getByRole("status")).toHaveText("1: config.changed");
  await expect
    .poll(() => app.evaluate(() => Reflect.get(globalThis, "opened") as string[], null))
    .toEqual(["https://example.test/script", "https://example.test/new"]);
  expect(app.page.url()).toBe(before);
  await expect.poll(() => app.page.context().pages().length).toBe(1);
});

test("another page in our own window is no panel: its calls are refused", async ({ app }) => {
  await app.evaluate(async ({ BrowserWindow }) => {
    await BrowserWindow.getAllWindows()[0]?.loadURL("data:text/html,<h1>stranger</h1>");
  }, null);
  await expect(app.page.getByRole("heading", { name: "stranger" })).toBeVisible();
  expect(await call(app, "test.echo", {})).toMatchObject({
    ok: false,
    error: { code: "E_SENDER" },
  });
});

test("permissions are refused, but for writing to the clipboard", async ({ app }) => {
  const states = await app.page.evaluate(async () => {
    const names = ["clipboard-write", "clipboard-read", "geolocation", "notifications"];
    const asked = names.map((name) =>
      navigator.permissions.query({ name: name as PermissionName }).then(({ state }) => state),
    );
    return Promise.all(asked);
  });
  expect(states).toEqual(["granted", "denied", "denied", "denied"]);
});

test("the page's policy lets in no inline script and no other server", async ({ app }) => {
  await app.page.evaluate(() => {
    const violated: string[] = [];
    Object.assign(window, { violated });
    document.addEventListener("securitypolicyviolation", (event) => {
      violated.push(event.effectiveDirective);
    });
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.head.append(script);
    return fetch("https://example.test/").catch(() => undefined);
  });
  await expect
    .poll(() => app.page.evaluate(() => Reflect.get(window, "violated") as string[]))
    .toEqual(["script-src-elem", "connect-src"]);
  expect(await app.page.evaluate(() => typeof Reflect.get(window, "ran"))).toBe("undefined");
});

test("SIGTERM drains: the gateway is stopped, then the process ends with 0", async ({ app }) => {
  app.child.process.kill("SIGTERM");
  expect(await app.child.ended).toEqual({ code: 0, signal: null });
  expect(app.child.stdout()).toBe("stopped: quit\n");
});

test("closing the window does the same, and its place is kept", async ({
  app,
  preload,
  dataDir,
}) => {
  const place = { x: 40, y: 30, width: 1100, height: 700 };
  await app.evaluate(({ BrowserWindow }, bounds) => {
    const window = BrowserWindow.getAllWindows()[0];
    window?.setBounds(bounds);
    window?.close();
  }, place);
  expect(await app.child.ended).toEqual({ code: 0, signal: null });
  expect(app.child.stdout()).toBe("stopped: quit\n");

  const again = await launchOnStandIn(main, ["--data", dataDir, "--preload", preload]);
  const bounds = await again.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
    null,
  );
  again.child.process.kill("SIGTERM");
  await again.child.ended;
  expect(bounds).toEqual(place);
});

test("a second start on the same data raises the first window and ends with 1", async ({
  app,
  preload,
  dataDir,
}) => {
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.once("focus", () =>
      Object.assign(globalThis, { raised: true }),
    );
  }, null);
  const second = launchOnStandIn(main, ["--data", dataDir, "--preload", preload]);
  const ended = await second.then(
    () => null,
    (error: unknown) => error as EndedEarly,
  );
  expect(ended).toBeInstanceOf(EndedEarly);
  expect(ended).toMatchObject({
    status: 1,
    output: "The data is in use by process 1. Its window was brought to the front.\n",
  });
  await expect
    .poll(() => app.evaluate(() => Reflect.get(globalThis, "raised") as unknown, null))
    .toBe(true);
});

test("a gateway that cannot start is said in words, with exit code 1", async ({
  preload,
  dataDir,
}) => {
  const args = ["--data", dataDir, "--preload", preload, "--refuse", "It is in use by process 7."];
  const ended = await launchOnStandIn(main, args).catch((error: unknown) => error as EndedEarly);
  expect(ended).toMatchObject({
    status: 1,
    output:
      "Signalbox cannot start: It is in use by process 7.\n" +
      "[dialog] Signalbox cannot start: It is in use by process 7.\n",
  });
});

test("kill -9 takes the window with it, and the next start is undisturbed", async ({
  app,
  preload,
  dataDir,
}) => {
  app.child.process.kill("SIGKILL");
  expect(await app.child.ended).toEqual({ code: null, signal: "SIGKILL" });
  await app.reap();
  const again = await launchOnStandIn(main, ["--data", dataDir, "--preload", preload]);
  expect(await call(again, "test.echo", {})).toMatchObject({ ok: true });
  again.child.process.kill("SIGTERM");
  expect((await again.child.ended).code).toBe(0);
});
