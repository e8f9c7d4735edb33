import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../clock.ts";
import type { WebhookConfig } from "../config/schema.ts";
import { SignalboxError } from "../contract/errors.ts";
import { silentLog } from "../log/log.ts";
import { sessionSource } from "../sessions/session-source.ts";
import {
  channelConformance,
  fakeInbox,
  outbound,
  type Confirmation,
  type FakeInbox,
  type FarSide,
} from "./channel-conformance.ts";
import type { Acceptance, SendOutcome } from "./channel.ts";
import type { HookReply } from "./hook.ts";
import { localChannel } from "./local.ts";
import { simulatorChannel } from "./simulator.ts";
import { signatureHeaders } from "./webhook-signature.ts";
import { webhookChannel, type WebhookChannel } from "./webhook.ts";

const SECRET = "hook-secret";

async function told(acceptance: Promise<Acceptance>): Promise<Confirmation> {
  try {
    return (await acceptance).kind;
  } catch (thrown) {
    if (thrown instanceof SignalboxError) return "refused";
    throw thrown;
  }
}

interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A receiver on this machine that keeps what it is sent and answers as told. */
class Receiver {
  readonly got: Received[] = [];
  answer: (response: ServerResponse) => void = (response) => response.end('{"id":"r1"}');
  readonly #server: Server;
  #reached: () => void = () => undefined;
  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.got.push({ headers: request.headers, body: Buffer.concat(chunks) });
        this.answer(response);
        this.#reached();
      });
    });
  }
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/in`;
  }
  reached(): Promise<void> {
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const config = (url: string | null, more: Partial<WebhookConfig> = {}): WebhookConfig => ({
  enabled: true,
  secret: SECRET,
  out:
    url === null
      ? null
      : { url, secret: null, timeoutMs: 60_000, idempotent: false, partLength: null },
  agent: null,
  chatType: "dm",
  ...more,
});

function signed(body: string, nowMs = Date.now(), secret = SECRET): Record<string, string> {
  return signatureHeaders(secret, Buffer.from(body), nowMs);
}
const hookMessage = (messageId: string, text = "hello"): string =>
  JSON.stringify({ messageId, text, chat: { id: "c1" } });

channelConformance("local", async () => {
  const channel = localChannel();
  const source = channel.newChatSource("Plans");
  return {
    channel,
    source,
    post: (text, id) => told(channel.post(source, text, id)),
    close: async () => undefined,
  };
});

channelConformance("simulator", async () => {
  const channel = simulatorChannel();
  const source = sessionSource({ platform: "telegram", chatId: "-100", chatType: "group" });
  let reached = (): void => undefined;
  return {
    channel,
    source,
    post: (text, id) => told(channel.post(source, text, id)),
    farSide: {
      reached: () => new Promise((resolve) => (reached = resolve)),
      become(kind) {
        channel.script((_message, signal) => {
          setImmediate(() => {
            reached();
          });
          return scripted(kind, signal);
        });
      },
    },
    close: async () => undefined,
  };
});

function scripted(kind: FarSide, signal: AbortSignal): SendOutcome | Promise<SendOutcome> | null {
  switch (kind) {
    case "takes":
      return null;
    case "refuses":
      return { kind: "rejected", retryable: false, code: "blocked", reason: "blocked" };
    case "wants-a-pause":
      return { kind: "rejected", retryable: true, code: "429", reason: "", retryAfterMs: 7000 };
    case "is-gone":
      return { kind: "rejected", retryable: true, code: "down", reason: "down" };
    case "hangs":
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve({ kind: "unknown", reason: "called off" });
        });
      });
  }
}

channelConformance("webhook", async () => {
  const receiver = new Receiver();
  const channel = webhookChannel("door", config(await receiver.listen()));
  return {
    channel,
    source: sessionSource({ platform: "webhook", chatId: "door:c1" }),
    async post(text, id) {
      const body = hookMessage(id, text);
      const reply = await channel.handler({ headers: signed(body), body: Buffer.from(body) });
      if (reply.status !== 202) return "refused";
      return reply.body["duplicate"] === true ? "duplicate" : "accepted";
    },
    farSide: {
      reached: () => receiver.reached(),
      become(kind) {
        if (kind === "is-gone") void receiver.close();
        receiver.answer = (response) => {
          if (kind === "hangs") return;
          if (kind === "wants-a-pause") response.writeHead(429, { "retry-after": "7" });
          if (kind === "refuses") response.writeHead(422);
          response.end("{}");
        };
      },
    },
    close: () => receiver.close(),
  };
});

test("each new local chat is its own", () => {
  const channel = localChannel();
  const [one, other] = [channel.newChatSource("Plans"), channel.newChatSource()];
  expect(one.chatId).not.toBe(other.chatId);
  expect([one.chatName, other.chatName]).toEqual(["Plans", null]);
});

describe("webhook in", () => {
  let channel: WebhookChannel;
  let inbox: FakeInbox;
  let nowMs: number;
  const clock: Clock = { ...systemClock, nowMs: () => nowMs };

  async function start(given: WebhookConfig = config(null)): Promise<string[]> {
    const reports: string[] = [];
    channel = webhookChannel("door", given);
    inbox = fakeInbox();
    const report = (state: string): number => reports.push(state);
    await channel.start({ clock, log: silentLog, accept: inbox.accept, report });
    return reports;
  }
  beforeEach(() => {
    nowMs = Date.UTC(2026, 10, 30, 12, 0, 0);
  });
  const post = (body: string, headers = signed(body, nowMs)): Promise<HookReply> =>
    channel.handler({ headers, body: Buffer.from(body) });
  const code = (reply: HookReply): unknown => (reply.body["error"] as { code?: unknown }).code;

  test("everything that a message may carry arrives", async () => {
    await start(config("http://127.0.0.1:1/"));
    const reply = await post(
      JSON.stringify({
        messageId: 7,
        text: "hi",
        chat: { id: " 42 ", type: "group", name: "Team" },
        user: { id: 5, name: "Ada" },
        thread: "t",
        extra: "ignored",
      }),
    );
    expect(reply).toEqual({
      status: 202,
      body: { accepted: true, duplicate: false, key: "agent:main:webhook:dm:door:42" },
    });
    expect(inbox.seen[0]).toMatchObject({
      channelId: "webhook:door",
      messageId: "7",
      expectsReply: true,
      source: {
        platform: "webhook",
        chatId: "door:42",
        chatType: "group",
        chatName: "Team",
        userId: "5",
        userName: "Ada",
        threadId: "t",
      },
    });
  });

  test("without chat and address: one chat, and nobody waits", async () => {
    await start(config(null, { chatType: "channel" }));
    await post('{"messageId":"1","text":"x"}');
    expect(inbox.seen[0]).toMatchObject({
      expectsReply: false,
      source: { chatId: "door:default", chatType: "channel" },
    });
  });

  test.each([
    ["no signature", () => ({})],
    ["another secret", (body: string) => signed(body, nowMs, "guess")],
    ["another body", () => signed("{}", nowMs)],
    ["five minutes and a second ago", (body: string) => signed(body, nowMs - 301_000)],
    ["five minutes and a second ahead", (body: string) => signed(body, nowMs + 301_000)],
    [
      "a newer timestamp put on an old signature",
      (body: string) => ({
        ...signed(body, nowMs - 900_000),
        "x-signalbox-timestamp": String(nowMs / 1000),
      }),
    ],
    [
      "words for a time",
      (body: string) => ({ ...signed(body, nowMs), "x-signalbox-timestamp": "now" }),
    ],
    [
      "half a signature",
      (body: string) => ({ ...signed(body, nowMs), "x-signalbox-signature": "sha256=ab" }),
    ],
  ])("%s: 401, and nothing is taken", async (_name, headers) => {
    await start();
    const body = hookMessage("1");
    const reply = await post(body, headers(body));
    expect([reply.status, code(reply)]).toEqual([401, "E_SIGNATURE"]);
    expect(inbox.seen).toEqual([]);
  });

  test("four minutes off are tolerated, either way", async () => {
    await start();
    const [early, late] = [hookMessage("1"), hookMessage("2")];
    expect((await post(early, signed(early, nowMs - 240_000))).status).toBe(202);
    expect((await post(late, signed(late, nowMs + 240_000))).status).toBe(202);
  });

  test.each([
    ["{", "", 400, "E_INPUT"],
    ["[]", "", 400, "E_INPUT"],
    ['{"text":"x"}', "messageId", 400, "E_INPUT"],
    ['{"messageId":"1","text":"  "}', "text", 400, "E_INPUT"],
    ['{"messageId":"1","text":"x","chat":{"id":""}}', "chat.id", 400, "E_INPUT"],
    ['{"messageId":"1","text":"x","chat":{"id":"1","type":"party"}}', "chat.type", 400, "E_INPUT"],
    ['{"messageId":"1","text":"x","key":"agent:main:telegram:dm:1"}', "key", 403, "E_REFUSED"],
  ])("%s is refused with the field", async (body, field, status, expected) => {
    await start();
    const reply = await post(body);
    expect([reply.status, code(reply)]).toEqual([status, expected]);
    expect(reply.body).toMatchObject({ ok: false, error: { details: { field } } });
    expect(inbox.seen).toEqual([]);
  });

  test("a body that is no UTF-8 is refused", async () => {
    await start();
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    const reply = await channel.handler({ headers: signatureHeaders(SECRET, body, nowMs), body });
    expect([reply.status, code(reply)]).toEqual([400, "E_INPUT"]);
  });

  test.each([
    ["E_QUEUE_FULL", 429],
    ["E_STORE_FULL", 503],
    ["E_DRAINING", 503],
    ["E_KEY_COLLISION", 409],
    ["E_INTERNAL", 500],
  ] as const)("%s of the inbox is %i", async (refusal, status) => {
    await start();
    inbox.refuse(new SignalboxError(refusal, "no"));
    const reply = await post(hookMessage("1"));
    expect([reply.status, code(reply)]).toEqual([status, refusal]);
    expect(reply.retryAfterSeconds).toBe(status === 429 || status === 503 ? 5 : undefined);
  });

  test("a hook without a secret is down and refuses", async () => {
    expect(await start(config(null, { secret: null }))).toEqual(["down"]);
    expect((await post(hookMessage("1"))).status).toBe(401);
  });
});

describe("webhook out", () => {
  let receiver: Receiver;
  let url: string;
  let channel: WebhookChannel;
  let timers: (() => void)[];
  const nowMs = Date.UTC(2026, 10, 30, 12, 0, 0);
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    machine: () => ({ bootId: null, uptimeMs: 0 }),
    after(_ms, fn) {
      timers.push(fn);
      return () => undefined;
    },
  };
  const source = sessionSource({ platform: "webhook", chatId: "door:c1", threadId: "t" });
  async function start(given: WebhookConfig): Promise<void> {
    channel = webhookChannel("door", given);
    await channel.start({
      clock,
      log: silentLog,
      accept: fakeInbox().accept,
      report: () => undefined,
    });
  }
  const send = (more = {}): Promise<SendOutcome> =>
    channel.send(outbound(source, more), new AbortController().signal);
  beforeEach(async () => {
    timers = [];
    receiver = new Receiver();
    url = await receiver.listen();
    await start(config(url));
  });
  afterEach(() => receiver.close());

  test("it says all, signed over the raw body, with the key that every attempt shares", async () => {
    expect(await send({ recovered: true })).toEqual({ kind: "delivered", remoteId: "r1" });
    const [got] = receiver.got;
    expect(JSON.parse(String(got?.body))).toEqual({
      messageId: "o1",
      key: "agent:main:test:dm:1",
      chat: { id: "c1", type: "dm", name: null },
      thread: "t",
      kind: "reply",
      text: "a reply",
      replyTo: "m1",
      recovered: true,
    });
    expect(got?.headers).toMatchObject({
      "content-type": "application/json",
      "idempotency-key": "o1",
      ...signatureHeaders(SECRET, got?.body ?? Buffer.alloc(0), nowMs),
    });
  });

  test.each([
    [200, {}, { kind: "delivered", remoteId: null }],
    [204, {}, { kind: "delivered", remoteId: null }],
    [302, { location: "/elsewhere" }, { kind: "rejected", retryable: false, code: "http_302" }],
    [400, {}, { kind: "rejected", retryable: false, code: "http_400" }],
    [404, {}, { kind: "rejected", retryable: false }],
    [429, { "retry-after": "60" }, { kind: "rejected", retryable: true, retryAfterMs: 60_000 }],
    [
      503,
      { "retry-after": new Date(nowMs + 30_000).toUTCString() },
      { kind: "rejected", retryable: true, retryAfterMs: 30_000 },
    ],
    [503, { "retry-after": "soon" }, { kind: "rejected", retryable: true }],
    [500, {}, { kind: "unknown" }],
    [502, {}, { kind: "unknown" }],
    [504, {}, { kind: "unknown" }],
    [501, {}, { kind: "rejected", retryable: false }],
  ])("%i means", async (status, headers, outcome) => {
    receiver.answer = (response) => response.writeHead(status, headers).end();
    expect(await send()).toMatchObject(outcome);
    expect(receiver.got).toHaveLength(1);
  });

  test("no answer in time: unknown, because it had left", async () => {
    receiver.answer = () => undefined;
    const sending = send();
    await receiver.reached();
    for (const fire of timers) fire();
    expect((await sending).kind).toBe("unknown");
  });

  test("a line that breaks after the request: unknown", async () => {
    receiver.answer = (response) => response.destroy();
    expect((await send()).kind).toBe("unknown");
  });

  test("a status without the rest of its answer is still that status", async () => {
    // The line breaks inside the body, which the head has certainly gone before.
    receiver.answer = (response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("{", () => response.socket?.end());
    };
    expect(await send()).toEqual({ kind: "delivered", remoteId: null });
  });

  test("nobody there: certainly not sent", async () => {
    await receiver.close();
    expect(await send()).toMatchObject({ kind: "rejected", retryable: true, code: "ECONNREFUSED" });
  });

  test("a server that speaks no TLS never got the message", async () => {
    await start(config(url.replace("http:", "https:")));
    expect(await send()).toMatchObject({ kind: "rejected", retryable: true });
    expect(receiver.got).toEqual([]);
  });

  test("without an address the transcript is the delivery", async () => {
    await start(config(null));
    expect(channel.capabilities.transcriptIsDelivery).toBe(true);
    expect(await send()).toEqual({ kind: "delivered", remoteId: null });
  });
});
