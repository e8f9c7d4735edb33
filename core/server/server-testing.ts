import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { HookHandler } from "../channels/hook.ts";
import { systemClock, type Clock } from "../clock.ts";
import type { PushName, Pushes, Reply } from "../contract/bridge.ts";
import type { CallContext, Connection, GatewayApi, PushListener } from "../gateway-api.ts";
import { silentLog, type Log } from "../log/log.ts";
import { startServer, type RunningServer } from "./server.ts";
import { loadToken } from "./token.ts";

/** A gateway that answers from a table and remembers who asked what. */
export class FakeGateway implements GatewayApi {
  readonly bootId = "boot-1";
  readonly asked: { name: string; input: unknown; context: CallContext }[] = [];
  reply: (name: string, input: unknown) => Reply<unknown> | Promise<Reply<unknown>> = () => ({
    ok: true,
    value: { sessions: [] },
  });
  readonly #listeners = new Map<string, PushListener>();
  async answer(name: string, input: unknown, context: CallContext): Promise<Reply<unknown>> {
    this.asked.push({ name, input, context });
    return this.reply(name, input);
  }
  call(): Promise<never> {
    return Promise.reject(new Error("the server answers, it does not call"));
  }
  connect(connection: Connection, listener: PushListener): () => void {
    this.#listeners.set(connection.id, listener);
    return () => this.#listeners.delete(connection.id);
  }
  get connections(): number {
    return this.#listeners.size;
  }
  push<P extends PushName>(name: P, payload: Pushes[P]): void {
    for (const listener of this.#listeners.values()) listener(name, payload);
  }
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestServer {
  gateway: FakeGateway;
  server: RunningServer;
  token: string;
  dataDir: string;
  panelDir: string;
  hooks: Map<string, HookHandler>;
  /** A request with these headers exactly; `Host` is ours where none is named. */
  ask(
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: string | Buffer,
  ): Promise<Answer>;
  rpc(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** A server on a free port with a fake gateway and an empty panel directory. */
export async function testServer(
  options: { clock?: Clock; log?: Log; port?: number; host?: string } = {},
): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "server-"));
  const panelDir = join(dataDir, "panel");
  mkdirSync(panelDir);
  const token = loadToken(dataDir);
  const gateway = new FakeGateway();
  const hooks = new Map<string, HookHandler>();
  const server = await startServer({
    gateway,
    hooks,
    token,
    panelDir,
    clock: systemClock,
    log: silentLog,
    ...options,
  });
  const ask: TestServer["ask"] = (method, path, headers = {}, body) =>
    httpAsk(server.port, method, path, { Host: `127.0.0.1:${server.port}`, ...headers }, body);
  return {
    gateway,
    server,
    token,
    dataDir,
    panelDir,
    hooks,
    ask,
    rpc: (body, headers = {}) =>
      ask(
        "POST",
        "/rpc",
        { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
        JSON.stringify(body),
      ),
    async close() {
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A request with exactly these headers, answered whole. */
export function httpAsk(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers,
      setHost: false,
      agent: false,
    });
    request.on("error", reject);
    const take = async (
      status: number,
      got: IncomingHttpHeaders,
      stream: AsyncIterable<Buffer>,
    ) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      resolve({ status, headers: got, body: Buffer.concat(chunks).toString("utf8") });
    };
    request.on("response", (response) => {
      take(response.statusCode ?? 0, response.headers, response).catch(reject);
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: "" });
    });
    request.end(body);
  });
}

/** Sends bytes as they are and returns all that comes back. */
export async function rawAsk(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("utf8");
  let got = "";
  socket.on("data", (chunk: string) => (got += chunk));
  socket.write(text);
  await once(socket, "close");
  return got;
}

/** Puts a small built panel into a directory. */
export function buildPanel(dir: string): void {
  mkdirSync(join(dir, "assets"), { recursive: true });
  writeFileSync(join(dir, "index.html"), "<!doctype html><title>Panel</title>");
  writeFileSync(join(dir, "assets", "index-Ab3dEf9h.js"), "export {};");
  writeFileSync(join(dir, "logo.svg"), "<svg/>");
}

/** A WebSocket client whose frames are taken one by one. */
export class TestSocket {
  readonly socket: WebSocket;
  readonly #frames: unknown[] = [];
  #arrived: () => void = () => undefined;
  constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url.replace("http:", "ws:") + "/ws", { headers });
    this.socket.on("message", (data: Buffer) => {
      this.#frames.push(JSON.parse(data.toString("utf8")));
      this.#arrived();
    });
  }
  async open(): Promise<this> {
    await once(this.socket, "open");
    return this;
  }
  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }
  async next(): Promise<unknown> {
    while (this.#frames.length === 0)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    return this.#frames.shift();
  }
}
