import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { createOpenAiCompatibleRuntime } from "./openai-compatible.ts";
import { createPracticeRuntime } from "./practice.ts";
import type { AgentRuntime, ToolBox } from "./runtime.ts";
import { collect } from "./testing/collect.ts";
import { answerEvents, chunkEvent, startFakeOpenAiServer } from "./testing/fake-openai-server.ts";

const session = {
  key: asSessionKey("agent:main:local:dm:one"),
  sessionId: asSessionId("20260101_000000_00000000"),
};

/** Tools that remember what they were called with. */
function toolBox(): ToolBox & { calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    specs: [
      {
        name: "look_up",
        description: "Looks something up.",
        inputSchema: { type: "object", properties: { word: { type: "string" } } },
      },
    ],
    call: async (name, args) => {
      calls.push([name, args]);
      return name === "look_up"
        ? { output: "a railway signal", failed: false }
        : { output: `There is no tool named "${name}".`, failed: true };
    },
  };
}

const agentOf = (runtime: AgentRuntime) => runtime.createAgent(session);

async function openAi() {
  const server = await startFakeOpenAiServer();
  onTestFinished(() => server.close());
  const runtime = createOpenAiCompatibleRuntime({
    id: "fake",
    baseUrl: server.baseUrl,
    model: "demo-8b",
    apiKey: null,
    clock: systemClock,
    log: silentLog,
  });
  return { server, agent: agentOf(runtime) };
}

const toolCall = (name: string, args: object): string =>
  [
    chunkEvent({
      role: "assistant",
      tool_calls: [
        {
          index: 0,
          id: `c-${name}`,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    }),
    chunkEvent({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");

interface Asked {
  model: string;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string } }[];
}

test("a model is offered the tools, its call is run, and its answer stands on the result", async () => {
  const { server, agent } = await openAi();
  server.next(
    { kind: "bytes", body: toolCall("look_up", { word: "semaphore" }) },
    { kind: "bytes", body: answerEvents("It is a railway signal.").join("") },
  );
  const tools = toolBox();
  const told = await collect(agent, {
    text: "What is a semaphore?",
    tools,
    systemEvents: "System: [now] one changed",
  });
  expect(told.error).toBeNull();
  expect(told.text).toBe("It is a railway signal.");
  expect(tools.calls).toEqual([["look_up", { word: "semaphore" }]]);
  expect(told.events.filter((event) => event.type.startsWith("tool"))).toMatchObject([
    { type: "tool-call", call: { name: "look_up" } },
    { type: "tool-result", output: "a railway signal", failed: false },
  ]);
  const [first, second] = server.requests
    .filter((request) => request.path.endsWith("/chat/completions"))
    .map((request) => request.body as Asked);
  expect(first?.tools?.map((tool) => tool.function.name)).toEqual(["look_up"]);
  expect(first?.messages.at(-1)).toEqual({
    role: "user",
    content: "System: [now] one changed\n\nWhat is a semaphore?",
  });
  expect(second?.messages.at(-1)).toMatchObject({ role: "tool", content: "a railway signal" });
});

test("a tool that is none is answered as failed, and the turn goes on; a lane's own model is asked", async () => {
  const { server, agent } = await openAi();
  server.next(
    { kind: "bytes", body: toolCall("no_such", {}) },
    { kind: "bytes", body: answerEvents("Then without.").join("") },
  );
  const told = await collect(agent, { text: "go", tools: toolBox(), model: "other-9b" });
  expect(told.text).toBe("Then without.");
  expect(told.events).toContainEqual(
    expect.objectContaining({ type: "tool-result", failed: true }),
  );
  expect(asked(server).model).toBe("other-9b");
});

test("text that is handed in goes after the next tool result", async () => {
  const { server, agent } = await openAi();
  server.next(
    { kind: "bytes", body: toolCall("look_up", { word: "x" }) },
    { kind: "bytes", body: answerEvents("Both done.").join("") },
  );
  const tools = toolBox();
  const calling: ToolBox = {
    ...tools,
    call: (...given) => {
      expect(agent.steer?.({ inputId: 7, text: "and look up y" })).toBe(true);
      return tools.call(...given);
    },
  };
  const told = await collect(agent, { text: "look up x", tools: calling });
  expect(told.events).toContainEqual({ type: "steered", inputId: 7, text: "and look up y" });
  expect(asked(server).messages.at(-1)).toEqual({
    role: "user",
    content: "and look up y",
  });
});

test("the practice agent calls what it is told to, and is silent where only the gateway spoke", async () => {
  const agent = agentOf(createPracticeRuntime({ clock: systemClock }));
  const tools = toolBox();
  const told = await collect(agent, {
    text: `!call look_up {"word":"points"}\n!call look_up\nthanks`,
    tools,
  });
  expect(tools.calls).toEqual([
    ["look_up", { word: "points" }],
    ["look_up", {}],
  ]);
  expect(told.text).toBe("You said: thanks");
  const woken = await collect(agent, {
    text: "",
    tools,
    systemEvents: "System: [now] one changed",
    wake: true,
    history: [{ role: "assistant", text: "before" }],
  });
  expect(woken.text).toBe("[SILENT]");
  const without = await collect(agent, { text: "!call look_up" });
  expect(without.events).toContainEqual(
    expect.objectContaining({ type: "tool-result", failed: true }),
  );
});

/** What the server was asked last. */
function asked(server: { requests: readonly { body: unknown }[] }): Asked {
  const last = server.requests.at(-1);
  if (last === undefined) throw new Error("nothing was asked");
  return last.body as Asked;
}
