import { describe, expect, test } from "vitest";
import { isPanelUrl } from "./channels.ts";
import { openExternalLink, webPreferences } from "./hardening.ts";

test("the page gets nothing of Node and stays in its sandbox", () => {
  expect(webPreferences).toEqual({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  });
});

describe("external links", () => {
  const addresses: [address: string, opened: string | null][] = [
    ["https://example.org/a?b#c", "https://example.org/a?b#c"],
    ["HTTPS://Example.org", "https://example.org/"],
    ["http://example.org/", null],
    ["https://name:word@example.org/", null],
    ["https://name@example.org/", null],
    ["file:///etc/passwd", null],
    ["javascript:alert(1)", null],
    ["app://panel/", null],
    ["ms-settings:display", null],
    ["//example.org", null],
    ["", null],
  ];
  test.each(addresses)("%s opens %s", (address, opened) => {
    const asked: string[] = [];
    const done = openExternalLink(address, async (url) => {
      asked.push(url);
    });
    expect(asked).toEqual(opened === null ? [] : [opened]);
    expect(done).toBe(opened !== null);
  });

  test("a system without a browser is no fault", async () => {
    const failing = Promise.reject(new Error("no application"));
    expect(openExternalLink("https://example.org/", () => failing)).toBe(true);
    await expect(failing).rejects.toThrow("no application");
  });
});

test.each([
  ["app://panel/", true],
  ["app://panel/sessions/a%2Fb?x=1#y", true],
  ["APP://panel/", true],
  ["app://panel.example.org/", false],
  ["app://panel:8080/", false],
  ["app://other/", false],
  ["app:panel/", false],
  ["https://panel/", false],
  ["about:blank", false],
  ["", false],
])("%s is the panel: %s", (address, is) => {
  expect(isPanelUrl(address)).toBe(is);
});
