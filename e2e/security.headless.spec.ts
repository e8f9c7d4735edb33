/** Strangers are kept out of the web host: other origins, other hosts, no token. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import { test as base, expect } from "./support/host.ts";
import { loginLink, serve } from "./support/launch-headless.ts";
import type { Served } from "./support/launch-headless.ts";

const test = base.extend<{ served: Served }>({
  served: async ({ dataDir }, use) => {
    const served = await serve(dataDir);
    await use(served);
    served.child.process.kill("SIGTERM");
    expect(await served.child.ended).toEqual({ code: 0, signal: null });
  },
});

/** One raw request: `fetch` would set Host and Origin itself. */
async function raw(
  { url }: Served,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; body: unknown }> {
  const sent = request(new URL(path, url), { method, headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
  return { status: response.statusCode ?? 0, body: isJson ? (JSON.parse(text) as unknown) : text };
}

const body = JSON.stringify({ method: "gateway.status", params: {} });
const post = (served: Served, headers: Record<string, string>) =>
  raw(served, "/rpc", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

test("a call needs the token, our own name, and no foreign page behind it", async ({ served }) => {
  const authorization = `Bearer ${served.token}`;
  const refused = (code: string) => ({ ok: false, error: { code } });
  expect(await post(served, { authorization })).toMatchObject({ status: 200, body: { ok: true } });
  expect(await post(served, {})).toMatchObject({ status: 401, body: refused("E_UNAUTHORIZED") });
  expect(await post(served, { authorization: "Bearer wrong" })).toMatchObject({
    status: 401,
    body: refused("E_UNAUTHORIZED"),
  });
  for (const origin of ["http://example.test", "null", "http://localhost:1"]) {
    expect(await post(served, { authorization, origin })).toMatchObject({
      status: 403,
      body: refused("E_SENDER"),
    });
  }
  const { port } = new URL(served.url);
  for (const host of ["example.test", `example.test:${port}`, `127.0.0.1.example.test:${port}`]) {
    expect(await post(served, { authorization, host })).toMatchObject({
      status: 403,
      body: refused("E_SENDER"),
    });
  }
});

test("a login link works once", async ({ served, browser }) => {
  const link = await loginLink(served);
  const [first, second] = await Promise.all([browser.newContext(), browser.newContext()]);
  const opened = await (await first.newPage()).goto(link);
  expect(opened?.status()).toBe(200);
  const again = await (await second.newPage()).goto(link);
  expect(again?.status()).toBe(401);
  expect(await second.cookies()).toEqual([]);
  const [cookie] = await first.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  await Promise.all([first.close(), second.close()]);
});

test("a WebSocket needs a login and our own page; a broken frame costs only itself", async ({
  served,
}) => {
  const open = (headers: Record<string, string>) =>
    new Promise<WebSocket | number>((resolve, reject) => {
      const socket = new WebSocket(new URL("/ws", served.url.replace("http", "ws")), { headers });
      socket.once("open", () => {
        resolve(socket);
      });
      socket.once("unexpected-response", (_request, { statusCode }) => {
        socket.terminate();
        resolve(statusCode ?? 0);
      });
      socket.once("error", reject);
    });
  const authorization = `Bearer ${served.token}`;
  expect(await open({})).toBe(401);
  expect(await open({ authorization, origin: "http://example.test" })).toBe(403);
  expect(await open({ authorization, host: "example.test" })).toBe(403);
  const socket = await open({ authorization });
  if (typeof socket === "number") throw new Error(`refused with ${socket}`);
  const next = async () => String((await once(socket, "message"))[0]);
  const answered = next();
  socket.send("{ this is no JSON");
  expect(await answered).toContain("E_INPUT");
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
});

test("a page of another origin reaches nothing, even in a browser that is logged in", async ({
  served,
  browser,
}) => {
  const stranger = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Stranger</title>");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(await loginLink(served));
    await page.goto(`http://localhost:${(stranger.address() as AddressInfo).port}/`);
    const got = await page.evaluate(async (url) => {
      const attempt = (work: Promise<unknown>) =>
        work.then(
          () => "reached",
          () => "refused",
        );
      const socket = (address: string) =>
        new Promise((resolve, reject) => {
          const opening = new WebSocket(address);
          opening.addEventListener("open", resolve);
          opening.addEventListener("error", reject);
        });
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener("load", resolve));
      return {
        read: await attempt(fetch(url)),
        call: await attempt(
          fetch(`${url}/rpc`, {
            method: "POST",
            credentials: "include",
            headers: { "content-type": "application/json" },
            body: "{}",
          }),
        ),
        socket: await attempt(socket(`${url.replace("http", "ws")}/ws`)),
      };
    }, served.url);
    expect(got).toEqual({ read: "refused", call: "refused", socket: "refused" });
    expect(page.frames().map((frame) => new URL(frame.url()).protocol)).toEqual([
      "http:",
      "chrome-error:", // the frame was refused
    ]);
  } finally {
    await context.close();
    stranger.close();
  }
});

test("what is malformed gets a typed error, and the next call is served", async ({ served }) => {
  const authorization = `Bearer ${served.token}`;
  const send = (text: string, type = "application/json") =>
    raw(served, "/rpc", {
      method: "POST",
      headers: { authorization, "content-type": type },
      body: text,
    });
  expect(await send("{")).toMatchObject({ status: 400, body: { error: { code: "E_INPUT" } } });
  expect(await send(body, "text/plain")).toMatchObject({ status: 415 });
  const unknown = await send(JSON.stringify({ method: "constructor", params: {} }));
  expect(unknown.body).toMatchObject({ ok: false, error: { code: "E_UNKNOWN_CALL" } });
  const wrong = await send(JSON.stringify({ method: "sessions.get", params: { key: 7 } }));
  expect(wrong.body).toMatchObject({ error: { code: "E_INPUT", details: { field: "key" } } });
  expect(await send(body)).toMatchObject({ status: 200, body: { ok: true } });
});
