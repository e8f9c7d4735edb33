import { expect, test } from "vitest";
import type { SessionKey } from "../contract/ids.ts";
import { testGateway } from "../testing/test-gateway.ts";
import type { TestGateway } from "../testing/test-gateway.ts";
import { until } from "../testing/until.ts";

/** Calls a tool as the agent of the test's chat, and gives the tool's answer. */
async function asAgent(made: TestGateway, tool: string, args: unknown): Promise<unknown> {
  const before = await toolOutputs(made, made.key);
  await made.channel.post(`!call ${tool} ${JSON.stringify(args)}`);
  const outputs = await until("the tool answered", async () => {
    const now = await toolOutputs(made, made.key);
    return now.length > before.length && now;
  });
  return JSON.parse(outputs.at(-1) ?? "null");
}

async function toolOutputs(made: TestGateway, key: SessionKey): Promise<string[]> {
  const { sessions } = await made.call("sessions.list", {});
  if (!sessions.some((row) => row.key === key)) return [];
  const { messages } = await made.call("sessions.history", { key, limit: 500 });
  return messages.flatMap((row) => row.tools.map((tool) => tool.output));
}

const kindsOf = async (made: TestGateway, key: SessionKey): Promise<string[]> =>
  (await made.call("journal.changesSince", { key, since: 0 })).events.map((event) => event.kind);

const idle = (made: TestGateway, key: SessionKey) =>
  until(`${key} is idle`, async () => {
    const now = await made.call("sessions.get", { key });
    return now.turn === null && now.waiting.length === 0 && now;
  });

interface Spawned {
  status: string;
  childSessionKey: SessionKey;
  runId: string;
}

test("a child run is spawned, runs, and its end is told to its requester once", async () => {
  const made = await testGateway();
  const spawned = (await asAgent(made, "sessions_spawn", {
    task: "look at the points",
    label: "points",
  })) as Spawned;
  expect(spawned.status).toBe("accepted");
  expect(spawned.childSessionKey).toMatch(/^agent:main:subagent:/);
  await until("it ended", async () => {
    const { children } = await made.call("children.list", { key: made.key });
    return children[0]?.state === "completed" && children[0].announced === "handed";
  });
  await idle(made, made.key);
  const told = (await made.transcript()).filter((row) =>
    row.includes('Child run "points" completed'),
  );
  // What was told, and the practice agent's echo of it.
  expect(told.filter((row) => row.startsWith("user:"))).toHaveLength(1);
  expect(told[0]).toContain("You said: look at the points");
  expect(await kindsOf(made, spawned.childSessionKey)).toEqual([
    "created",
    "child_spawned",
    "run_completed",
  ]);
});

test("a person's word in a child tells the parent once, and the turn that took the notice settles it", async () => {
  const made = await testGateway();
  const { childSessionKey: child } = (await asAgent(made, "sessions_spawn", {
    task: "wait",
  })) as Spawned;
  await until("it ended", async () => (await kindsOf(made, child)).includes("run_completed"));
  await idle(made, made.key);

  await made.call("sessions.send", { key: child, text: "hello, child" });
  const pair = await until("the parent was told", async () => {
    const { pairs } = await made.call("watchers.list", { key: child });
    return pairs[0]?.drainedAtMs != null && !pairs[0].pending && pairs[0];
  });
  expect(pair).toMatchObject({
    watcherKey: made.key,
    targetKey: child,
    origin: "spawned",
    notice: null,
  });
  const { notices } = await made.call("watchers.notices", { key: child });
  expect(notices.map((notice) => notice.state)).toEqual(["drained"]);
  const bars = (await made.transcript()).filter((row) => row.startsWith("boundary: Session"));
  expect(bars).toEqual([
    `boundary: Session "${child}" changed (other actor). Reconcile before acting: session_status sessionKey "${child}" changesSince 3.`,
  ]);
  // The woken turn said nothing to anybody.
  expect(made.replies().some((text) => text.includes("[SILENT]"))).toBe(false);
});

test("sessions_send waits for the answer; with watch it watches from then on", async () => {
  const made = await testGateway();
  const { key: other } = await made.call("sessions.create", { title: "other" });
  const answer = await asAgent(made, "sessions_send", {
    sessionKey: other,
    message: "are you there?",
    watch: true,
  });
  expect(answer).toMatchObject({ status: "ok", reply: "You said: are you there?", watched: true });
  const { pairs } = await made.call("watchers.list", { key: other });
  expect(pairs).toMatchObject([{ watcherKey: made.key, origin: "asked", pending: false }]);
  // An agent's message is no person's.
  expect(await kindsOf(made, other)).toEqual(["created"]);

  const gone = await asAgent(made, "sessions_unwatch", { sessionKey: other });
  expect(gone).toMatchObject({ unwatched: true });
  expect((await made.call("watchers.list", {})).pairs).toEqual([]);
});

test("a goal set by an agent is stored, shown, and told to who watches", async () => {
  const made = await testGateway();
  const set = await asAgent(made, "goal_set", { objective: "all signals green" });
  expect(set).toMatchObject({ status: "ok", changed: true, goal: { status: "active" } });
  const { goal } = await made.call("goals.get", { key: made.key });
  expect(goal).toMatchObject({ objective: "all signals green", status: "active" });
  const [event] = (await made.call("journal.list", { kinds: ["goal_changed"] })).events;
  expect(event).toMatchObject({ summary: "goal created", actor: { type: "agent", id: made.key } });
  expect(JSON.stringify((await made.call("journal.list", {})).events)).not.toContain("green");

  await made.call("sessions.reset", { key: made.key });
  expect((await made.call("goals.get", { key: made.key })).goal).toBeNull();
  const [cleared] = (await made.call("journal.list", { kinds: ["goal_changed"] })).events;
  expect(cleared).toMatchObject({ summary: "goal cleared", actor: { type: "human" } });
});

test("a cancelled child ends as cancelled, with its own children, and is told so", async () => {
  const made = await testGateway();
  const task = `!call sessions_spawn {"task":"!sleep 10m deep"}\n!sleep 10m`;
  const { childSessionKey: child, runId } = (await asAgent(made, "sessions_spawn", {
    task,
  })) as Spawned;
  await until("both run", async () => {
    const { children } = await made.call("children.list", { open: true });
    return children.length === 2 && children.every((run) => run.state === "running");
  });
  expect(await made.call("children.cancel", { runId })).toEqual({ changed: true });
  const { children } = await made.call("children.list", {});
  expect(children.map((run) => run.state)).toEqual(["cancelled", "cancelled"]);
  const events = (await made.call("journal.changesSince", { key: child, since: 0 })).events;
  expect(events.at(-1)).toMatchObject({ kind: "run_failed", payload: { outcome: "cancelled" } });
  await idle(made, made.key);
  const told = (await made.transcript()).filter((row) => row.startsWith("user: Child run"));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("was cancelled");
});

test("a child that takes too long is ended by its limit", async () => {
  const made = await testGateway();
  await made.channel.post("hello");
  await idle(made, made.key);
  const { run } = await made.call("children.spawn", {
    key: made.key,
    task: "!hang",
    timeoutSeconds: 1,
  });
  await until("it timed out", async () => {
    const { children } = await made.call("children.list", {});
    return children[0]?.state === "timed_out";
  });
  const events = (await made.call("journal.changesSince", { key: run.childKey, since: 0 })).events;
  expect(events.at(-1)).toMatchObject({ kind: "run_failed", payload: { outcome: "timeout" } });
});

test("two agents that write to each other for ever are stopped, told, and freed by a person", async () => {
  const made = await testGateway({
    settings: { tools: { relays: { max_hops: 3, max_per_pair: 4 } } },
  });
  const { key: other } = await made.call("sessions.create", { title: "other" });
  const send = () =>
    asAgent(made, "sessions_send", { sessionKey: other, message: "hi", timeoutSeconds: 5 });
  for (let nth = 0; nth < 4; nth += 1) expect(await send()).toMatchObject({ status: "ok" });
  // The person who has it written begins a new chain and a new count each time; without one, the pair is stopped.
  const nested = (depth: number): string =>
    depth === 0
      ? "end"
      : `!call sessions_send ${JSON.stringify({ sessionKey: depth % 2 ? made.key : other, timeoutSeconds: 0, message: nested(depth - 1) })}`;
  await made.channel.post(nested(6));
  const stopped = await until("it was stopped", async () => {
    const { events } = await made.call("journal.list", { kinds: ["relay_stopped"] });
    return events[0];
  });
  expect(stopped).toMatchObject({ payload: { limit: "hops" }, actor: { type: "agent" } });
  await until("the operator was told", async () => {
    const { notices } = await made.call("notices.list", {});
    return notices.some((notice) => notice.title.startsWith("Agents were stopped"));
  });
  expect(await send()).toMatchObject({ status: "ok" });
});

test("two sessions that wait for each other do not stand still: the second is told at once that it is queued", async () => {
  const made = await testGateway();
  const { key: other } = await made.call("sessions.create", { title: "other" });
  const back = `!call sessions_send ${JSON.stringify({ sessionKey: made.key, message: "and you?" })}`;
  const answer = await asAgent(made, "sessions_send", { sessionKey: other, message: back });
  expect(answer).toMatchObject({ status: "ok", reply: "You said:" });
  const [inner] = await toolOutputs(made, other);
  expect(JSON.parse(inner ?? "")).toMatchObject({
    status: "accepted",
    targetDisposition: "queued",
  });
});

test("a notice that no model saw waits for the next turn", async () => {
  const made = await testGateway();
  await made.channel.post("hello");
  await idle(made, made.key);
  const { key: other } = await made.call("sessions.create", { title: "other" });
  await made.call("watchers.start", { watcherKey: made.key, targetKey: other });
  const pair = async () => (await made.call("watchers.list", {})).pairs[0];
  // A turn that runs when the change comes: the notice waits behind it, and the turn after it fails before it is seen.
  await made.channel.post("!sleep 300ms");
  await until(
    "it runs",
    async () => (await made.call("sessions.get", { key: made.key })).turn !== null,
  );
  await made.channel.post("/queue !fail");
  await made.call("sessions.send", { key: other, text: "a word" });
  await until("the turn failed", async () =>
    (await made.transcript()).some((row) => row.includes("told to fail")),
  );
  await until("it was told", async () => (await pair())?.pending === false);
  const { notices } = await made.call("watchers.notices", {});
  expect(notices).toMatchObject([{ state: "drained" }]);
  const shown = (await made.transcript()).filter((row) => row.startsWith("boundary: Session"));
  expect(shown).toHaveLength(2); // in the turn that failed, and in the one that saw it
});

test("a storm of changes is one entry that counts each of them, and a few wakes", async () => {
  const made = await testGateway();
  const { key } = await made.call("sessions.create", { title: "busy" });
  const { key: watcherKey } = await made.call("sessions.create", { title: "watching" });
  await made.call("watchers.start", { watcherKey, targetKey: key });
  const issuedAtMs = Date.now();
  const started = { key, operationId: "storm", issuedAtMs, objective: "calm" };
  const goalId = (await made.call("goals.start", started)).goal?.goalId ?? "";
  const changes = Array.from({ length: 999 }, (_, nth) => ({
    key,
    operationId: `storm-${nth}`,
    issuedAtMs,
    goalId,
    action: nth % 2 === 0 ? ("pause" as const) : ("resume" as const),
  }));
  for (let from = 0; from < changes.length; from += 100)
    await Promise.all(
      changes.slice(from, from + 100).map((change) => made.call("goals.update", change)),
    );

  const told = await until("each is counted", async () => {
    const notices = (await made.call("notices.list", {})).notices.filter(
      (notice) => notice.kind === "watch",
    );
    return notices.reduce((sum, notice) => sum + notice.count, 0) === 1000 && notices;
  });
  expect(told).toHaveLength(1);
  const { notices } = await made.call("watchers.notices", { key });
  expect(notices.length).toBeLessThanOrEqual(6); // five wakes in a minute, and what waits
});
