/** Field case 25: accepted but unanswered sends, sends in part, stale replies. Run with `ask` and a stale limit of an hour. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { signatureHeaders } from "../channels/webhook-signature.ts";
import { openStores } from "../compose/stores.ts";
import { asSessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { sessionSource } from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { openDatabase } from "../state/database.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { keyOf } from "../testing/samples.ts";
import { scriptedChannel } from "../testing/scripted-channel.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testGateway } from "../testing/test-gateway.ts";
import type { TestGateway } from "../testing/test-gateway.ts";
import { settle, until } from "../testing/until.ts";

const folder = join(import.meta.dirname, "testdata", "25-outbox-uncertain-and-stale");
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));
const outbox = z
  .object({
    now: z.string(),
    stale_after_minutes: z.number(),
    entries: z.array(
      z.object({
        id: z.string(),
        created_at: z.string(),
        to: z.number(),
        text: z.string().optional(),
        parts: z.array(z.string()).optional(),
        parts_confirmed: z.array(z.number()).optional(),
        state: z.enum(["pending", "send-started"]),
        attempts: z.number(),
      }),
    ),
  })
  .parse(read("input/outbox-before.json"));
const expected = z
  .object({
    after_start_with_outbox_before: z.object({
      o1: z.object({ sent: z.number() }),
      o2: z.object({ sent: z.number() }),
      o3: z.object({ sent: z.number() }),
      o4: z.object({ sent: z.number(), send_again_sends: z.array(z.string()) }),
      messages_sent_without_operator: z.number(),
    }),
    A: z.object({ copies_at_server: z.number() }),
    B: z.object({ copies_at_server: z.number() }),
    C: z.object({ copies_at_server: z.number(), wait_ms_min: z.number() }),
    D: z.object({
      copies_at_server: z.number(),
      attempts: z.number(),
      operator_notice: z.number(),
    }),
  })
  .parse(read("expected.json"));
const settings = {
  gateway: { delivery_unknown: "ask", delivery_stale_minutes: outbox.stale_after_minutes },
};
const chat = (to: number): SessionSource =>
  sessionSource({ platform: "telegram", chatId: String(to), userId: String(to) });

/** The outbox of the case, as our ledger holds it. */
async function writeOutbox(dataDir: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const db = openDatabase(join(dataDir, "state.db"), silentLog);
  for (const entry of outbox.entries) {
    const clock = manualClock(Date.parse(entry.created_at));
    const { obligations, directory } = openStores(db, clock);
    const target = chat(entry.to);
    const key = keyOf(target);
    const content = entry.text ?? entry.parts?.join("\n") ?? "";
    db.writeNow(() => {
      directory.ensureLane(
        { key, identity: null, channelId: "test", source: target },
        clock.nowMs(),
      );
      const row = directory.routing.get(key);
      const messageId = directory.messages.append({
        sessionId: row?.sessionId ?? directory.maker.mint(0),
        role: "assistant",
        content,
        timestamp: clock.nowMs(),
      });
      const debt = { sessionKey: key, channelId: "test", target, content, messageId, turnId: null };
      obligations.owe({ ...debt, kind: "reply", replyTo: null, ref: entry.id }, clock.nowMs());
      const found = obligations.open().find((one) => one.content === content);
      if (!found) throw new Error("not recorded");
      ids.set(entry.id, found.obligationId);
      if (entry.state !== "send-started") return;
      const fence = obligations.attempt(found, { bootId: "before", pid: 1 }, clock.nowMs());
      if (entry.parts && fence !== null)
        obligations.confirmPart(
          found.obligationId,
          fence,
          entry.parts_confirmed?.length ?? 0,
          entry.parts.length,
        );
    });
  }
  await db.close();
  return ids;
}

describe("the outbox as a start finds it", () => {
  async function startOn(): Promise<TestGateway & { id: (name: string) => string }> {
    const dataDir = tempDir();
    const ids = await writeOutbox(dataDir);
    const clock = manualClock(Date.parse(outbox.now));
    clock.reboot(); // another run of the machine: ages are by the wall clock
    const channel = scriptedChannel();
    channel.split = (text) => text.split(/(?<=\n)/);
    const made = await testGateway({ dataDir, clock, channel, settings });
    await settle();
    return { ...made, id: (name) => ids.get(name) ?? "" };
  }
  const states = async (made: TestGateway) =>
    Object.fromEntries(
      (await made.call("deliveries.list")).deliveries.map((row) => [row.preview, row]),
    );

  test("what is fresh and certainly not sent goes by itself; everything else waits for the operator", async () => {
    const made = await startOn();
    const { after_start_with_outbox_before: want } = expected;
    expect(made.replies()).toEqual(["fresh reply"]);
    expect(made.replies()).toHaveLength(want.messages_sent_without_operator);
    expect(await states(made)).toMatchObject({
      "result of last night's job": { state: "abandoned", attempts: 0 },
      "fresh reply": { state: "delivered", attempts: 1 },
      "maybe sent": { state: "unknown" },
      "part 1\npart 2\npart 3": { state: "unknown", partsDone: 1, partsTotal: 3 },
    });
  });

  test("what is uncertain is seen in the session, the outbox and the status; the chat is told nothing", async () => {
    const made = await startOn();
    expect((await made.call("gateway.status")).counts.unknownDeliveries).toBe(2);
    const key = keyOf(chat(5_550_001_002));
    const { messages } = await made.call("sessions.history", { key });
    expect(messages.at(-1)?.delivery).toBe("unknown");
    const { notices } = await made.call("notices.list");
    expect(notices.map(({ body }) => body)).toEqual([
      "2 deliveries may not have arrived, 1 delivery too old to be sent by itself.",
    ]);
    expect(made.channel.sent.filter(({ target }) => target.chatId === "5550001002")).toEqual([]);
  });

  test("expired: send now, or discard", async () => {
    const made = await startOn();
    await made.call("deliveries.retry", { id: made.id("o1") });
    await made.replied(2);
    expect(made.replies().at(-1)).toBe("result of last night's job"); // certainly not sent: plainly
    const other = await startOn();
    expect(await other.call("deliveries.discard", { id: other.id("o1") })).toEqual({
      changed: false,
    });
    expect((await states(other))["result of last night's job"]?.state).toBe("abandoned");
  });

  test("uncertain: send again with its label, or mark as delivered, or discard and still send it labelled", async () => {
    const again = await startOn();
    await again.call("deliveries.retry", { id: again.id("o3") });
    await again.replied(2);
    expect(again.replies().at(-1)).toMatch(/^♻️ Recovered reply [^\n]+\n\nmaybe sent$/u);

    const marked = await startOn();
    await marked.call("deliveries.markDelivered", { id: marked.id("o3") });
    expect((await states(marked))["maybe sent"]?.state).toBe("delivered");
    await settle();
    expect(marked.replies()).toHaveLength(1);

    const discarded = await startOn();
    await discarded.call("deliveries.discard", { id: discarded.id("o3") });
    await discarded.call("deliveries.retry", { id: discarded.id("o3") });
    await discarded.replied(2);
    expect(discarded.replies().at(-1)).toMatch(/^♻️ Recovered reply/u);
  });

  test("in part: only the unconfirmed parts are sent again", async () => {
    const made = await startOn();
    await made.call("deliveries.retry", { id: made.id("o4") });
    await made.replied(3);
    const sent = made
      .replies()
      .slice(1)
      .map((text) => text.replace(/^♻️[^\n]*\n\n/u, "").trim());
    expect(sent).toEqual(expected.after_start_with_outbox_before.o4.send_again_sends);
  });
});

describe("a server that misbehaves", () => {
  const secret = "a secret of the case";

  /** A webhook against a server of the test; what it takes is a copy with the person. */
  async function against(listener: RequestListener): Promise<{
    made: TestGateway;
    clock: ReturnType<typeof manualClock>;
    server: Server;
    say(to: string): Promise<void>;
    state(): Promise<string[]>;
  }> {
    const server = createServer(listener);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const clock = manualClock(Date.parse(outbox.now));
    const out = { url: `http://127.0.0.1:${port}/`, timeoutMs: 5_000 };
    const made = await testGateway({
      clock,
      settings: { ...settings, channels: { webhook: { bot: { secret, out } } } },
    });
    let count = 0;
    return {
      made,
      clock,
      server,
      async say(to) {
        count += 1;
        const message = {
          messageId: `m${count}`,
          text: `for ${to}`,
          chat: { id: to },
          user: { id: to },
        };
        const body = Buffer.from(JSON.stringify(message));
        const headers = signatureHeaders(secret, body, clock.nowMs());
        expect(await made.gateway.hooks.get("bot")?.({ headers, body })).toMatchObject({
          status: 202,
        });
      },
      state: async () =>
        (await made.call("deliveries.list")).deliveries.map(({ state }) => state).toReversed(),
    };
  }
  const reached = (world: { state(): Promise<string[]> }, ...states: string[]) =>
    until(states.join(), async () => (await world.state()).join() === states.join());

  test("A accepted, answer lost: uncertain, one copy, never by itself again", async () => {
    let copies = 0;
    const world = await against((request) => {
      copies += 1;
      request.socket.destroy();
    });
    await world.say("1");
    await reached(world, "unknown");
    world.clock.advance(3_600_000);
    await settle();
    expect(copies).toBe(expected.A.copies_at_server);
  });

  test("B refused connection: nothing can have been delivered, so it is tried again", async () => {
    let copies = 0;
    const world = await against((_request, response) => {
      copies += 1;
      response.end("{}");
    });
    const address = world.server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    await new Promise((done) => world.server.close(done));
    await world.say("1");
    await reached(world, "failed");
    await new Promise<void>((done) => world.server.listen(port, "127.0.0.1", done));
    world.clock.advance(30_000);
    await reached(world, "delivered");
    expect(copies).toBe(expected.B.copies_at_server);
  });

  test("C too many requests: its wait is kept, other chats are not held up", async () => {
    const taken: string[] = [];
    let limited = true;
    const world = await against((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { text } = JSON.parse(body) as { text: string };
        if (limited && text.includes("for 1"))
          response.writeHead(429, { "retry-after": "2" }).end();
        else {
          taken.push(text);
          response.end("{}");
        }
      });
    });
    await world.say("1");
    await reached(world, "failed");
    await world.say("2");
    await reached(world, "failed", "delivered");
    limited = false;
    world.clock.advance(expected.C.wait_ms_min - 1);
    await settle();
    expect(taken).toEqual(["You said: for 2"]);
    world.clock.advance(1);
    await reached(world, "delivered", "delivered");
    expect(taken.filter((text) => text.includes("for 1"))).toHaveLength(
      expected.C.copies_at_server,
    );
  });

  test("D blocked: given up after one attempt, and the operator is told once", async () => {
    let attempts = 0;
    const world = await against((_request, response) => {
      attempts += 1;
      response.writeHead(403).end();
    });
    await world.say("1");
    await reached(world, "abandoned");
    world.clock.advance(3_600_000);
    await settle();
    expect(attempts).toBe(expected.D.attempts);
    const { notices } = await world.made.call("notices.list");
    expect(notices).toHaveLength(expected.D.operator_notice);
  });

  test("G server error: it may have kept it, so it is uncertain and not sent again by itself", async () => {
    let attempts = 0;
    const world = await against((_request, response) => {
      attempts += 1;
      response.writeHead(502).end("<html>bad gateway</html>");
    });
    await world.say("1");
    await reached(world, "unknown");
    world.clock.advance(3_600_000);
    await settle();
    expect(attempts).toBe(1);
  });

  test("F killed between send and record: uncertain after the start, not sent again by itself", async () => {
    const dataDir = tempDir();
    const db = openDatabase(join(dataDir, "state.db"), silentLog);
    const clock = manualClock(Date.parse(outbox.now));
    const { obligations } = openStores(db, clock);
    const target = chat(5_550_001_001);
    const debt = {
      sessionKey: asSessionKey(keyOf(target)),
      channelId: "test",
      target,
      content: "kept",
      messageId: null,
    };
    db.writeNow(() => {
      obligations.owe(
        { ...debt, kind: "reply", replyTo: null, ref: "m1", turnId: null },
        clock.nowMs(),
      );
      const row = obligations.open()[0];
      if (row) obligations.attempt(row, { bootId: "before", pid: 1 }, clock.nowMs());
    });
    await db.close();
    const made = await testGateway({ dataDir, clock, settings });
    await settle();
    expect((await made.call("deliveries.list")).deliveries).toMatchObject([{ state: "unknown" }]);
    expect(made.replies()).toEqual([]);
  });
});
