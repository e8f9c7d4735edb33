import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { asSessionId, asSessionKey } from "../../contract/ids.ts";
import { silentLog } from "../../log/log.ts";
import { createOpenAiCompatibleRuntime } from "../openai-compatible.ts";
import type { AgentEvent, HistoryMessage } from "../runtime.ts";
import { collect, type Told } from "../testing/collect.ts";
import { startFakeOpenAiServer, type FakeOpenAiServer } from "../testing/fake-openai-server.ts";

const file = (path: string) => readFileSync(new URL(`../testdata/${path}`, import.meta.url));
const json = (path: string): unknown => JSON.parse(file(path).toString());
const session = {
  key: asSessionKey("agent:main:local:dm:one"),
  sessionId: asSessionId("20260101_000000_00000000"),
};

function agentOn(baseUrl: string, fetchImpl?: typeof fetch) {
  return createOpenAiCompatibleRuntime({
    id: "fake",
    baseUrl,
    model: "demo-8b",
    apiKey: null,
    clock: systemClock,
    log: silentLog,
    ...(fetchImpl && { fetch: fetchImpl }),
  }).createAgent(session);
}

/** A server in the process: each read of the client brings exactly one piece, which no socket promises. */
function inPieces(body: Uint8Array, edges: readonly number[]): typeof fetch {
  return () => {
    let at = 0;
    const ends = [...edges, body.length];
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const from = at === 0 ? 0 : (ends[at - 1] ?? 0);
        controller.enqueue(body.subarray(from, ends[at]));
        if (++at === ends.length) controller.close();
      },
    });
    return Promise.resolve(
      new Response(stream, { headers: { "content-type": "text/event-stream" } }),
    );
  };
}

const ofType = <T extends AgentEvent["type"]>(told: Told, type: T) =>
  told.events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);

describe("case 17: comments, empty frames, split characters, usage at the end", () => {
  const folder = "17-sse-utf8-comments-usage";
  const body = file(`${folder}/input/stream.sse`);
  const expected = json(`${folder}/expected.json`) as {
    text: string;
    text_utf8_sha256: string;
    finish_reason: string;
    usage: {
      prompt_tokens: number;
      completion_tokens: number;
      prompt_tokens_details: { cached_tokens: number };
    };
    reasoning_text: string;
    state: string;
  };
  const { note: _note, ...lists } = json(`${folder}/input/cuts.json`) as Record<string, number[]>;
  const everyByte = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
  let server: FakeOpenAiServer;
  beforeEach(async () => {
    server = await startFakeOpenAiServer();
  });
  afterEach(() => server.close());

  function check(told: Told): void {
    expect(told.error).toBeNull();
    expect(told.text).toBe(expected.text);
    expect(createHash("sha256").update(told.text).digest("hex")).toBe(expected.text_utf8_sha256);
    expect(told.text).not.toContain("\uFFFD");
    expect(
      ofType(told, "reasoning")
        .map((event) => event.delta)
        .join(""),
    ).toBe(expected.reasoning_text);
    expect(ofType(told, "end")).toMatchObject([
      {
        state: expected.state,
        finish: expected.finish_reason,
        usage: {
          inputTokens: expected.usage.prompt_tokens,
          outputTokens: expected.usage.completion_tokens,
          cacheReadTokens: expected.usage.prompt_tokens_details.cached_tokens,
        },
      },
    ]);
  }

  it.each(Object.entries(lists))("cut as in %s, over a socket", async (_name, cuts) => {
    server.next({ kind: "bytes", body, cuts });
    check(await collect(agentOn(server.baseUrl)));
  });

  it("cut after every byte, over a socket", async () => {
    server.next({ kind: "bytes", body, cuts: everyByte, pauseMs: 0 });
    check(await collect(agentOn(server.baseUrl)));
  });

  it("cut after every byte, each byte its own read", async () => {
    check(await collect(agentOn("http://127.0.0.1:9", inPieces(body, everyByte))));
  });
});

describe("case 19: a lost connection, tool calls in fragments", () => {
  const folder = "19-sse-cut-and-tool-fragments";
  const body = (name: string) => file(`${folder}/input/${name}.sse`);
  interface ExpectedCase {
    state: string;
    text_kept?: string;
    tool_calls?: { id: string; name: string; arguments: object }[];
  }
  const expected = json(`${folder}/expected.json`) as Record<string, ExpectedCase>;
  let server: FakeOpenAiServer;
  beforeEach(async () => {
    server = await startFakeOpenAiServer();
    server.otherwise = { kind: "text", text: "And so on." };
  });
  afterEach(() => server.close());

  it.each(["complete", "local-server-no-index"])(
    "%s: the calls are reported, whole",
    async (name) => {
      server.next({ kind: "bytes", body: body(name), ending: "destroy" });
      const told = await collect(agentOn(server.baseUrl));
      expect(told.error).toBeNull();
      const calls = ofType(told, "tool-call").map((event) => event.call);
      expect(calls.map((call) => [call.name, call.args])).toEqual(
        expected[name]?.tool_calls?.map((call) => [call.name, call.arguments]),
      );
      for (const [at, call] of calls.entries()) {
        const id = expected[name]?.tool_calls?.[at]?.id;
        if (id === "made by the gateway") expect(call.id).toMatch(/^\S{8,}$/);
        else expect(call.id).toBe(id);
      }
      expect(ofType(told, "tool-result").map((result) => [result.callId, result.failed])).toEqual(
        calls.map((call) => [call.id, true]),
      );
      expect(ofType(told, "end")).toMatchObject([{ state: expected[name]?.state }]);
      expect(told.text).toMatch(/And so on\.$/);
    },
  );

  it.each(["cut-in-arguments", "cut-before-finish", "cut-in-character"])(
    "%s: the text stays, no call is run, the next turn works",
    async (name) => {
      const agent = agentOn(server.baseUrl);
      server.next({ kind: "bytes", body: body(name), ending: "destroy" });
      const told = await collect(agent);
      expect(told).toMatchObject({ error: null, text: expected[name]?.text_kept });
      expect(told.text).not.toContain("\uFFFD");
      expect(ofType(told, "tool-call")).toEqual([]);
      expect(ofType(told, "end")).toMatchObject([{ state: "interrupted" }]);
      expect(server.requests).toHaveLength(1); // not retried: text was shown

      const history: HistoryMessage[] = [
        { role: "user", text: "hello there" },
        { role: "assistant", text: told.text },
      ];
      expect((await collect(agent, { history, text: "go on" })).text).toBe("And so on.");
      expect(server.requests[1]?.body).toMatchObject({
        messages: [
          { role: "user", content: "hello there" },
          { role: "assistant", content: told.text },
          { role: "user", content: "go on" },
        ],
      });
      expect(JSON.stringify(server.requests[1]?.body)).not.toContain("tool_calls");
    },
  );

  it("whatever the length at which it is cut: calls only after the end, never half a character", async () => {
    const whole = body("complete");
    const end = whole.indexOf('"finish_reason":"tool_calls"');
    const endEvent = whole.indexOf("\n\n", end) + 2;
    const lengths = new Set<number>();
    for (let at = 0; at < whole.length; at += 7) lengths.add(at);
    for (let at = end - 5; at <= whole.length; at++) lengths.add(at);
    for (const length of lengths) {
      let asked = 0;
      const first = inPieces(whole.subarray(0, length), []);
      const second = inPieces(Buffer.from(": done\n\ndata: [DONE]\n\n"), []);
      const told = await collect(
        agentOn("http://127.0.0.1:9", (...request) => (asked++ === 0 ? first : second)(...request)),
      );
      const calls = ofType(told, "tool-call");
      expect([length, calls.length]).toEqual([length, length >= endEvent ? 2 : 0]);
      expect(told.text === "" || told.text === "Writing the file now.").toBe(true);
      if (told.text === "") expect(told.error?.code).toMatch(/^E_AGENT_(STREAM|EMPTY)$/);
      else
        expect(ofType(told, "end")).toMatchObject([
          { state: calls.length > 0 ? "complete" : "interrupted" },
        ]);
    }
  });
});
