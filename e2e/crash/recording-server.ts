/** The other end of the crash test's hooks: records what a person would have before them. Started with a seed and a file. */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Heard } from "./evidence.ts";
import { seeded } from "./seeded.ts";
import { treatments } from "./weather.ts";
import type { Treatment, Weather } from "./weather.ts";

const [seed = "1", file = ""] = process.argv.slice(2);
const chance = seeded(Number(seed));
let weather: Weather = { kind: "fair" };

const delivery = z.object({
  messageId: z.string(),
  chat: z.object({ id: z.string() }),
  kind: z.enum(["reply", "notice"]),
  text: z.string(),
  replyTo: z.string().nullable(),
  part: z.number().int().default(1),
  parts: z.number().int().default(1),
});

/** Keys of hooks whose receiver drops a second request with the same one. */
const seen = new Set<string>();

function keep(hook: string, key: string, body: string): void {
  if (hook.startsWith("keyed")) {
    if (seen.has(key)) return;
    seen.add(key);
  }
  const { messageId, chat, ...rest } = delivery.parse(JSON.parse(body));
  const heard: Heard = { lane: `${hook}:${chat.id}`, delivery: messageId, ...rest };
  appendFileSync(file, `${JSON.stringify(heard)}\n`);
}

function treat(): Treatment {
  return weather.kind === "flaky" && chance.happens(weather.share) ? weather.treatment : "fair";
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const treatment = treat();
  const hook = request.url?.slice(1) ?? "";
  if (treatments[treatment].kept) keep(hook, String(request.headers["idempotency-key"]), body);
  switch (treatment) {
    case "fair":
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"kept"}');
      return;
    case "hangs":
      return;
    case "drops":
      request.socket.destroy();
      return;
    case "limits":
      response.writeHead(429, { "retry-after": "1" }).end();
      return;
    case "fails_after":
      response.writeHead(500).end();
      return;
    case "fails_before":
      response.writeHead(502).end();
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A request cut short was not taken; its error is the sender's.
  request.on("error", () => undefined);
  request.on("end", () => {
    answer(request, response, Buffer.concat(chunks).toString("utf8"));
  });
});

let port = 0;
const listen = (): void => {
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") port = address.port;
    process.send?.({ port });
  });
};
listen();

process.on("message", (told: Weather) => {
  weather = told;
  if (told.kind !== "closed" || !server.listening) return;
  server.close(() => setTimeout(listen, told.ms));
  server.closeAllConnections();
});
process.on("disconnect", () => process.exit(0));
