import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { webhookChannel } from "../channels/webhook.ts";
import { signatureHeaders } from "../channels/webhook-signature.ts";
import { fakeInbox } from "../channels/channel-conformance.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { buildPanel, rawAsk, testServer, type Answer, type TestServer } from "./server-testing.ts";

interface Case {
  n: number;
  request: string;
  headers: Record<string, string>;
}
const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, "testdata", "door-requests.json"), "utf8"),
) as Case[];

let under: TestServer;
let otherPort: number;
const other = createServer(() => {
  otherWasAsked = true;
});
let otherWasAsked = false;
let accepted = 0;
const logged: string[] = [];
const log: Log = {
  debug: (...line) => void logged.push(JSON.stringify(line)),
  info: (...line) => void logged.push(JSON.stringify(line)),
  warn: (...line) => void logged.push(JSON.stringify(line)),
  error: (...line) => void logged.push(JSON.stringify(line)),
  area: () => log,
};
const HOOK = "a-hook-secret-of-its-own";

beforeAll(async () => {
  under = await testServer({ log });
  buildPanel(under.panelDir);
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  otherPort = (other.address() as AddressInfo).port;
  const hook = webhookChannel("door", {
    enabled: true,
    secret: HOOK,
    out: null,
    agent: null,
    chatType: "dm",
  });
  const inbox = fakeInbox();
  await hook.start({
    clock: systemClock,
    log,
    report: () => undefined,
    accept: async (message) => {
      const acceptance = await inbox.accept(message);
      accepted = inbox.seen.length;
      return acceptance;
    },
  });
  under.hooks.set("door", hook.handler);
});
afterAll(async () => {
  await under.close();
  other.close();
});

const SESSIONS = JSON.stringify({ method: "sessions.list", params: {} });

/** One line of the case file as a request to this product: a session call is a POST of `/rpc`. */
async function run({ request, headers: given }: Case): Promise<Answer> {
  const filled = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value
        .replace("OTHERPORT", String(otherPort))
        .replace("PORT", String(under.server.port))
        .replace("GOOD", under.token)
        .replace("HOOK", HOOK),
    ]),
  );
  const json = { "Content-Type": "application/json", ...filled };
  if (request.startsWith("GET sessions?token"))
    return under.ask("POST", `/rpc?token=${under.token}`, json, SESSIONS);
  if (request.includes("HTTP/1.0")) {
    const lines = Object.entries(json).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = await rawAsk(
      under.server.port,
      `POST /rpc HTTP/1.0\r\n${lines.join("")}Content-Length: ${SESSIONS.length}\r\n\r\n${SESSIONS}`,
    );
    return { status: Number(text.split(" ")[1]), headers: {}, body: text };
  }
  if (request.startsWith("GET sessions")) return under.ask("POST", "/rpc", json, SESSIONS);
  if (request.startsWith("OPTIONS")) return under.ask("OPTIONS", "/rpc", filled);
  if (request.startsWith("POST message")) return under.ask("POST", "/rpc", filled, SESSIONS);
  if (request.startsWith("WebSocket"))
    return under.ask("GET", "/ws", {
      ...filled,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    });
  if (request.startsWith("GET any static")) return under.ask("GET", "/", filled);
  if (request.startsWith("open the page"))
    return under.ask("GET", `/?gatewayUrl=ws://127.0.0.1:${otherPort}`, filled);
  if (request.startsWith("GET /health")) return under.ask("GET", "/health", filled);
  throw new Error(`no reading of: ${request}`);
}

const numbered = (n: number): Case => {
  const found = cases.find((one) => one.n === n);
  if (found === undefined) throw new Error(`case ${n} is gone`);
  return found;
};

const statuses: [number, number][] = [
  [1, 200],
  [2, 401],
  [3, 200],
  [4, 200],
  [5, 403],
  [6, 403],
  [7, 400],
  [8, 400],
  [9, 403],
  [10, 403],
  [11, 403],
  [12, 200],
  [13, 401],
  [14, 403],
  [15, 415],
  [16, 401],
  [17, 403],
  [18, 401],
];

test.each(statuses)("request %i is answered %i", async (n, status) => {
  const before = under.gateway.asked.length;
  const answer = await run(numbered(n));
  expect(answer.status).toBe(status);
  expect(under.gateway.asked.length - before).toBe(status === 200 && n !== 1 ? 1 : 0);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual(
    [],
  );
  expect(answer.body).not.toContain(under.token);
  if (n === 1) expect(JSON.parse(answer.body)).toEqual({ ok: true });
});

test("19: a hook's secret is no token, and a hook cannot name a session key", async () => {
  const { headers } = numbered(19);
  const foreign = { "session-key": headers["session-key"] ?? "" };
  const asToken = await under.rpc(
    { method: "sessions.send" },
    { ...foreign, Authorization: `Bearer ${HOOK}` },
  );
  expect(asToken.status).toBe(401);
  const body = JSON.stringify({ messageId: "n19", text: "x" });
  const signed = await under.ask(
    "POST",
    "/hooks/door",
    {
      "Content-Type": "application/json",
      ...signatureHeaders(HOOK, Buffer.from(body), Date.now()),
      ...foreign,
    },
    body,
  );
  expect(signed.status).toBe(403);
  expect(accepted).toBe(0);
});

test("20: an id-like chat is nothing special, twice", async () => {
  for (const messageId of ["n20-a", "n20-b"]) {
    const chat = { id: "hook:01J9ZZZZZZZZZZZZZZZZZZZZZZ" };
    const body = JSON.stringify({ messageId, text: "x", chat });
    const headers = {
      "Content-Type": "application/json",
      ...signatureHeaders(HOOK, Buffer.from(body), Date.now()),
    };
    const answer = await under.ask("POST", "/hooks/door", headers, body);
    expect(answer.status).toBe(202);
    expect(JSON.parse(answer.body)).toMatchObject({
      duplicate: false,
      key: "agent:main:webhook:dm:door:hook:01J9ZZZZZZZZZZZZZZZZZZZZZZ",
    });
  }
});

test("21: wrong tokens meet 401, then 429; the good one always works", async () => {
  const seen: number[] = [];
  for (let n = 0; n < 20; n++)
    seen.push(
      (await under.rpc({ method: "sessions.list" }, { Authorization: "Bearer wrong" })).status,
    );
  expect(seen[0]).toBe(401);
  expect(seen.at(-1)).toBe(429);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await under.rpc({ method: "sessions.list" })).status).toBe(200);
});

test("22, 23: pages carry no token, and name no other server", async () => {
  for (const n of [22, 23]) {
    const answer = await run(numbered(n));
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain(under.token);
    expect(answer.body).not.toContain(String(otherPort));
    expect(answer.headers["content-security-policy"]).toContain(
      `connect-src 'self' ws://127.0.0.1:${under.server.port};`,
    );
  }
  expect(otherWasAsked).toBe(false);
});

test("afterwards: the token is in no log line", () => {
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.join("\n")).not.toContain(under.token);
});

test.each(["0.0.0.0", "::", "192.168.1.4", "example.org"])(
  "%s is refused as an address",
  async (host) => {
    const refusal = await testServer({ host }).catch((thrown: unknown) => thrown);
    expect(refusal).toBeInstanceOf(SignalboxError);
    expect(refusal).toMatchObject({ code: "E_REFUSED" });
  },
);

test.each([
  ["two Host headers", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n"],
  [
    "a target that names another host",
    "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n",
  ],
  ["no Host", "GET /healthz HTTP/1.1\r\n"],
  ["something that is no HTTP", "hello\r\n"],
])("%s: 400", async (_name, head) => {
  const text = await rawAsk(
    under.server.port,
    `${head.replace("PORT", String(under.server.port))}Connection: close\r\n\r\n`,
  );
  expect(text.split("\r\n")[0]).toMatch(/^HTTP\/1.1 400 /);
});
