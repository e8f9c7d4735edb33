import { systemClock } from "../clock.ts";
import { silentLog } from "../log/log.ts";
import { createOpenAiCompatibleRuntime } from "./openai-compatible.ts";
import { createPracticeRuntime } from "./practice.ts";
import { describeRuntime } from "./runtime-conformance.ts";
import { chunkEvent, startFakeOpenAiServer, type FakeReply } from "./testing/fake-openai-server.ts";

describeRuntime("practice", () =>
  Promise.resolve({
    runtime: createPracticeRuntime({ clock: systemClock, streamPauseMs: 5 }),
    plain: { text: "hello there", reply: "You said: hello there" },
    endless: "!stream 100000",
    silent: "!sleep 60m",
    failing: "!fail it was told to",
    dispose: () => Promise.resolve(),
  }),
);

describeRuntime("openai-compatible", async () => {
  const server = await startFakeOpenAiServer();
  const replies: Record<string, FakeReply> = {
    "go on": { kind: "bytes", body: chunkEvent({ content: "and " }), ending: "hold" },
    wait: { kind: "silence" },
    break: { kind: "status", status: 500, body: { error: { message: "out of memory" } } },
  };
  server.otherwise = (request) => {
    const { messages } = request.body as { messages: { content: string }[] };
    const text = messages.at(-1)?.content ?? "";
    return replies[text] ?? { kind: "text", text: `Echo: ${text}` };
  };
  return {
    runtime: createOpenAiCompatibleRuntime({
      id: "fake",
      baseUrl: server.baseUrl,
      model: "demo-8b",
      apiKey: null,
      clock: systemClock,
      log: silentLog,
    }),
    plain: { text: "hello there", reply: "Echo: hello there" },
    endless: "go on",
    silent: "wait",
    failing: "break",
    dispose: () => server.close(),
  };
});
