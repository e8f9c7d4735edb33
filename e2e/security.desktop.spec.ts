/** The desktop host opens no port, and its page stays in its box. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import type { WebPreferences } from "electron";
import { webPreferences } from "../electron/hardening.ts";
import type { DesktopPort } from "../electron/preload.ts";
import { expect, test } from "./support/host.ts";
import type { LaunchedDesktop } from "./support/launch-desktop.ts";

declare const window: Window & { signalbox: DesktopPort };

test("no port is opened", async ({ host }) => {
  test.skip(process.platform !== "linux", "asks /proc");
  const { pid } = host.running.child;
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  const LISTEN = "0A";
  const listening = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN && own.has(fields[9] ?? "")),
  );
  expect(own.size).toBeGreaterThan(0); // the reading itself works
  expect(listening).toEqual([]);
});

test("the page has call and on, in a sandbox, and no Node", async ({ host }) => {
  const seen = await host.page.evaluate(() => ({
    port: Object.keys(window.signalbox),
    kinds: Object.values(window.signalbox).map((value) => typeof value),
    node: ["require", "process", "module", "Buffer", "global"].filter((name) => name in window),
  }));
  expect(seen).toEqual({ port: ["call", "on"], kinds: ["function", "function"], node: [] });
  const inForce = await (host.running as LaunchedDesktop).evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    // It is there, if not in the published types.
    const lasting = contents as unknown as { getLastWebPreferences(): WebPreferences };
    return lasting.getLastWebPreferences();
  }, null);
  expect(inForce).toMatchObject(webPreferences);
});

test("the page stays where it is, and opens nothing", async ({ host }) => {
  const { page } = host;
  const before = page.url();
  expect(await page.evaluate(() => window.open("https://example.test/"))).toBeNull();
  expect(await page.evaluate(() => window.open("about:blank"))).toBeNull();
  await page.evaluate(() => {
    location.href = "https://example.test/";
  });
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.src = "https://example.test/";
    document.body.append(frame);
  });
  expect((await host.call("gateway.status", {})).state).toBe("up"); // through the page: it is still ours
  expect(page.url()).toBe(before);
  expect(page.context().pages()).toHaveLength(1);
});

test("what is malformed gets a typed error, and the next call is served", async ({ host }) => {
  const call = (name: unknown, input: unknown) =>
    host.page.evaluate(
      ([name, input]) => window.signalbox.call(name as string, input),
      [name, input],
    );
  expect(await call("constructor", {})).toMatchObject({ error: { code: "E_UNKNOWN_CALL" } });
  expect(await call({ a: 1 }, {})).toMatchObject({ error: { code: "E_SENDER" } });
  expect(await call("sessions.get", { key: 7 })).toMatchObject({
    error: { code: "E_INPUT", details: { field: "key" } },
  });
  expect(await call("sessions.get", null)).toMatchObject({ error: { code: "E_INPUT" } });
  expect(await call("gateway.status", {})).toMatchObject({ ok: true });
});
