import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../clock.ts";
import type { LogLine } from "../contract/domain.ts";
import { buildPanel, TestSocket, testServer, type TestServer } from "./server-testing.ts";
import { loadToken, readToken } from "./token.ts";

let under: TestServer;
let monotonicMs = 0;
const clock: Clock = { ...systemClock, monotonicMs: () => monotonicMs };
beforeEach(async () => {
  monotonicMs = 0;
  under = await testServer({ clock });
});
afterEach(() => under.close());

const line: LogLine = {
  seq: 1,
  atMs: 1,
  level: "info",
  area: "a",
  event: "e",
  sessionKey: null,
  text: "x".repeat(1024),
};

describe("the token", () => {
  test("is private, stays, and is made anew where it is damaged", () => {
    expect(under.token).toMatch(/^[\w-]{43}$/);
    expect(loadToken(under.dataDir)).toBe(under.token);
    const file = join(under.dataDir, "token");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "short");
    expect(readToken(under.dataDir)).toBeNull();
    expect(loadToken(under.dataDir)).not.toBe(under.token);
  });
});

describe("rpc", () => {
  test("passes the call on and tells who asked", async () => {
    const answer = await under.rpc(
      { method: "sessions.list", params: { limit: 3 } },
      { "X-Signalbox-Actor": "cli" },
    );
    expect(JSON.parse(answer.body)).toEqual({ ok: true, value: { sessions: [] } });
    expect(under.gateway.asked).toEqual([
      {
        name: "sessions.list",
        input: { limit: 3 },
        context: { actor: "cli", connection: null },
      },
    ]);
    await under.rpc({ method: "gateway.status" });
    expect(under.gateway.asked[1]).toMatchObject({ input: {}, context: { actor: "rpc" } });
  });

  test.each([
    ["E_INPUT", 400],
    ["E_UNKNOWN_CALL", 404],
    ["E_NOT_FOUND", 404],
    ["E_CONFLICT", 409],
    ["E_QUEUE_FULL", 429],
    ["E_STORE_FULL", 503],
    ["E_DRAINING", 503],
    ["E_INTERNAL", 500],
  ] as const)("%s is %i", async (code, status) => {
    under.gateway.reply = () => ({ ok: false, error: { code, message: "m", details: {} } });
    const answer = await under.rpc({ method: "x" });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({
      ok: false,
      error: { code, message: "m", details: {} },
    });
  });

  test("bad bodies get typed errors", async () => {
    const auth = { Authorization: `Bearer ${under.token}` };
    const json = { ...auth, "Content-Type": "application/json; charset=utf-8" };
    const bodies = ["", "{", "[]", '{"method":5}'];
    for (const body of bodies)
      expect(JSON.parse((await under.ask("POST", "/rpc", json, body)).body)).toMatchObject({
        error: { code: "E_INPUT" },
      });
    expect((await under.ask("POST", "/rpc", auth, "{}")).status).toBe(415);
    expect((await under.ask("GET", "/rpc", auth)).status).toBe(405);
    const large = await under.ask("POST", "/rpc", json, Buffer.alloc(2 * 1024 * 1024 + 1, 32));
    expect([large.status, JSON.parse(large.body)]).toMatchObject([
      413,
      { error: { code: "E_TOO_LARGE" } },
    ]);
    const chunked = { ...json, "Transfer-Encoding": "chunked" };
    expect(
      (await under.ask("POST", "/rpc", chunked, Buffer.alloc(2 * 1024 * 1024 + 1, 32))).status,
    ).toBe(413);
    expect(under.gateway.asked).toEqual([]);
    expect((await under.rpc({ method: "gateway.status" })).status).toBe(200);
  });

  test("the browser's cookie is not enough: a foreign form could send it", async () => {
    const cookie = await logIn();
    const answer = await under.rpc({ method: "x" }, { Authorization: "", Cookie: cookie });
    expect(answer.status).toBe(401);
  });
});

async function logIn(): Promise<string> {
  const link = new URL(under.server.loginLink());
  const answer = await under.ask("GET", link.pathname + link.search);
  expect(answer.status).toBe(303);
  expect(answer.headers.location).toBe("/");
  const [line_] = answer.headers["set-cookie"] ?? [];
  expect(line_).toMatch(/; HttpOnly; SameSite=Strict$/);
  return line_?.split(";")[0] ?? "";
}

describe("login", () => {
  test("a link works once, and carries no lasting token", async () => {
    const link = new URL(under.server.loginLink());
    expect(link.href).not.toContain(under.token);
    expect((await under.ask("HEAD", link.pathname + link.search)).status).toBe(405);
    const first = await under.ask("GET", link.pathname + link.search);
    expect(first.status).toBe(303);
    expect(JSON.stringify(first.headers)).not.toContain(under.token);
    const second = await under.ask("GET", link.pathname + link.search);
    expect(second.status).toBe(401);
    expect(second.body).toContain("signalbox open");
    expect(second.headers["set-cookie"]).toBeUndefined();
  });

  test("a link dies after ten minutes", async () => {
    const link = new URL(under.server.loginLink());
    monotonicMs += 10 * 60_000;
    expect((await under.ask("GET", link.pathname + link.search)).status).toBe(401);
  });

  test("the bearer token gets a new link", async () => {
    const answer = await under.ask("POST", "/login", { Authorization: `Bearer ${under.token}` });
    const { value } = JSON.parse(answer.body) as { value: { url: string } };
    expect(value.url).toMatch(new RegExp(`^${under.server.url}/login\\?token=`));
    expect((await under.ask("POST", "/login")).status).toBe(401);
  });

  test("wrong tries are given back by the minute", async () => {
    const wrong = async (): Promise<number> =>
      (await under.ask("GET", "/login?token=guess")).status;
    for (let n = 0; n < 10; n++) expect(await wrong()).toBe(401);
    expect(await wrong()).toBe(429);
    monotonicMs += 6000;
    expect(await wrong()).toBe(401);
    expect(await wrong()).toBe(429);
  });
});

describe("the panel", () => {
  test("is explained where it is not built", async () => {
    const answer = await under.ask("GET", "/");
    expect(answer.status).toBe(503);
    expect(answer.body).toContain("npm run build");
  });

  test("is served with strict headers; places inside it get its page", async () => {
    buildPanel(under.panelDir);
    const page = await under.ask("GET", "/sessions/agent%3Amain%3Alocal%3Adm%3A1");
    expect([page.status, page.body]).toEqual([200, "<!doctype html><title>Panel</title>"]);
    expect(page.headers).toMatchObject({
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
    });
    expect(page.headers["content-security-policy"]).toContain(
      "default-src 'none'; script-src 'self';",
    );
    const script = await under.ask("GET", "/assets/index-Ab3dEf9h.js");
    expect(script.headers["cache-control"]).toContain("immutable");
    expect(script.headers["content-type"]).toContain("text/javascript");
    expect((await under.ask("GET", "/logo.svg")).headers["cache-control"]).toBe("no-cache");
    expect((await under.ask("HEAD", "/")).body).toBe("");
    expect((await under.ask("POST", "/")).status).toBe(405);
  });

  test.each([
    "/../token",
    "/%2e%2e/token",
    "/..%2ftoken",
    "/assets/..%5c..%5ctoken",
    "/assets/%2e%2e/%2e%2e/token",
    "/%00.js",
    "/%zz.js",
    "/.env",
    "/missing.js",
  ])("%s leads nowhere", async (path) => {
    buildPanel(under.panelDir);
    const answer = await under.ask("GET", path);
    expect(answer.body).not.toContain(under.token);
    expect(answer.body.includes("Panel") || answer.status === 404).toBe(true);
  });
});

describe("hooks", () => {
  test("bodies reach the handler raw, and its answer the sender", async () => {
    const bodies: string[] = [];
    under.hooks.set("door", async ({ body }) => {
      bodies.push(body.toString("utf8"));
      return { status: 503, body: { ok: false }, retryAfterSeconds: 5 };
    });
    const json = { "Content-Type": "application/json" };
    const answer = await under.ask("POST", "/hooks/door", json, '{ "raw" : 1 }');
    expect(bodies).toEqual(['{ "raw" : 1 }']);
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await under.ask("POST", "/hooks/none", json, "{}")).status).toBe(404);
    expect((await under.ask("POST", "/hooks/door", {}, "{}")).status).toBe(415);
    expect((await under.ask("GET", "/hooks/door")).status).toBe(405);
    const large = Buffer.alloc(1024 * 1024 + 1, 32);
    expect((await under.ask("POST", "/hooks/door", json, large)).status).toBe(413);
    expect(bodies).toHaveLength(1);
  });

  test("signatures are not guessed at full speed", async () => {
    under.hooks.set("door", async () => ({ status: 401, body: { ok: false } }));
    const json = { "Content-Type": "application/json" };
    const seen: number[] = [];
    for (let n = 0; n < 12; n++)
      seen.push((await under.ask("POST", "/hooks/door", json, "{}")).status);
    expect([seen[0], seen.at(-1)]).toEqual([401, 429]);
    under.hooks.set("door", async () => ({ status: 202, body: {} }));
    expect((await under.ask("POST", "/hooks/door", json, "{}")).status).toBe(202);
  });
});

describe("the socket", () => {
  const bearer = (): Record<string, string> => ({ Authorization: `Bearer ${under.token}` });
  const connect = (headers = bearer()): Promise<TestSocket> =>
    new TestSocket(under.server.url, headers).open();

  test("answers calls by their id, whoever comes first", async () => {
    let release = (): void => undefined;
    under.gateway.reply = async (name) => {
      if (name === "slow") await new Promise<void>((resolve) => (release = resolve));
      return { ok: true, value: name };
    };
    const client = await connect();
    client.send({ id: 1, call: "slow", input: {} });
    client.send({ id: "two", call: "quick", input: { a: 1 } });
    expect(await client.next()).toEqual({ id: "two", reply: { ok: true, value: "quick" } });
    release();
    expect(await client.next()).toEqual({ id: 1, reply: { ok: true, value: "slow" } });
    expect(under.gateway.asked[1]).toMatchObject({ input: { a: 1 }, context: { actor: "rpc" } });
    client.socket.close();
  });

  test("a browser comes in by its cookie, from its own page only", async () => {
    const cookie = await logIn();
    const origin = { Cookie: cookie, Origin: under.server.url };
    const client = await connect(origin);
    client.send({ id: 1, call: "x", input: {} });
    await client.next();
    expect(under.gateway.asked[0]?.context.actor).toBe("panel");
    client.socket.close();
    await expect(connect({ ...origin, Origin: "http://127.0.0.1:1" })).rejects.toThrow("403");
    await expect(connect({ Cookie: `${cookie}x` })).rejects.toThrow("401");
    await expect(connect({})).rejects.toThrow("401");
  });

  test.each([
    ["{", null, "E_INPUT"],
    ["[]", null, "E_INPUT"],
    ['{"id":3}', 3, "E_INPUT"],
    ['{"id":{},"call":"x"}', null, "E_INPUT"],
    [`{"id":1,"call":"x","input":"${"y".repeat(2 * 1024 * 1024)}"}`, null, "E_TOO_LARGE"],
  ])(
    "a malformed frame gets a typed error, and the connection lives on",
    async (text, id, code) => {
      const client = await connect();
      client.send(text);
      expect(await client.next()).toMatchObject({ id, reply: { ok: false, error: { code } } });
      client.socket.send(Buffer.from("{}"));
      expect(await client.next()).toMatchObject({ reply: { error: { code: "E_INPUT" } } });
      client.send({ id: 9, call: "x", input: {} });
      expect(await client.next()).toMatchObject({ id: 9, reply: { ok: true } });
      client.socket.close();
    },
  );

  test("one client cannot have the gateway work on everything at once", async () => {
    const open: (() => void)[] = [];
    under.gateway.reply = () =>
      new Promise((resolve) => {
        open.push(() => {
          resolve({ ok: true, value: null });
        });
      });
    const client = await connect();
    for (let id = 0; id < 65; id++) client.send({ id, call: "x", input: {} });
    expect(await client.next()).toMatchObject({ id: 64, reply: { error: { code: "E_BUSY" } } });
    for (const finish of open) finish();
    expect(await client.next()).toMatchObject({ id: 0, reply: { ok: true } });
    client.socket.close();
  });

  test("pushes are numbered from 1 on each connection", async () => {
    const [one, other] = [await connect(), await connect()];
    under.gateway.push("logs.append", { lines: [] });
    under.gateway.push("config.changed", { path: "a" });
    for (const client of [one, other]) {
      expect(await client.next()).toEqual({
        push: { seq: 1, bootId: "boot-1", name: "logs.append", payload: { lines: [] } },
      });
      expect(await client.next()).toMatchObject({ push: { seq: 2, name: "config.changed" } });
      client.socket.close();
    }
  });

  test("a client that does not read loses pushes, sees the gap, and keeps its answers", async () => {
    const client = await connect();
    client.socket.pause();
    const lines = Array.from({ length: 512 }, () => line);
    const sent = 200; // 100 MiB: more than any socket buffer takes
    for (let n = 0; n < sent; n++) under.gateway.push("logs.append", { lines });
    client.send({ id: 1, call: "x", input: {} });
    client.socket.resume();
    const seqs: number[] = [];
    let answered = false;
    for (;;) {
      const got = (await client.next()) as { push?: { seq: number; name: string }; id?: number };
      answered ||= got.id === 1;
      if (got.push) seqs.push(got.push.seq);
      if (got.push?.name === "gap" && answered) break;
      if (got.push?.name === "gap") continue;
    }
    expect(seqs.length).toBeLessThan(sent / 2);
    expect(seqs.at(-1)).toBeGreaterThan(sent);
    under.gateway.push("config.changed", { path: "b" });
    expect(await client.next()).toMatchObject({ push: { seq: (seqs.at(-1) ?? 0) + 1 } });
    client.socket.close();
  });

  test("a client that leaves is forgotten; one that stays is told goodbye", async () => {
    const [leaving, staying] = [await connect(), await connect()];
    expect(under.gateway.connections).toBe(2);
    leaving.socket.close();
    await expect.poll(() => under.gateway.connections).toBe(1);
    const goodbye = once(staying.socket, "close");
    await under.server.close();
    expect((await goodbye)[0]).toBe(1001);
    expect(under.gateway.connections).toBe(0);
    await under.server.close();
  });

  test("asked for without upgrading, it says what it is", async () => {
    expect((await under.ask("GET", "/ws", bearer())).status).toBe(426);
  });
});

test("a busy port gives way to the next free one", async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  const second = await testServer({ port });
  expect(second.server.port).not.toBe(port);
  expect((await second.ask("GET", "/healthz")).status).toBe(200);
  await second.close();
  busy.close();
});
