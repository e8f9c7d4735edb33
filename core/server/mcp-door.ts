import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import type { ToolClient, ToolClients } from "../tools/clients.ts";
import { isJson, readBody } from "./request-body.ts";
import { HttpRefusal, sendJson } from "./wire.ts";

/** Largest request, in bytes: a message of 200,000 characters, escaped. */
const maxBytes = 4 * 1024 * 1024;
/** Connections kept; the one that was silent longest goes first. */
const mostSessions = 64;
/** A connection that is silent this long is forgotten; its program begins a new one. */
const idleMs = 3_600_000;

interface Session {
  transport: StreamableHTTPServerTransport;
  mcp: McpServer;
  client: Promise<ToolClient>;
  usedMs: number;
  undo(): void;
}

const initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({ clientInfo: z.object({ name: z.string().max(200) }) }),
});

export interface McpDoor {
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  close(): Promise<void>;
}

/** MCP over streamable HTTP, one server a connection. Who may come in was decided before. */
export function mcpDoor(clients: ToolClients, clock: Clock, log: Log): McpDoor {
  const sessions = new Map<string, Session>();

  async function end(id: string, session: Session): Promise<void> {
    if (!sessions.delete(id)) return;
    session.undo();
    await session.mcp.close().catch(() => undefined);
    await session.client.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  function tidy(): void {
    const nowMs = clock.monotonicMs();
    for (const [id, session] of sessions) {
      const tooMany = sessions.size >= mostSessions;
      if (!tooMany && nowMs - session.usedMs < idleMs) break; // oldest first
      end(id, session).catch((cause: unknown) => {
        log.warn("mcp.end_failed", {}, cause);
      });
    }
  }

  async function begin(name: string, as: string | null): Promise<StreamableHTTPServerTransport> {
    // The library is loaded with the first program that comes: start-up does not pay for it.
    const [{ StreamableHTTPServerTransport: Transport }, { createMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
      import("../tools/mcp-server.ts"),
    ]);
    tidy();
    const client = clients.open(name, as);
    const mcp = createMcpServer(clients, client);
    let sessionKey: string | null = null;
    const undo = clients.onWaiting((key) => {
      if (key === sessionKey)
        mcp.server
          .sendLoggingMessage({
            level: "notice",
            logger: "signalbox",
            data: "A session that you watch changed; your next tool call says which.",
          })
          .catch(() => undefined); // it listens or it does not; what waits waits on
    });
    const transport = new Transport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, mcp, client, usedMs: clock.monotonicMs(), undo });
      },
      onsessionclosed: async (id) => {
        const session = sessions.get(id);
        if (session) await end(id, session);
      },
    });
    ({ key: sessionKey } = await client); // a key that cannot be meant is refused before anything is answered
    await mcp.connect(transport);
    return transport;
  }

  async function bodyOf(request: IncomingMessage): Promise<unknown> {
    if (!isJson(request))
      throw new HttpRefusal(415, "E_INPUT", "The content type must be application/json.");
    const text = (await readBody(request, maxBytes)).toString("utf8");
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return null;
    }
  }

  const rpcError = (
    response: ServerResponse,
    status: number,
    code: number,
    message: string,
  ): void => {
    sendJson(response, status, { jsonrpc: "2.0", error: { code, message }, id: null });
  };

  return {
    async handle(request, response, url) {
      const given = request.headers["mcp-session-id"];
      const id = Array.isArray(given) ? given[0] : given;
      const body = request.method === "POST" ? await bodyOf(request) : undefined;
      if (body === null) {
        rpcError(response, 400, -32_700, "The body is not JSON.");
        return;
      }
      if (id !== undefined) {
        const session = sessions.get(id);
        if (!session) {
          rpcError(
            response,
            404,
            -32_001,
            "There is no such connection any more; initialize again.",
          );
          return;
        }
        session.usedMs = clock.monotonicMs();
        sessions.delete(id); // to the end: the least used stay first
        sessions.set(id, session);
        await session.transport.handleRequest(request, response, body);
        return;
      }
      const read = initialize.safeParse(body);
      if (!read.success) {
        rpcError(response, 400, -32_600, "A connection begins with initialize.");
        return;
      }
      const header = request.headers["x-signalbox-session"];
      const as =
        url.searchParams.get("session") ?? (Array.isArray(header) ? header[0] : header) ?? null;
      const transport = await begin(read.data.params.clientInfo.name, as === "" ? null : as);
      await transport.handleRequest(request, response, body);
    },
    async close() {
      await Promise.all([...sessions].map(([id, session]) => end(id, session)));
    },
  };
}
