import { expect, test } from "vitest";
import { openStores } from "../compose/stores.ts";
import { asSessionKey } from "../contract/ids.ts";
import { dmSource } from "../testing/samples.ts";
import { testDatabase } from "../testing/test-database.ts";
import { toolsOn } from "./testing/clients-on.ts";

const me = "agent:main:main";

function world() {
  const db = testDatabase();
  const stores = openStores(db);
  const lane = (key: string, nowMs = 1000, title?: string) =>
    db.writeNow(() => {
      const row = stores.directory.ensureLane(
        {
          key: asSessionKey(key),
          identity: null,
          channelId: "test",
          source: dmSource(key, { userName: title ?? key }),
        },
        nowMs,
      );
      stores.directory.routing.patch(row.sessionKey, {
        updatedAt: nowMs,
        ...(title === undefined ? {} : { title }),
      });
      return row;
    });
  lane(me, 5);
  const box = toolsOn(db, stores);
  const requester = { key: me, isClient: true, chain: () => ({ id: "c", hops: 0 }) };
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { result, text } = await box.call(requester, name, args, new AbortController().signal);
    if (result === undefined) throw new Error(text);
    return result;
  };
  const say = (key: string, text: string, role: "user" | "assistant" | "tool" = "user") =>
    db.writeNow(() => {
      const row = stores.directory.routing.get(asSessionKey(key));
      if (!row) throw new Error("no such lane");
      return stores.directory.messages.append({
        sessionId: row.sessionId,
        role,
        content: text,
        timestamp: 2000,
      });
    });
  return { db, ...stores, lane, call, say };
}

interface Listed {
  count: number;
  sessions: { key: string; stateVersion?: number; kind: string; childSessions?: string[] }[];
  hasMore: boolean;
  nextOffset?: number;
  truncationReason?: string;
}
const keysOf = (page: Listed): string[] => page.sessions.map((row) => row.key);

test("sessions_list pages to the end without a hole, newest first", async () => {
  const { lane, call } = world();
  for (let nth = 0; nth < 23; nth += 1) lane(`agent:main:telegram:dm:${nth}`, 1000 + nth);
  const seen: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = (await call("sessions_list", { limit: 10, offset })) as unknown as Listed;
    seen.push(...keysOf(page));
    expect(page.hasMore).toBe(page.nextOffset !== undefined);
    offset = page.nextOffset;
  }
  expect(seen).toHaveLength(24);
  expect(new Set(seen).size).toBe(24);
  expect(seen[0]).toBe("agent:main:telegram:dm:22");
});

test("sessions_list filters, tells versions only where there are some, and ends at 64 KiB", async () => {
  const { lane, call, say, goals, parentage, db } = world();
  lane("agent:main:telegram:dm:1", 1000, "Anna");
  lane("agent:main:subagent:x", 1001);
  db.writeNow(() => {
    parentage.put("agent:main:subagent:x", { spawnedBy: me, parent: null }, 1);
    db.sql.exec("DELETE FROM session_state_events; DELETE FROM session_state_heads");
    goals.start(
      "agent:main:telegram:dm:1",
      { objective: "o", tokenBudget: null },
      { actor: { type: "human", id: null }, surface: "words" },
      1,
    );
  });
  const search = async (args: Record<string, unknown>) =>
    keysOf((await call("sessions_list", args)) as unknown as Listed);
  expect(await search({ search: "anna" })).toEqual(["agent:main:telegram:dm:1"]);
  expect(await search({ search: "100%" })).toEqual([]);
  expect(await search({ kinds: ["main"] })).toEqual([me]);
  expect(await search({ relationship: "created" })).toEqual(["agent:main:subagent:x"]);
  expect(await search({ excludeSubagents: true })).toEqual(["agent:main:telegram:dm:1", me]);
  const { sessions } = (await call("sessions_list")) as unknown as Listed;
  expect(sessions.map((row) => [row.key, row.stateVersion !== undefined])).toEqual([
    ["agent:main:subagent:x", false],
    ["agent:main:telegram:dm:1", true],
    [me, false],
  ]);
  expect(sessions.at(-1)?.childSessions).toEqual(["agent:main:subagent:x"]);

  for (let nth = 0; nth < 40; nth += 1) {
    const key = `agent:main:telegram:dm:big${nth}`;
    lane(key, 2000 + nth);
    say(key, "x".repeat(3_900));
  }
  const big = (await call("sessions_list", { messageLimit: 1 })) as unknown as Listed;
  expect(big).toMatchObject({ hasMore: true, truncationReason: "byte-limit" });
  expect(Buffer.byteLength(JSON.stringify(big.sessions))).toBeLessThan(66_000);
  expect(big.nextOffset).toBe(big.count);
});

test("sessions_history is bounded, oldest first, hides secrets, and never answers for a missing message", async () => {
  const { lane, call, say } = world();
  const key = "agent:main:telegram:dm:1";
  lane(key);
  const first = say(key, "my key is sk-abcdefghijklmnopqrstuvwx");
  say(key, "a".repeat(5_000), "assistant");
  say(key, "tool says", "tool");
  interface History {
    messages: { id: string; role: string; text: string }[];
    contentTruncated: boolean;
    contentRedacted: boolean;
    droppedMessages: number;
    hasMore?: boolean;
  }
  const history = async (args: Record<string, unknown> = {}) =>
    (await call("sessions_history", { sessionKey: key, ...args })) as unknown as History;
  const all = await history();
  expect(all.messages.map((row) => row.role)).toEqual(["user", "assistant"]);
  expect(all.messages[0]?.text).toBe("my key is [redacted]");
  expect(all.messages[1]?.text).toHaveLength(
    "a".repeat(4_000).length + "… [cut at 4000 characters]".length,
  );
  expect(all).toMatchObject({ contentTruncated: true, contentRedacted: true });
  expect((await history({ includeTools: true })).messages).toHaveLength(3);
  expect((await history({ messageId: String(first) })).messages).toHaveLength(1);
  expect((await history({ messageId: "999999" })).messages).toEqual([]);
  expect(await history({ limit: 1, offset: 0 })).toMatchObject({
    hasMore: true,
    messages: [{ role: "assistant" }],
  });
  expect(await history({ limit: 1, offset: 1 })).toMatchObject({ messages: [{ role: "user" }] });

  for (let nth = 0; nth < 40; nth += 1) say(key, "b".repeat(3_900));
  const cut = await history();
  expect(cut.droppedMessages).toBeGreaterThan(0);
  expect(Buffer.byteLength(JSON.stringify(cut.messages))).toBeLessThan(84_000);
});

test("sessions_send says what it did not do", async () => {
  const { lane, call } = world();
  const other = "agent:main:telegram:dm:1";
  lane(other);
  expect(
    await call("sessions_send", { sessionKey: "agent:main:none", message: "x", watch: true }),
  ).toEqual({
    status: "error",
    error: "Unknown sessionKey: agent:main:none",
    watched: false,
  });
  expect(await call("sessions_send", { sessionKey: me, message: "x" })).toMatchObject({
    status: "error",
  });
  expect(
    await call("sessions_send", {
      sessionKey: other,
      SendMessage: "x",
      timeoutSeconds: 0,
      watch: false,
    }),
  ).toMatchObject({
    status: "accepted",
    watched: false,
    delivery: { status: "pending", mode: "announce" },
  });
  expect(
    await call("sessions_send", { sessionKey: other, message: "x", mode: "notify", watch: true }),
  ).toMatchObject({
    status: "queued",
    runStarted: false,
    watched: true,
  });
  expect(await call("sessions_send", { label: "nobody", message: "x" })).toMatchObject({
    status: "error",
  });
  await expect(call("sessions_send", { sessionKey: other })).rejects.toThrow("message is required");
  await expect(call("sessions_send", { message: "x" })).rejects.toThrow(
    "sessionKey or label is required",
  );
});
