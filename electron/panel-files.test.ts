import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentSecurityPolicy, panelFiles } from "./panel-files.ts";

const place = mkdtempSync(join(tmpdir(), "signalbox-panel-"));
const folder = join(place, "panel");
const serve = panelFiles(folder);
const get = (path: string, init?: RequestInit) => serve(new Request(`app://panel${path}`, init));

beforeAll(() => {
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<h1>panel</h1>");
  writeFileSync(join(folder, "assets", "a.js"), "1");
  writeFileSync(join(place, "secret.txt"), "secret");
});
afterAll(() => {
  rmSync(place, { recursive: true });
});

describe("files of the panel", () => {
  test.each([
    ["/assets/a.js", "text/javascript; charset=utf-8", "1"],
    ["/", "text/html; charset=utf-8", "<h1>panel</h1>"],
    ["/index.html?x=1", "text/html; charset=utf-8", "<h1>panel</h1>"],
    ["/sessions", "text/html; charset=utf-8", "<h1>panel</h1>"],
    ["/sessions/agent%3Amain%3Alocal%3Adm%3Aa.b", "text/html; charset=utf-8", "<h1>panel</h1>"],
    ["/assets", "text/html; charset=utf-8", "<h1>panel</h1>"],
  ])("%s is %s", async (path, type, text) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toBe(text);
  });

  test.each([
    ["/assets/missing.js", 404],
    ["/..%2fsecret.txt", 404],
    ["/assets/..%2f..%2fsecret.txt", 404],
    ["/..%5csecret.txt", 404],
    ["/%00", 404],
    ["/%ff", 404],
  ])("%s is refused with %i", async (path, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe("");
  });

  test("only reading is answered, and only for the panel's own host", async () => {
    expect((await get("/", { method: "POST" })).status).toBe(405);
    expect((await serve(new Request("app://other/"))).status).toBe(403);
    const head = await get("/", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("every answer carries the policy, refusals included", async () => {
    for (const path of ["/", "/assets/a.js", "/assets/missing.js"]) {
      const { headers } = await get(path);
      expect(headers.get("content-security-policy")).toBe(contentSecurityPolicy);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(contentSecurityPolicy).not.toMatch(/unsafe|\*|https?:/);
  });

  test("a panel that was never built says so", async () => {
    const nowhere = panelFiles(join(place, "nowhere"));
    const response = await nowhere(new Request("app://panel/sessions"));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("npm run build");
  });
});
