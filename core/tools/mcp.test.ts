import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLog } from "../log/log.ts";
import { startServer } from "../server/server.ts";
import { loadToken } from "../server/token.ts";
import { testGateway } from "../testing/test-gateway.ts";
import { until } from "../testing/until.ts";

async function served() {
  const made = await testGateway();
  const token = loadToken(made.dataDir);
  const server = await startServer({
    gateway: made.gateway,
    hooks: made.gateway.hooks,
    clients: made.gateway.clients,
    token,
    panelDir: made.dataDir,
    clock: systemClock,
    log: silentLog,
  });
  onTestFinished(() => server.close());
  made.gateway.publishUrl(server.url);
  return { made, server, token };
}

async function connect(url: string, token: string, name = "Test Client"): Promise<Client> {
  const client = new Client({ name, version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  result: Record<string, unknown> | undefined;
  texts: string[];
  failed: boolean;
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  const answer = await client.callTool({ name, arguments: args });
  const content = answer.content as { type: string; text: string }[];
  return {
    result: answer.structuredContent as Record<string, unknown> | undefined,
    texts: content.map((part) => part.text),
    failed: answer.isError === true,
  };
}

test("a program is listed the tools, with schemas, and is a session itself", async () => {
  const { made, server, token } = await served();
  const client = await connect(`${server.url}/mcp`, token);
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual([
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "session_status",
    "sessions_unwatch",
    "goal_set",
    "goal_clear",
  ]);
  expect(tools.every((tool) => tool.description !== undefined)).toBe(true);
  const status = await call(client, "session_status");
  expect(status.result).toMatchObject({ ok: true, sessionKey: "agent:main:mcp:test-client" });
  const { sessions } = await made.call("sessions.list", {});
  expect(sessions.map((row) => row.key)).toEqual(["agent:main:mcp:test-client"]);
});

test("without the token nobody comes in", async () => {
  const { server } = await served();
  await expect(connect(`${server.url}/mcp`, "wrong")).rejects.toThrow(/401|token/i);
});

test("a program watches a session: it is told once, looking moves nothing, the next call settles it", async () => {
  const { made, server, token } = await served();
  const client = await connect(`${server.url}/mcp`, token);
  const { key } = await made.call("sessions.create", { title: "watched" });
  const sent = await call(client, "sessions_send", {
    sessionKey: key,
    message: "hello",
    watch: true,
  });
  expect(sent.result).toMatchObject({ status: "ok", reply: "You said: hello", watched: true });

  for (const text of ["one", "two", "three"]) await made.call("sessions.send", { key, text });
  const pair = async () => (await made.call("watchers.list", { key })).pairs[0];
  await until("all are signals", async () => (await pair())?.lag === 3);
  const before = await pair();
  expect(before).toMatchObject({ pending: true, watcherKey: "agent:main:mcp:test-client" });

  const look = () =>
    call(client, "session_status", { sessionKey: key, changesSince: before?.lastSeen });
  const first = await look();
  expect(first.result).toMatchObject({
    stateChanges: { historyGap: false, events: [{ kind: "human_direct_message" }, {}, {}] },
  });
  expect((await look()).result?.["stateChanges"]).toEqual(first.result?.["stateChanges"]);
  expect(await pair()).toEqual(before);

  const listed = await call(client, "sessions_list");
  expect(listed.texts[1]).toContain(`Session "${key}" changed (other actor).`);
  expect((await pair())?.notice?.taken).toBe(true);
  await call(client, "sessions_list");
  // The first of three was told of; one follow-up is open for the others, and was shown now.
  expect(await pair()).toMatchObject({ pending: true, notice: { base: before?.notified } });
  await call(client, "sessions_list");
  expect(await pair()).toMatchObject({ pending: false, notice: null });
});

test("what was read may be settled: no notice comes for it", async () => {
  const { made, server, token } = await served();
  const client = await connect(`${server.url}/mcp`, token);
  const { key } = await made.call("sessions.create", { title: "watched" });
  await call(client, "sessions_send", {
    sessionKey: key,
    message: "hello",
    watch: true,
    timeoutSeconds: 0,
  });
  await made.call("sessions.send", { key, text: "one" });
  await until(
    "it is a signal",
    async () => (await made.call("watchers.list", { key })).pairs[0]?.pending,
  );
  const read = await call(client, "session_status", {
    sessionKey: key,
    changesSince: 0,
    settle: true,
  });
  expect(read.result).toMatchObject({ settled: true });
  expect((await made.call("watchers.list", { key })).pairs[0]).toMatchObject({
    pending: false,
    notice: null,
  });
  expect((await call(client, "sessions_list")).texts).toHaveLength(1);
});

test("bad arguments are answered as such", async () => {
  const { server, token } = await served();
  const client = await connect(`${server.url}/mcp`, token);
  const wrong = await call(client, "session_status", { changesSince: -1 });
  expect(wrong).toMatchObject({
    failed: true,
    texts: ["changesSince must be a non-negative integer"],
  });
  expect((await call(client, "session_status", { sessionKey: "agent:main:none:x" })).texts).toEqual(
    ["Unknown sessionKey: agent:main:none:x"],
  );
  expect((await call(client, "sessions_send", { sessionKey: "x", message: " " })).failed).toBe(
    true,
  );
  expect((await call(client, "no_such_tool")).failed).toBe(true);
});

test("the same over standard input and output, through the gateway that runs", async () => {
  const { made } = await served();
  const client = new Client({ name: "Stdio Client", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, "..", "cli.ts"), "--data", made.dataDir, "mcp"],
    stderr: "inherit",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const status = await call(client, "session_status");
  expect(status.result).toMatchObject({ sessionKey: "agent:main:mcp:stdio-client" });
  await client.close();
});
