import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";

/** What the fake server does with one chat request. */
export type FakeReply =
  /** Streams `text` as `deltas` pieces (default 3) with usage and the end mark; the words of the request are counted. */
  | { kind: "text"; text: string; deltas?: number; delayMs?: number; reasoning?: string }
  /** These bytes as an event stream, flushed at each offset of `cuts` with `pauseMs` (default 5) between. */
  | {
      kind: "bytes";
      body: Uint8Array | string;
      cuts?: readonly number[];
      pauseMs?: number;
      contentType?: string;
      /** After the last byte: `end` ends the body properly, `destroy` cuts the socket, `hold` keeps it open. */
      ending?: "end" | "destroy" | "hold";
    }
  /** Refuses. `body` is sent as JSON unless it is a string. */
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string> }
  /** Takes the request and never says a thing. */
  | { kind: "silence" }
  /** Closes the socket without an answer. */
  | { kind: "hang-up" };

export interface FakeRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, or null. */
  body: unknown;
}

export interface FakeOpenAiServer {
  /** `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Every request so far, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** What `GET /v1/models` lists; null answers 404. Default `["demo-8b"]`. */
  models: readonly string[] | null;
  /** Where set, any other bearer token is refused with 401. */
  apiKey: string | null;
  /** Queues replies for the next chat requests, in order. */
  next(...replies: FakeReply[]): void;
  /** What chat requests get when nothing is queued. Default: `Echo: <last user text>`. */
  otherwise: FakeReply | ((request: FakeRequest) => FakeReply);
  /** Resolves when `count` chat requests have been received in all. */
  asked(count: number): Promise<void>;
  /** Writes more to every answer that is held open, then ends it if `end` is set. */
  say(bytes: Uint8Array | string, end?: boolean): void;
  /** Held or silent answers whose client is gone. */
  readonly abandoned: number;
  close(): Promise<void>;
}

/** One `data:` event of a chat stream. */
export function chunkEvent(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 1_793_550_000 };
  return `data: ${JSON.stringify({ ...chunk, model: "demo-8b", choices, ...more })}\n\n`;
}

/** A whole answer as one event stream, with usage and `[DONE]`. */
export function answerEvents(text: string, promptWords = 1, deltas = 3, reasoning = ""): string[] {
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / Math.max(1, deltas)));
  const events = [chunkEvent({ role: "assistant", content: "" })];
  if (reasoning) events.push(chunkEvent({ reasoning_content: reasoning }));
  for (let at = 0; at < points.length; at += size)
    events.push(chunkEvent({ content: points.slice(at, at + size).join("") }));
  events.push(chunkEvent({}, "stop"));
  const completion = text.split(/\s+/).filter(Boolean).length;
  const usage = {
    prompt_tokens: promptWords,
    completion_tokens: completion,
    total_tokens: promptWords + completion,
  };
  events.push(chunkEvent({}, null, { choices: [], usage }), "data: [DONE]\n\n");
  return events;
}

/**
 * An OpenAI-compatible server on loopback that does what a test tells it. For tests of any layer.
 *
 * @param port 0 (default) takes a free one.
 */
export async function startFakeOpenAiServer(port = 0): Promise<FakeOpenAiServer> {
  const requests: FakeRequest[] = [];
  const queue: FakeReply[] = [];
  const held = new Set<ServerResponse>();
  let waiting: { count: number; resolve: () => void }[] = [];
  let abandoned = 0;

  function hold(response: ServerResponse): void {
    held.add(response);
    response.on("close", () => {
      if (held.delete(response)) abandoned++;
    });
  }

  async function answer(reply: FakeReply, request: FakeRequest, response: ServerResponse) {
    switch (reply.kind) {
      case "text":
        await write(
          response,
          answerEvents(reply.text, countWords(request), reply.deltas, reply.reasoning),
          reply.delayMs ?? 0,
        );
        response.end();
        return;
      case "bytes":
        response.writeHead(200, { "content-type": reply.contentType ?? "text/event-stream" });
        response.flushHeaders();
        if (reply.ending === "hold") hold(response); // from the start, so that `say` finds it
        await write(response, pieces(toBytes(reply.body), reply.cuts ?? []), reply.pauseMs ?? 5);
        if (reply.ending === "hold") return;
        if (reply.ending === "destroy") {
          await nextTick(); // lets the last write reach the socket
          response.destroy();
        } else response.end();
        return;
      case "status":
        response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
        response.end(
          typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {}),
        );
        return;
      case "silence":
        hold(response);
        return;
      case "hang-up":
        response.destroy();
    }
  }

  const server = createServer((incoming, response) => {
    void handle(incoming, response);
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.socket?.setNoDelay(true);
    const request: FakeRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: await readJson(incoming),
    };
    requests.push(request);
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (fake.apiKey !== null && incoming.headers.authorization !== `Bearer ${fake.apiKey}`)
      json(401, {
        error: {
          message: `Incorrect API key provided: ${incoming.headers.authorization ?? ""}`,
          code: "invalid_api_key",
        },
      });
    else if (request.path === "/v1/models" && fake.models)
      json(200, { object: "list", data: fake.models.map((id) => ({ id, object: "model" })) });
    else if (request.path === "/v1/chat/completions") {
      const { otherwise } = fake;
      const reply =
        queue.shift() ?? (typeof otherwise === "function" ? otherwise(request) : otherwise);
      wake();
      await answer(reply, request, response);
    } else json(404, { error: "404 page not found" });
  }

  function chats(): number {
    return requests.filter((request) => request.path === "/v1/chat/completions").length;
  }

  function wake(): void {
    for (const waiter of waiting) if (chats() >= waiter.count) waiter.resolve();
    waiting = waiting.filter((waiter) => chats() < waiter.count);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;

  const fake: FakeOpenAiServer = {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    port: address.port,
    requests,
    models: ["demo-8b"],
    apiKey: null,
    otherwise: (request) => ({ kind: "text", text: `Echo: ${lastUserText(request)}` }),
    next(...replies) {
      queue.push(...replies);
    },
    asked: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        wake();
      }),
    say(bytes, end = false) {
      for (const response of held) {
        if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(bytes);
        if (!end) continue;
        held.delete(response);
        response.end();
      }
    },
    get abandoned() {
      return abandoned;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return fake;
}

async function write(
  response: ServerResponse,
  parts: readonly (Uint8Array | string)[],
  pauseMs: number,
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of parts) {
    if (response.destroyed) return;
    response.write(part);
    await (pauseMs > 0 ? sleep(pauseMs) : nextTick());
  }
}

function pieces(body: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const edges = [0, ...cuts, body.length];
  return edges.slice(1).map((edge, at) => body.subarray(edges[at] ?? 0, edge));
}

function toBytes(body: Uint8Array | string): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += String(piece);
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function messagesOf(request: FakeRequest): { role: string; content: unknown }[] {
  const body = request.body as { messages?: { role: string; content: unknown }[] } | null;
  return body?.messages ?? [];
}

function lastUserText(request: FakeRequest): string {
  const last = messagesOf(request).findLast((message) => message.role === "user");
  return typeof last?.content === "string" ? last.content : "";
}

function countWords(request: FakeRequest): number {
  const text = messagesOf(request).map((m) => (typeof m.content === "string" ? m.content : ""));
  return text.join(" ").split(/\s+/).filter(Boolean).length;
}
