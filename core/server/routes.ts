import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { SignalboxError } from "../contract/errors.ts";
import type { CallContext } from "../gateway-api.ts";
import type { Credentials } from "./credentials.ts";
import { httpStatus } from "./http-status.ts";
import type { loginCodes } from "./login-codes.ts";
import type { McpDoor } from "./mcp-door.ts";
import { sendPage, servePanel } from "./panel-files.ts";
import { isJson, readBody } from "./request-body.ts";
import type { ServerOptions } from "./server.ts";
import { HttpRefusal, sendJson } from "./wire.ts";

/** The longest call: a message of 200,000 characters, escaped. */
const MAX_RPC_BYTES = 2 * 1024 * 1024;
const MAX_HOOK_BYTES = 1024 * 1024;

const DEAD_LINK = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signalbox</title>
<h1>This link no longer works</h1>
<p>It was used before, or it is older than ten minutes. Get a new one with <code>signalbox open</code>.</p>
`;

const rpcBody = z.object({ method: z.string().max(128), params: z.unknown().optional() });

interface Served extends ServerOptions {
  access: Credentials;
  codes: ReturnType<typeof loginCodes>;
  loginLink(): string;
  mcp: McpDoor | null;
}

/** Answers one request that came through the door. Throws what is to be refused. */
export function routes(
  served: Served,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { access, codes, gateway } = served;

  async function rpc(request: IncomingMessage, response: ServerResponse): Promise<void> {
    access.demand(request, "bearer");
    const read = rpcBody.safeParse(json(await jsonBody(request, MAX_RPC_BYTES)));
    if (!read.success)
      throw new SignalboxError("E_INPUT", 'The body is {"method": name, "params": {…}}.', {
        field: read.error.issues[0]?.path.join(".") ?? "",
      });
    const actor = request.headers["x-signalbox-actor"] === "cli" ? "cli" : "rpc";
    const context: CallContext = { actor, connection: null };
    const reply = await gateway.answer(read.data.method, read.data.params ?? {}, context);
    sendJson(response, reply.ok ? 200 : httpStatus(reply.error.code), reply);
  }

  async function hook(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const handler = served.hooks.get(name);
    if (handler === undefined) throw new SignalboxError("E_NOT_FOUND", "There is no such hook.");
    const body = await jsonBody(request, MAX_HOOK_BYTES);
    const reply = await handler({ headers: request.headers, body });
    const retry: Record<string, string> =
      reply.retryAfterSeconds === undefined
        ? {}
        : { "retry-after": String(reply.retryAfterSeconds) };
    const limited = reply.status === 401 ? access.failed(request, "") : null;
    if (limited?.status === 429) throw limited;
    sendJson(response, reply.status, reply.body, retry);
  }

  function login(url: URL, request: IncomingMessage, response: ServerResponse): void {
    if (!codes.redeem(url.searchParams.get("token") ?? "")) {
      const refusal = access.failed(request, "");
      sendPage(response, refusal.status, DEAD_LINK);
      return;
    }
    response.writeHead(303, {
      location: "/",
      "set-cookie": access.cookieLine(),
      "cache-control": "no-store",
    });
    response.end();
  }

  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = url.pathname;
    if (path === "/rpc") {
      only(request, "POST");
      await rpc(request, response);
    } else if (path === "/login" && request.method === "POST") {
      // With the bearer token: a new link, for `signalbox open`.
      access.demand(request, "bearer");
      sendJson(response, 200, { ok: true, value: { url: served.loginLink() } });
    } else if (path === "/login") {
      only(request, "GET", "POST"); // a HEAD must not use up the code
      login(url, request, response);
    } else if (path === "/healthz" || path === "/health") {
      only(request, "GET", "HEAD");
      sendJson(response, 200, { ok: true });
    } else if (path.startsWith("/hooks/")) {
      only(request, "POST");
      await hook(path.slice("/hooks/".length), request, response);
    } else if (path === "/mcp") {
      only(request, "POST", "GET", "DELETE");
      access.demand(request, "bearer");
      if (!served.mcp) throw new SignalboxError("E_NOT_FOUND", "MCP is not served here.");
      await served.mcp.handle(request, response, url);
    } else if (path === "/ws") {
      access.demand(request, "bearer-or-cookie");
      throw new HttpRefusal(426, "E_INPUT", "This is a WebSocket.", { upgrade: "websocket" });
    } else {
      only(request, "GET", "HEAD");
      servePanel(served.panelDir, path, request, response);
    }
  };
}

function only(request: IncomingMessage, ...methods: string[]): void {
  if (methods.includes(request.method ?? "")) return;
  throw new HttpRefusal(405, "E_INPUT", `Use ${methods.join(" or ")}.`, {
    allow: methods.join(", "),
  });
}

async function jsonBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (!isJson(request))
    throw new HttpRefusal(415, "E_INPUT", "The content type must be application/json.");
  return readBody(request, maxBytes);
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    throw new SignalboxError("E_INPUT", "The body is not JSON.", { field: "" });
  }
}
