import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock, type Clock } from "../clock.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import {
  createOpenAiCompatibleRuntime,
  type OpenAiCompatibleOptions,
} from "./openai-compatible.ts";
import { collect, handClock } from "./testing/collect.ts";
import {
  answerEvents,
  chunkEvent,
  startFakeOpenAiServer,
  type FakeOpenAiServer,
  type FakeReply,
} from "./testing/fake-openai-server.ts";

const session = {
  key: asSessionKey("agent:main:local:dm:one"),
  sessionId: asSessionId("20260101_000000_00000000"),
};
const KEY = "sk-demo-not-a-real-one-12345";
let server: FakeOpenAiServer;
beforeEach(async () => {
  server = await startFakeOpenAiServer();
});
afterEach(() => server.close());

function runtime(clock: Clock = systemClock, more: Partial<OpenAiCompatibleOptions> = {}) {
  const { baseUrl } = server;
  return createOpenAiCompatibleRuntime({
    id: "fake",
    baseUrl,
    model: "demo-8b",
    apiKey: KEY,
    clock,
    log: silentLog,
    ...more,
  });
}
const agent = (...made: Parameters<typeof runtime>) => runtime(...made).createAgent(session);

describe("the request", () => {
  it("carries system, past, text and key, streams, and offers no tools", async () => {
    await collect(agent(), {
      system: "Be brief.",
      history: [
        { role: "user", text: "one" },
        { role: "assistant", text: "", toolCalls: [{ id: "c1", name: "look", args: { at: 1 } }] },
        { role: "tool", text: "seen", toolCallId: "c1", toolName: "look" },
        { role: "assistant", text: "done", toolCalls: [{ id: "c2", name: "look", args: {} }] },
        { role: "user", text: "two" },
        { role: "tool", text: "an orphan", toolCallId: "c9", toolName: "look" },
      ],
      text: "three",
    });
    const [request] = server.requests;
    expect(request?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(request?.body).toEqual({
      model: "demo-8b",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "seen" },
        { role: "assistant", content: "done" },
        { role: "user", content: "two" },
        { role: "user", content: "three" },
      ],
    });
  });

  it("asks for more where a resumed turn has no text and nobody waits", async () => {
    const history = [
      { role: "user" as const, text: "one" },
      { role: "assistant" as const, text: "half" },
    ];
    await collect(agent(), { history, text: "" });
    expect(server.requests[0]?.body).toMatchObject({
      messages: [{}, {}, { role: "user", content: "Continue." }],
    });
    await collect(agent(), { history: history.slice(0, 1), text: "" });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [{ role: "user", content: "one" }],
    });
  });

  it("takes the first chat model where none is set, asking once", async () => {
    server.models = ["text-embedding-demo", "chat-one", "chat-two"];
    const made = agent(systemClock, { model: null });
    await collect(made);
    await collect(made);
    expect(server.requests.map((request) => request.path)).toEqual([
      "/v1/models",
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
    expect(server.requests[2]?.body).toMatchObject({ model: "chat-one" });
  });

  it("says so where the server has no model at all", async () => {
    server.models = ["text-embedding-demo"];
    expect((await collect(agent(systemClock, { model: null }))).error?.code).toBe("E_AGENT_MODEL");
  });

  it("finds /v1 by itself and keeps credentials out of the address", () => {
    const at = (baseUrl: string) => runtime(systemClock, { baseUrl }).baseUrl;
    expect(at("http://127.0.0.1:1234")).toBe("http://127.0.0.1:1234/v1");
    expect(at("https://me:secret@host.example/api/v1/")).toBe("https://host.example/api/v1");
  });
});

describe("errors told apart", () => {
  const refusal = (
    status: number,
    body?: unknown,
    headers?: Record<string, string>,
  ): FakeReply => ({
    kind: "status",
    status,
    body,
    ...(headers && { headers }),
  });
  const stream = (
    body: string,
    more: Partial<Extract<FakeReply, { kind: "bytes" }>> = {},
  ): FakeReply => ({
    kind: "bytes",
    body,
    ...more,
  });
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

  it.each<[string, FakeReply, string, RegExp]>([
    [
      "a wrong key",
      refusal(401, { error: { message: `bad key ${KEY}` } }),
      "E_AGENT_KEY",
      /refused the API key/,
    ],
    ["a key without the right", refusal(403), "E_AGENT_KEY", /refused the API key/],
    [
      "an unknown model, Ollama",
      refusal(404, { error: { message: 'model "demo-8b" not found, try pulling it first' } }),
      "E_AGENT_MODEL",
      /demo-8b/,
    ],
    [
      "an unknown model, by code",
      refusal(400, { error: { message: "no", code: "model_not_found" } }),
      "E_AGENT_MODEL",
      /demo-8b/,
    ],
    [
      "an unknown model, as plain error",
      refusal(404, { error: "model 'demo-8b' not found" }),
      "E_AGENT_MODEL",
      /demo-8b/,
    ],
    ["a wrong path", refusal(404, "404 page not found"), "E_AGENT_FAILED", /base URL/],
    [
      "a too long context, by code",
      refusal(400, { error: { message: "no", code: "context_length_exceeded" } }),
      "E_AGENT_CONTEXT",
      /too long/,
    ],
    [
      "a too long context, by type",
      refusal(400, { error: { message: "no", type: "exceed_context_size_error" } }),
      "E_AGENT_CONTEXT",
      /too long/,
    ],
    [
      "a too long context, in words",
      refusal(400, {
        object: "error",
        message: "This model's maximum context length is 4096 tokens.",
        code: 400,
      }),
      "E_AGENT_CONTEXT",
      /too long/,
    ],
    ["a too large body", refusal(413), "E_AGENT_CONTEXT", /too long/],
    ["too many requests", refusal(429, {}, { "retry-after": "7" }), "E_AGENT_FAILED", /429/],
    [
      "a loading server",
      refusal(503, { error: { message: "Loading model" } }),
      "E_AGENT_DOWN",
      /not ready.*Loading model/,
    ],
    [
      "any other refusal",
      refusal(500, { error: { message: `out of memory for ${KEY}` } }),
      "E_AGENT_FAILED",
      /500.*out of memory/,
    ],
    ["a hang-up", { kind: "hang-up" }, "E_AGENT_DOWN", /does not answer/],
    [
      "an error in the stream",
      stream(event({ error: { message: "GPU lost", type: "server_error" } })),
      "E_AGENT_STREAM",
      /GPU lost/,
    ],
    [
      "an error in the stream after text",
      stream(chunkEvent({ content: "Well" }) + event({ error: "GPU lost" })),
      "E_AGENT_STREAM",
      /GPU lost/,
    ],
    [
      "an error event",
      stream(`event: error\n${event({ detail: 1 })}`),
      "E_AGENT_STREAM",
      /broke off/,
    ],
    [
      "a too long context in the stream",
      stream(event({ error: { message: "context size has been exceeded" } })),
      "E_AGENT_CONTEXT",
      /too long/,
    ],
    [
      "an error as a whole body",
      stream(JSON.stringify({ error: { message: "busy" } }), { contentType: "application/json" }),
      "E_AGENT_STREAM",
      /busy/,
    ],
    [
      "a web page",
      stream("<html></html>", { contentType: "text/html" }),
      "E_AGENT_STREAM",
      /web page.*base URL/,
    ],
    ["broken JSON", stream('data: {"choices":\n\n'), "E_AGENT_STREAM", /not JSON/],
    [
      "a call without a name",
      stream(chunkEvent({ tool_calls: [{ function: { arguments: "{}" } }] })),
      "E_AGENT_STREAM",
      /./,
    ],
    [
      "a cut before any text",
      stream(chunkEvent({ role: "assistant" }), { ending: "destroy" }),
      "E_AGENT_STREAM",
      /lost before it said anything/,
    ],
    [
      "an end before any text",
      stream(chunkEvent({ role: "assistant" })),
      "E_AGENT_STREAM",
      /lost before it said anything/,
    ],
    ["nothing at all", stream(""), "E_AGENT_EMPTY", /without a word/],
    ["an end mark only", stream("data: [DONE]\n\n"), "E_AGENT_EMPTY", /without a word/],
    ["blanks only", stream(answerEvents(" \n ").join("")), "E_AGENT_EMPTY", /without a word/],
    [
      "thought only",
      stream(chunkEvent({ reasoning: "hm" }) + chunkEvent({}, "stop")),
      "E_AGENT_EMPTY",
      /only thought/,
    ],
    [
      "half a call only",
      stream(
        chunkEvent({ tool_calls: [{ index: 0, function: { name: "f", arguments: "{" } }] }) +
          chunkEvent({}, "length"),
      ),
      "E_AGENT_EMPTY",
      /tools/,
    ],
  ])("%s", async (_name, reply, code, words) => {
    const errors = vi.spyOn(console, "error");
    server.next(reply);
    const told = await collect(agent());
    expect(told.error?.code).toBe(code);
    expect(told.error?.message).toMatch(words);
    expect(
      JSON.stringify([told.error?.message, told.error?.details, String(told.error?.cause)]),
    ).not.toContain(KEY);
    expect(told.events.some((one) => one.type === "end")).toBe(false);
    expect(server.requests).toHaveLength(1); // never retried here
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
  });

  it("no server", async () => {
    const { baseUrl } = server;
    await server.close();
    const told = await collect(agent(systemClock, { baseUrl }));
    expect(told.error).toMatchObject({ code: "E_AGENT_DOWN", details: { reason: "ECONNREFUSED" } });
    server = await startFakeOpenAiServer();
  });

  it("shows no key that a server echoes, of whatever form", async () => {
    const apiKey = "0123plainkey";
    server.next(refusal(500, { error: { message: `no credit for ${apiKey} or sk-other-****99` } }));
    const told = await collect(agent(systemClock, { apiKey }));
    expect(told.error?.message).toMatch(/no credit for ••• or •••/);
  });

  it("says how long to wait where the server does", async () => {
    server.next(refusal(429, {}, { "retry-after": "7" }));
    expect((await collect(agent())).error?.details).toMatchObject({
      status: 429,
      retryAfterMs: 7000,
    });
  });

  it.each<[string, string, string]>([
    [
      "an answer in one JSON body",
      JSON.stringify({ choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] }),
      "application/json",
    ],
    [
      "an end mark without a reason",
      `${chunkEvent({ content: "Hi." })}data: [DONE]\n\n`,
      "text/event-stream",
    ],
    ["a reason without an end mark", chunkEvent({ content: "Hi." }, "stop"), "text/event-stream"],
    [
      "text in parts",
      chunkEvent({ content: [{ type: "text", text: "Hi." }] }, "stop"),
      "text/event-stream",
    ],
    [
      "odd types in fields nobody needs",
      chunkEvent({ content: "Hi.", role: 7, refusal: false, tool_calls: null }, "stop", {
        usage: { prompt_tokens: "many" },
        created: null,
      }),
      "text/event-stream",
    ],
  ])("%s is complete", async (_name, body, contentType) => {
    server.next({ kind: "bytes", body, contentType });
    const told = await collect(agent());
    expect(told).toMatchObject({ error: null, text: "Hi." });
    expect(told.events.at(-1)).toMatchObject({ type: "end", state: "complete" });
  });
});

describe("a call that comes although no tools are offered", () => {
  const call = (args: string | object) =>
    chunkEvent({ tool_calls: [{ function: { name: "look", arguments: args } }] });

  it("is answered with no such tool, and the model asked once more", async () => {
    server.next(
      {
        kind: "bytes",
        body: chunkEvent({ content: "Let me look." }) + call({ at: 1 }) + chunkEvent({}, "stop"),
      },
      { kind: "text", text: "I cannot look." },
    );
    const told = await collect(agent(), { text: "look" });
    expect(told.text).toBe("Let me look.\n\nI cannot look.");
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: "user", content: "look" },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ function: { name: "look", arguments: '{"at":1}' } }],
        },
        { role: "tool", content: expect.stringContaining('no tool named "look"') as string },
      ],
    });
  });

  it("is not reported from a second answer that was cut", async () => {
    server.next(
      { kind: "bytes", body: chunkEvent({ content: "Wait." }) + call("") + chunkEvent({}, "stop") },
      { kind: "bytes", body: call({ whole: true }), ending: "destroy" },
    );
    const told = await collect(agent());
    expect(told.events.filter((event) => event.type === "tool-call")).toHaveLength(1);
    expect(told.events.at(-1)).toMatchObject({ type: "end", state: "interrupted" });
  });

  it("is not asked a third time", async () => {
    server.otherwise = { kind: "bytes", body: call("") + chunkEvent({}, "tool_calls") };
    const told = await collect(agent());
    expect(told.error).toMatchObject({ code: "E_AGENT_EMPTY", details: { because: "tools" } });
    expect(server.requests).toHaveLength(2);
    const count = (type: string) => told.events.filter((event) => event.type === type).length;
    expect([count("tool-call"), count("tool-result")]).toEqual([2, 2]);
  });
});

describe("time", () => {
  const limits = { firstTokenMs: 1000, idleMs: 500, totalMs: 5000, lingerMs: 50 };

  it("gives up on a server that does not begin", async () => {
    const clock = handClock();
    server.next({ kind: "silence" });
    const told = collect(agent(clock, { limits }));
    await server.asked(1);
    clock.advance(1000);
    expect((await told).error).toMatchObject({
      code: "E_AGENT_TIMEOUT",
      details: { which: "first_token" },
    });
    await vi.waitFor(() => {
      expect(server.abandoned).toBe(1); // the request is really given up
    });
    expect(clock.pending()).toBe(0);
  });

  it("gives up on one that falls silent in the middle, and keeps what came", async () => {
    const clock = handClock();
    server.next({ kind: "bytes", body: chunkEvent({ content: "Half" }), ending: "hold" });
    const told = await collect(agent(clock, { limits }), {}, undefined, (event) => {
      if (event.type === "text")
        setImmediate(() => {
          clock.advance(500);
        });
    });
    expect(told).toMatchObject({
      text: "Half",
      error: { code: "E_AGENT_TIMEOUT", details: { which: "idle" } },
    });
  });

  it.each([
    ["a comment", ": keep-alive\n\n"],
    ["half a comment", ": keep"],
    ["a thought", chunkEvent({ reasoning_content: "hm" })],
  ])(
    "takes %s for a sign of life",
    async (_name, sign) => {
      const clock = handClock();
      server.next({ kind: "bytes", body: chunkEvent({ content: "Half" }), ending: "hold" });
      let signs = 0;
      const told = await collect(agent(clock, { limits }), {}, undefined, (event) => {
        if (event.type === "end") return;
        // 400 of 500 ms pass between two signs: without counting them the second step would be too late.
        setImmediate(() => {
          clock.advance(400);
          if (++signs <= 3) server.say(sign);
          else server.say(`\n\n${chunkEvent({}, "stop")}`, true);
        });
      });
      expect(signs).toBeGreaterThanOrEqual(4);
      expect(told.error).toBeNull();
    },
    2000,
  );

  it("bounds the whole turn", async () => {
    const clock = handClock();
    server.next({ kind: "bytes", body: chunkEvent({ content: "on " }), ending: "hold" });
    const told = await collect(agent(clock, { limits }), {}, undefined, () => {
      setImmediate(() => {
        clock.advance(400);
        server.say(chunkEvent({ content: "on " }));
      });
    });
    expect(told.error).toMatchObject({ code: "E_AGENT_TIMEOUT", details: { which: "total" } });
  });

  it("does not wait for a server that never closes a finished answer", async () => {
    const clock = handClock();
    server.next({ kind: "bytes", body: chunkEvent({ content: "Hi." }, "stop"), ending: "hold" });
    const told = await collect(agent(clock, { limits }), {}, undefined, (event) => {
      if (event.type === "text")
        setImmediate(() => {
          clock.advance(50);
        });
    });
    expect(told).toMatchObject({ text: "Hi.", error: null });
    expect(told.events.at(-1)).toMatchObject({ type: "end", state: "complete", usage: null });
  });

  it("a stop reaches the server", async () => {
    const stop = new AbortController();
    server.next({ kind: "bytes", body: chunkEvent({ content: "Half" }), ending: "hold" });
    const told = await collect(agent(), {}, stop.signal, () => {
      stop.abort();
    });
    expect(told.error?.code).toBe("E_TURN_STOPPED");
    await vi.waitFor(() => {
      expect(server.abandoned).toBe(1);
    });
  });
});

describe("a probe", () => {
  it("lists the models and how long it took", async () => {
    server.models = ["demo-8b", "other"];
    expect(await runtime().probe(new AbortController().signal)).toMatchObject({
      state: "ok",
      models: ["demo-8b", "other"],
    });
  });

  it.each<[string, () => void, Partial<OpenAiCompatibleOptions>, string]>([
    ["a refused key", () => (server.apiKey = "another"), {}, "E_AGENT_KEY"],
    ["an unlisted model", () => (server.models = ["other"]), {}, "E_AGENT_MODEL"],
    ["a server without a list", () => (server.models = null), {}, "E_AGENT_FAILED"],
    ["no server", () => undefined, { baseUrl: "http://127.0.0.1:9/v1" }, "E_AGENT_DOWN"],
  ])("tells %s", async (_name, arrange, more, code) => {
    arrange();
    const probe = await runtime(systemClock, more).probe(new AbortController().signal);
    expect(probe).toMatchObject({ state: "failed", code });
    expect(probe.message).not.toContain(KEY);
  });

  it("knows Ollama's short names", async () => {
    server.models = ["demo-8b:latest"];
    expect((await runtime().probe(new AbortController().signal)).state).toBe("ok");
  });

  it("gives up after five seconds", async () => {
    const clock = handClock();
    const never: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => {
          reject(new DOMException("aborted", "AbortError"));
        });
      });
    const probe = runtime(clock, { fetch: never }).probe(new AbortController().signal);
    clock.advance(5000);
    expect(await probe).toMatchObject({ state: "failed", code: "E_AGENT_TIMEOUT", ms: 5000 });
  });
});
