import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HookHandler } from "../channels/hook.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { GatewayApi } from "../gateway-api.ts";
import type { Log } from "../log/log.ts";
import type { ToolClients } from "../tools/clients.ts";
import { credentials } from "./credentials.ts";
import { checkDoor } from "./door.ts";
import { listen } from "./listen.ts";
import { loginCodes } from "./login-codes.ts";
import { mcpDoor } from "./mcp-door.ts";
import { securityHeaders } from "./panel-files.ts";
import { routes } from "./routes.ts";
import { socketDoor } from "./socket-door.ts";
import { refusalOf, sendJson } from "./wire.ts";

export interface ServerOptions {
  gateway: GatewayApi;
  /** Handlers of `POST /hooks/<name>`, looked up at each request. */
  hooks: { get(name: string): HookHandler | undefined };
  /** Programs that use the session tools come in through `/mcp`; absent: there is no such door. */
  clients?: ToolClients;
  /** The data directory's bearer token. */
  token: string;
  /** The built panel; need not exist yet. */
  panelDir: string;
  /** 0 = any free one. A busy one gives way to the next free one. Default 0. */
  port?: number;
  /** Only this machine's own addresses are accepted. Default 127.0.0.1. */
  host?: string;
  clock: Clock;
  log: Log;
}

export interface RunningServer {
  /** e.g. `http://127.0.0.1:4000`, no slash at its end. */
  readonly url: string;
  readonly port: number;
  /** A link that logs one browser in: good once, for ten minutes. */
  loginLink(): string;
  /** Takes no more requests, says goodbye to every client, and resolves when the port is free. */
  close(): Promise<void>;
}

/** Time that running answers get when the server closes. */
const CLOSE_GRACE_MS = 2000;

/**
 * Opens the loopback port: the panel, `/rpc`, `/ws`, `/login`, `/mcp`, `/hooks/<name>`, `/healthz`.
 *
 * @throws {SignalboxError} E_REFUSED for an address that is not this machine's own; E_INPUT for a port that it may
 *   not open.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { clock, log } = options;
  const codes = loginCodes(clock);
  const access = credentials(options.token, clock);
  const door = socketDoor(options.gateway, clock, log);
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000 });
  const { port, address } = await listen(
    server,
    options.host ?? "127.0.0.1",
    options.port ?? 0,
    log,
  );
  const url = `http://${address}:${port}`;
  const loginLink = (): string => `${url}/login?token=${codes.issue()}`;
  const mcp = options.clients ? mcpDoor(options.clients, clock, log) : null;
  const route = routes({ ...options, access, codes, loginLink, mcp });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const host = checkDoor(request, port);
      for (const [name, value] of Object.entries(securityHeaders(host)))
        response.setHeader(name, value);
      await route(request, response);
    } catch (thrown) {
      if (!(thrown instanceof SignalboxError)) log.error("request.broke", {}, thrown);
      const { status, headers, body } = refusalOf(thrown);
      if (response.headersSent) response.destroy();
      // What is left of a body that nobody will read must not be taken for the next request.
      else
        sendJson(
          response,
          status,
          body,
          request.complete ? headers : { ...headers, connection: "close" },
        );
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => undefined); // it may go at any time; there is nobody left to tell
    try {
      checkDoor(request, port);
      if (new URL(request.url ?? "", url).pathname !== "/ws")
        throw new SignalboxError("E_NOT_FOUND", "WebSockets are served at /ws.");
      const by = access.demand(request, "bearer-or-cookie");
      door.sockets.handleUpgrade(request, socket, head, (client) => {
        door.sockets.emit("connection", client, request);
        door.serve(client, by === "cookie" ? "panel" : "rpc");
      });
    } catch (thrown) {
      const { status, body } = refusalOf(thrown);
      const text = JSON.stringify(body);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  server.on("request", (request, response) => void answer(request, response));
  server.on("upgrade", upgrade);
  server.on("clientError", (_cause, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });
  log.info("server.up", { port });

  let closing: Promise<void> | null = null;
  return {
    url,
    port,
    loginLink,
    close: () =>
      (closing ??= (async () => {
        await mcp?.close();
        await closeServer(server, door, clock);
      })()),
  };
}

async function closeServer(
  server: Server,
  door: ReturnType<typeof socketDoor>,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const clientsGone = door.close();
  server.closeIdleConnections();
  const cancel = clock.after(CLOSE_GRACE_MS, () => {
    for (const client of door.sockets.clients) client.terminate();
    server.closeAllConnections();
  });
  await Promise.all([closed, clientsGone]);
  cancel();
}
