import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLog } from "../log/log.ts";
import { discoverServers } from "./discovery.ts";
import { createAgentRegistry, type AgentRegistry, type AgentRegistryOptions } from "./registry.ts";
import { collect, handClock } from "./testing/collect.ts";
import { startFakeOpenAiServer, type FakeOpenAiServer } from "./testing/fake-openai-server.ts";

let ollama: FakeOpenAiServer;
let studio: FakeOpenAiServer;
let registries: AgentRegistry[] = [];
beforeEach(async () => {
  [ollama, studio] = await Promise.all([startFakeOpenAiServer(), startFakeOpenAiServer()]);
});
afterEach(async () => {
  for (const registry of registries) registry.stop();
  registries = [];
  await Promise.all([ollama.close(), studio.close()]);
});

const ports = () => [
  { id: "ollama", port: ollama.port },
  { id: "lm-studio", port: studio.port },
];

function registry(options: Partial<AgentRegistryOptions> = {}): AgentRegistry {
  const made = createAgentRegistry({
    agents: {},
    defaultAgent: "auto",
    clock: systemClock,
    log: silentLog,
    discoveryPorts: ports(),
    rediscoverMs: 0,
    ...options,
  });
  registries.push(made);
  return made;
}
const server = (
  baseUrl: string,
  model: string | null = "demo-8b",
  apiKey: string | null = null,
) => ({
  runtime: "openai-compatible" as const,
  baseUrl,
  model,
  apiKey,
});
const ids = (made: AgentRegistry) => made.list().map((row) => row.id);
const defaults = (made: AgentRegistry) =>
  made
    .list()
    .filter((row) => row.isDefault)
    .map((row) => row.id);

describe("discovery", () => {
  const look = (servers = ports()) =>
    discoverServers({ clock: systemClock, servers, fetch, signal: new AbortController().signal });

  it("finds what listens, with its models", async () => {
    ollama.models = ["text-embedding-demo", "demo-8b"];
    studio.models = [];
    expect(await look()).toMatchObject([
      { id: "ollama", baseUrl: ollama.baseUrl, model: "demo-8b", probe: { state: "ok" } },
      { id: "lm-studio", model: null },
    ]);
  });

  it("finds nothing where nothing listens, or something else does", async () => {
    ollama.models = null;
    const gone = studio.port;
    await studio.close();
    expect(
      await look([
        { id: "ollama", port: ollama.port },
        { id: "lm-studio", port: gone },
      ]),
    ).toEqual([]);
    studio = await startFakeOpenAiServer();
  });

  it("knows an old Ollama by its own list", async () => {
    const old: typeof fetch = (input) =>
      Promise.resolve(
        typeof input === "string" && input.endsWith("/api/tags")
          ? Response.json({ models: [{ name: "demo-8b:latest" }] })
          : new Response("404 page not found", { status: 404 }),
      );
    const found = await discoverServers({
      clock: systemClock,
      servers: ports(),
      fetch: old,
      signal: new AbortController().signal,
    });
    expect(found).toMatchObject([
      { id: "ollama", baseUrl: ollama.baseUrl, model: "demo-8b:latest" },
    ]);
  });

  it("waits a second at most", async () => {
    const clock = handClock();
    const never: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => {
          reject(new DOMException("aborted", "AbortError"));
        });
      });
    const found = discoverServers({
      clock,
      servers: ports(),
      fetch: never,
      signal: new AbortController().signal,
    });
    clock.advance(1000);
    expect(await found).toEqual([]);
  });
});

describe("the default agent", () => {
  it("is the practice agent until a server is found", async () => {
    const made = registry();
    expect([ids(made), defaults(made), made.default().id]).toEqual([
      ["practice"],
      ["practice"],
      "practice",
    ]);
    await made.probe();
    expect([ids(made), defaults(made)]).toEqual([["practice", "ollama", "lm-studio"], ["ollama"]]);
    expect(made.list()[1]).toMatchObject({
      origin: "found",
      model: "demo-8b",
      hasKey: false,
      probe: { state: "ok" },
    });
    const told = await collect(
      made.default().createAgent({ key: "k" as never, sessionId: "s" as never }),
    );
    expect(told.text).toBe("Echo: hello there");
  });

  it("is no server without a chat model", async () => {
    ollama.models = ["text-embedding-demo"];
    const made = registry();
    await made.probe();
    expect(made.default().id).toBe("lm-studio");
  });

  it("is the one that was chosen", async () => {
    const made = registry({ agents: { big: server(ollama.baseUrl) }, defaultAgent: "big" });
    await made.probe();
    expect(made.default().id).toBe("big");
  });

  it("is as auto where the chosen one is gone", () => {
    expect(registry({ defaultAgent: "gone" }).default().id).toBe("practice");
  });

  it("stays a chosen server that is not there, so that the turn says why it fails", async () => {
    const { port } = studio;
    await studio.close();
    const made = registry({
      defaultAgent: "lm-studio",
      discoveryPorts: [{ id: "lm-studio", port }],
    });
    expect(defaults(made)).toEqual(["lm-studio"]);
    const told = await collect(
      made.default().createAgent({ key: "k" as never, sessionId: "s" as never }),
    );
    expect(told.error?.code).toBe("E_AGENT_DOWN");
    studio = await startFakeOpenAiServer();
  });

  it("stays a found server that went away, until another answers", async () => {
    studio.models = null;
    const made = registry();
    await made.probe();
    await ollama.close();
    await made.probe();
    expect(made.list().find((row) => row.isDefault)).toMatchObject({
      id: "ollama",
      probe: { state: "failed", code: "E_AGENT_DOWN" },
    });
    studio.models = ["demo-8b"];
    await made.probe();
    expect(made.default().id).toBe("lm-studio");
    ollama = await startFakeOpenAiServer();
  });
});

describe("the list", () => {
  it("shows a configured agent instead of a found one of its id or address, and never a key", async () => {
    const made = registry({
      agents: {
        mine: server(`${ollama.baseUrl}/`, "demo-8b", "sk-secret-1"),
        "lm-studio": server("http://127.0.0.1:9"),
      },
    });
    await made.probe();
    expect(ids(made)).toEqual(["practice", "mine", "lm-studio"]);
    expect(made.list()[1]).toMatchObject({
      origin: "config",
      hasKey: true,
      baseUrl: ollama.baseUrl,
      probe: { state: "ok" },
    });
    expect(made.list()[2]).toMatchObject({
      origin: "config",
      probe: { state: "failed", code: "E_AGENT_DOWN" },
    });
    expect(JSON.stringify(made.list())).not.toContain("sk-secret-1");
  });

  it("keeps the model of a found server while it has it", async () => {
    ollama.models = ["one", "two"];
    const made = registry();
    await made.probe();
    const runtime = made.get("ollama");
    ollama.models = ["two", "one"];
    await made.probe();
    expect(made.get("ollama")).toBe(runtime);
    ollama.models = ["two"];
    await made.probe();
    expect(made.get("ollama").model).toBe("two");
  });

  it("keeps the runtimes of agents whose settings did not change", () => {
    const made = registry({
      agents: { a: server("http://127.0.0.1:9/v1"), b: server("http://127.0.0.1:9/v1") },
    });
    const [a, b] = [made.get("a"), made.get("b")];
    made.setAgents({
      agents: { a: server("http://127.0.0.1:9/v1"), b: server("http://127.0.0.1:9/v1", "other") },
      defaultAgent: "a",
    });
    expect(made.get("a")).toBe(a);
    expect(made.get("b")).not.toBe(b);
    expect(made.default()).toBe(a);
    made.setAgents({ agents: {}, defaultAgent: "auto" });
    expect(made.has("a")).toBe(false);
    expect(() => made.get("a")).toThrow(
      expect.objectContaining({ code: "E_AGENT_UNKNOWN" }) as Error,
    );
  });

  it("loses one agent whose settings are unusable, and no other", () => {
    const made = registry({
      agents: { bad: server("not a url"), good: server("http://127.0.0.1:9/v1") },
    });
    expect(ids(made)).toEqual(["practice", "good"]);
  });

  it("counts turns under way and failures of the last hour", () => {
    const clock = handClock();
    const made = registry({ clock });
    const counts = () => made.list().map((row) => [row.running, row.failuresLastHour])[0];
    made.turnStarted("practice");
    made.turnStarted("practice");
    made.turnEnded("practice", true);
    expect(counts()).toEqual([1, 1]);
    clock.advance(3_600_000);
    made.turnEnded("practice", false);
    expect(counts()).toEqual([0, 0]);
  });

  it("tells its listeners about changes, and of nothing when nothing changed", async () => {
    const made = registry();
    let changes = 0;
    const stop = made.onChange(() => changes++);
    made.turnStarted("practice");
    await made.probe("practice");
    made.setAgents({ agents: {}, defaultAgent: "practice" });
    expect(changes).toBe(3);
    stop();
    made.turnEnded("practice", false);
    expect(changes).toBe(3);
  });
});

describe("looking by itself", () => {
  it("begins off the caller's path, and looks again after a while", async () => {
    const hand = handClock();
    const { models } = ollama;
    ollama.models = null;
    studio.models = null;
    const made = registry({ clock: hand, rediscoverMs: 60_000 });
    made.start();
    expect(ollama.requests).toHaveLength(0);
    await made.probe(); // joins the look under way
    expect(hand.pending()).toBe(1);
    expect(made.default().id).toBe("practice");
    ollama.models = models;
    hand.advance(60_000);
    await vi.waitFor(() => {
      expect(made.default().id).toBe("ollama");
    });
  });

  it("ends when it is told to", async () => {
    const hand = handClock();
    const made = registry({ clock: hand, rediscoverMs: 60_000 });
    made.start();
    await made.probe();
    expect(hand.pending()).toBe(1);
    made.stop();
    expect(hand.pending()).toBe(0);
  });
});

describe("a server that is not saved yet", () => {
  it("is probed and forgotten", async () => {
    ollama.apiKey = "sk-right";
    const made = registry();
    expect(await made.testServer(ollama.baseUrl, "sk-right")).toMatchObject({
      state: "ok",
      models: ["demo-8b"],
    });
    expect(await made.testServer(ollama.baseUrl, "sk-wrong-key")).toMatchObject({
      state: "failed",
      code: "E_AGENT_KEY",
    });
    expect(await made.testServer(ollama.baseUrl)).toMatchObject({
      state: "failed",
      code: "E_AGENT_KEY",
    });
    await expect(made.testServer("file:///etc")).rejects.toMatchObject({ code: "E_INPUT" });
    expect(ids(made)).toEqual(["practice"]);
  });
});
