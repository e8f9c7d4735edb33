import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { openStores } from "../compose/stores.ts";
import { systemClock } from "../clock.ts";
import { asSessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { startServer } from "../server/server.ts";
import { loadToken } from "../server/token.ts";
import { FakeGateway } from "../server/server-testing.ts";
import { openDatabase } from "../state/database.ts";
import { dmSource } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testGateway } from "../testing/test-gateway.ts";
import { until } from "../testing/until.ts";
import { clientsOn } from "./testing/clients-on.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "testdata", "case-27", name), "utf8"));

interface GivenEvent {
  sequence: number;
  session: string;
  kind: string;
  actor: "human" | "agent" | "system";
  actor_id: string;
  summary: string;
}
const given = read("events.json") as GivenEvent[];
const P = "agent:main:main";
const K = "agent:main:telegram:group:-1001000000001";
const C = "agent:main:subagent:child";
const D = "agent:main:subagent:other";

/** The journal, its tools and the MCP door on one database file; no agents run. */
async function open(file: string) {
  const db = openDatabase(file, silentLog);
  const stores = openStores(db);
  const dir = tempDir();
  const server = await startServer({
    gateway: new FakeGateway(),
    hooks: new Map(),
    clients: clientsOn(db, stores),
    token: loadToken(dir),
    panelDir: dir,
    clock: systemClock,
    log: silentLog,
  });
  const open: Client[] = [];
  async function connect(session: string): Promise<Client> {
    const client = new Client({ name: "case 27", version: "1" });
    const url = new URL(`${server.url}/mcp?session=${encodeURIComponent(session)}`);
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${loadToken(dir)}` } },
    });
    await client.connect(transport);
    open.push(client);
    return client;
  }
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      await Promise.all(open.map((client) => client.close()));
      await server.close();
      await db.close();
    })());
  onTestFinished(close);
  return { db, ...stores, connect, close };
}
type World = Awaited<ReturnType<typeof open>>;

const target = (key: string) => ({ key, agentId: "main" });

async function status(client: Client, session: string, changesSince: number) {
  const answer = await client.callTool({
    name: "session_status",
    arguments: { sessionKey: session, changesSince },
  });
  const result = answer.structuredContent as {
    stateVersion: number;
    stateChanges: {
      events: { sequence: number; kind: string }[];
      historyGap: boolean;
      more: boolean;
      next?: number;
    };
  };
  const { events, historyGap, more, next } = result.stateChanges;
  return {
    stateVersion: result.stateVersion,
    sequences: events.map((event) => event.sequence),
    kinds: events.map((event) => event.kind),
    historyGap,
    more,
    next,
  };
}

test("case 27: twenty changes, one notice, an exact delta", async () => {
  const file = join(tempDir(), "state.db");
  let world = await open(file);
  const make = (w: World): void => {
    w.db.writeNow(() => {
      for (const key of [P, K, C, D])
        w.directory.ensureLane(
          { key: asSessionKey(key), identity: null, channelId: "test", source: dmSource(key) },
          Date.now(),
        );
      // The case's numbers begin at 1: the lanes were there before it.
      w.db.sql.exec(
        `DELETE FROM session_state_events; DELETE FROM session_state_heads; DELETE FROM sqlite_sequence WHERE name = 'session_state_events'`,
      );
    });
  };
  make(world);
  const record = (from: number, through: number): void => {
    for (const event of given.slice(from - 1, through)) {
      const recorded = world.db.writeNow(() =>
        world.journal.record(
          {
            sessionKey: event.session,
            kind: event.kind,
            actor: { type: event.actor, id: event.actor_id },
            summary: event.summary,
            watchers: event.kind === "child_spawned" ? [event.actor_id] : [],
          },
          Date.now(),
        ),
      );
      expect(recorded?.sequence).toBe(event.sequence);
    }
  };
  const pending = (watcher: string, about: string): string[] =>
    world.journal.lines
      .liveNotices(watcher, target(about))
      .filter((line) => line.state === "waiting")
      .map((line) => line.text);
  let turns = 0;
  /** A turn as the runner makes it: lines are taken with its start and acknowledged with its end. */
  const turn = (key: string): string[] =>
    world.db.writeNow(() => {
      const shown = world.journal.take(key, `turn-${(turns += 1)}`);
      world.journal.acknowledge(key, shown, Date.now());
      return shown.map((line) => line.text);
    });
  const names = (text: string | undefined): number =>
    Number(/changesSince (\d+)\.$/.exec(text ?? "")?.[1]);

  record(1, 2);
  record(3, 3);
  const [first] = pending(P, C);
  record(4, 24); // step 3
  expect(pending(P, C)).toEqual([first]);
  expect(pending(P, D)).toEqual([]);
  expect(names(first)).toBe(1);
  expect(world.journal.cursors.get(P, target(C))?.notified).toBe(3);

  const asK = await world.connect(K);
  const sent = await asK.callTool({
    name: "sessions_send",
    arguments: { sessionKey: C, message: "how far are you?", watch: true, timeoutSeconds: 0 },
  });
  expect(sent.structuredContent).toMatchObject({ status: "accepted", watched: true });
  expect(world.journal.cursors.get(K, target(C))?.lastSeen).toBe(24);
  expect(pending(K, C)).toEqual([]);

  record(25, 25); // step 5
  expect(pending(P, C)).toHaveLength(1);
  expect(pending(K, C)).toEqual([]);
  expect(world.journal.version(target(C))).toBe(25);

  record(26, 26); // step 6: P's own change
  expect(pending(P, C)).toEqual([first]);
  expect(pending(K, C).map(names)).toEqual([24]);

  expect(turn(P)).toEqual([first]); // step 7
  expect(pending(P, C).map(names)).toEqual([3]);

  const before = { P: pending(P, C), K: pending(K, C) };
  // Step 8: what a kill leaves on the disk at this moment.
  const image = join(tempDir(), "state.db");
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, image + end);
  await world.close();
  world = await open(image);
  world.db.writeNow(() => {
    world.journal.recoverTaken(Date.now());
    world.journal.replaySlice(
      { watcher: "", target: "" },
      1000,
      (key) => world.directory.routing.get(asSessionKey(key)) !== undefined,
      Date.now(),
    );
  });
  expect({ P: pending(P, C), K: pending(K, C) }).toEqual(before);

  expect(turn(P)).toHaveLength(1); // step 9
  expect(pending(P, C)).toEqual([]);
  expect(turn(P)).toEqual([]); // step 10
  expect(turn(K)).toHaveLength(1); // step 11
  expect(pending(K, C)).toEqual([]);

  const asP = await world.connect(P);
  const marks = world.journal.cursors.get(P, target(C));
  expect(await status(asP, C, 24)).toMatchObject({
    sequences: [25, 26],
    historyGap: false,
    stateVersion: 26,
  });
  expect(world.journal.cursors.get(P, target(C))).toEqual(marks);
  expect(await status(asP, C, 26)).toMatchObject({
    sequences: [],
    historyGap: false,
    stateVersion: 26,
  });
  expect(await status(asP, D, 2)).toMatchObject({
    kinds: ["run_completed", "run_completed"],
    historyGap: false,
  });
  expect(await status(asP, C, 99_999)).toMatchObject({ sequences: [], stateVersion: 26 });

  world.db.writeNow(() => world.directory.reset(asSessionKey(K), "test", null, Date.now())); // step 12
  record(27, 27);
  expect(pending(P, C)).toHaveLength(1);
  expect(pending(K, C)).toEqual([]);

  // Step 13: retention takes all rows of C up to 12.
  world.db.writeNow(() => {
    world.db.sql
      .prepare(
        `UPDATE session_state_events SET occurred_at = ? WHERE session_key = ? AND sequence <= 12`,
      )
      .run(Date.now() - 31 * 86_400_000, C);
    world.retention.dropAged(Date.now(), 1000);
  });
  expect((await status(asP, C, 0)).historyGap).toBe(true);
  expect((await status(asP, C, 11)).historyGap).toBe(true);
  expect(await status(asP, C, 12)).toMatchObject({
    historyGap: false,
    sequences: [13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
  });
  expect(await status(asP, C, 27)).toMatchObject({
    historyGap: false,
    sequences: [],
    stateVersion: 27,
  });

  // The cap: 250 more.
  world.db.writeNow(() => {
    for (let nth = 0; nth < 250; nth += 1)
      world.journal.record(
        {
          sessionKey: C,
          kind: "human_direct_message",
          actor: { type: "human", id: "person" },
          summary: "human message via telegram",
        },
        Date.now(),
      );
  });
  const page = await status(asP, C, 27);
  expect(page).toMatchObject({ more: true });
  expect(page.sequences).toHaveLength(200);
  expect(page.sequences).toEqual(page.sequences.toSorted((a, b) => a - b));
  const rest = await status(asP, C, page.next ?? 0);
  expect(rest).toMatchObject({ more: false });
  expect(rest.sequences).toHaveLength(50);
});

test("case 27, failure: an unwritable journal stops no turn, and the operator is told", async () => {
  const made = await testGateway();
  await made.channel.post("before");
  await made.replied(1);
  const spawned = await made.call("children.spawn", { key: made.key, task: "go" });
  await until("the child ended", async () => {
    const { children } = await made.call("children.list", {});
    return children[0]?.state === "completed";
  });
  const other = new Sqlite(join(made.dataDir, "state.db"));
  other.exec(
    `CREATE TRIGGER unwritable BEFORE INSERT ON session_state_events BEGIN SELECT RAISE(ABORT, 'unwritable'); END`,
  );
  other.close();
  const child = spawned.run.childKey;
  await made.call("sessions.send", { key: child, text: "a word for the child" });
  await until("the turn ran", async () => {
    const { messages } = await made.call("sessions.history", { key: child });
    return messages.some((row) => row.text === "You said: a word for the child");
  });
  await until("the operator is told", async () => {
    const { notices } = await made.call("notices.list", {});
    return notices.some((notice) => notice.title === "The signal journal could not be written");
  });
  const health = await made.call("journal.health", {});
  expect(health.failures).toBeGreaterThan(0);
  // Afterwards recording goes on, and no word of the message is in the journal.
  const again = new Sqlite(join(made.dataDir, "state.db"));
  again.exec(`DROP TRIGGER unwritable`);
  again.close();
  await made.call("sessions.send", { key: child, text: "another word" });
  const { events } = await made.call("journal.changesSince", { key: child, since: 0 });
  expect(events.at(-1)).toMatchObject({ kind: "human_direct_message" });
  expect(JSON.stringify(events)).not.toContain("word");
});
