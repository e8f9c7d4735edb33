import { describe, expect, test } from "vitest";
import type { SessionId } from "../contract/ids.ts";
import { refused } from "../testing/refused.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import type { EndReason } from "./incarnation-store.ts";
import type { SessionSource } from "./session-source.ts";

const origin = laneOrigin();
const { key } = origin;

/** A directory, with one lane that was made at 1000 and in which something was said at 1500. */
function lane(source: SessionSource = origin.source) {
  const { db, directory } = testStores();
  const at = laneOrigin(source);
  const first = directory.ensureLane(at, 1_000);
  const say = (sessionId: SessionId, timestamp = 1_500) =>
    directory.messages.append({ sessionId, role: "user", content: "hi", timestamp });
  say(first.sessionId);
  return {
    db,
    ...directory,
    directory,
    first,
    say,
    row: () => directory.routing.get(at.key)!,
    past: (id: SessionId) => directory.incarnations.get(id)!,
    open: (touch = true, nowMs = 2_000) => directory.open(at, touch, nowMs),
    /** The routing index is lost, the transcripts are not. */
    lose: () => {
      directory.routing.remove(at.key);
    },
    end: (reason: EndReason, id = first.sessionId, nowMs = 1_600) =>
      directory.incarnations.end(id, reason, nowMs),
    at,
  };
}

describe("access to a lane (lifecycle 3.3)", () => {
  test("1: a lane that is not there is made, with its incarnation", () => {
    const { directory } = testStores();
    const { row, replaced } = directory.open(origin, true, 1_000);
    expect(replaced).toBeNull();
    expect(row).toMatchObject({
      sessionKey: key,
      createdAt: 1_000,
      title: "Person 7",
      state: "idle",
    });
    expect(directory.incarnations.get(row.sessionId)).toMatchObject({
      sessionKey: key,
      startedAt: 1_000,
      endedAt: null,
      parentSessionId: null,
    });
  });

  test("2: a suspended session is replaced, ended, and never recovered", () => {
    const { directory, first, open, row, past, messages } = lane();
    directory.routing.patch(key, { lastPromptTokens: 9, turnCount: 3, inputTokens: 50 });
    directory.suspend(key, "panel", "operator", 1_900);
    const { row: next, replaced } = open();
    expect(replaced).toBe(first.sessionId);
    expect(next.sessionId).not.toBe(first.sessionId);
    expect(row()).toMatchObject({
      sessionId: next.sessionId,
      suspended: 0,
      suspendedBy: null,
      wasAutoReset: 1,
      autoResetReason: "suspended",
      resetHadActivity: 1,
      prevSessionId: first.sessionId,
      inputTokens: 0,
      lastPromptTokens: 0,
      turnCount: 3, // the lane's, not the conversation's
    });
    expect(past(first.sessionId)).toMatchObject({ endedAt: 2_000, endReason: "suspended" });
    expect(past(next.sessionId)).toMatchObject({ parentSessionId: first.sessionId });
    expect(messages.page(next.sessionId, 9e9, 9)).toMatchObject([
      { role: "boundary", displayKind: "suspended" },
    ]);
    expect(open().row.sessionId).toBe(next.sessionId);
  });

  test.each<[string, Parameters<ReturnType<typeof lane>["routing"]["patch"]>[1]]>([
    ["an interrupted turn", { resumePending: 1, resumeReason: "restart_interrupted" }],
    ["nothing", {}],
  ])("2: a suspension outranks %s", (_, flags) => {
    const { directory, open, first } = lane();
    directory.routing.patch(key, flags);
    directory.suspend(key, "panel", null, 1_900);
    expect(open().replaced).toBe(first.sessionId);
  });

  test.each<[EndReason, boolean]>([
    ["session_reset", false],
    ["session_switch", false],
    ["user_exit", false],
    ["agent_close", true],
    ["ws_orphan_reap", true],
  ])("3: an entry whose session ended as %s", (reason, comesBack) => {
    const { end, open, first, past, row } = lane();
    end(reason);
    const { row: next, replaced } = open();
    expect(replaced).toBeNull();
    expect(next.sessionId === first.sessionId).toBe(comesBack);
    expect(past(next.sessionId).endedAt).toBeNull();
    expect(row().sessionId).toBe(next.sessionId);
  });

  test("3: a session that comes back in its own entry keeps the entry's counters", () => {
    const { directory, end, open } = lane();
    directory.routing.patch(key, { inputTokens: 7, turnCount: 2 });
    end("agent_close");
    expect(open().row).toMatchObject({ inputTokens: 7, turnCount: 2 });
  });

  test("4: an interrupted session goes on as it is; its flag and its time stay", () => {
    const { directory, open, first, row } = lane();
    const flags = {
      resumePending: 1,
      resumeReason: "restart_interrupted",
      lastResumeMarkedAt: 1_700,
    } as const;
    directory.routing.patch(key, flags);
    expect(open().row.sessionId).toBe(first.sessionId);
    expect(row()).toMatchObject({ ...flags, updatedAt: 1_000 });
  });

  test.each([
    ["a person's message moves the time", true, 2_000],
    ["our own machinery does not", false, 1_000],
  ])("5: %s", (_, touch, updatedAt) => {
    const { open, first, row } = lane();
    expect(open(touch).row).toMatchObject({ sessionId: first.sessionId, updatedAt });
    expect(row().updatedAt).toBe(updatedAt);
  });

  test("time alone never ends a conversation", () => {
    const { open, first } = lane();
    expect(open(true, 1_000 + 400 * 86_400_000).row.sessionId).toBe(first.sessionId);
  });
});

describe("a route that was lost (lifecycle 3.4)", () => {
  test.each<[EndReason | null, boolean]>([
    [null, true],
    ["agent_close", true],
    ["ws_orphan_reap", true],
    ["session_reset", false],
    ["session_switch", false],
    ["suspended", false],
    ["user_exit", false],
    ["new_session", false],
  ])("with its session ended as %s", (reason, comesBack) => {
    const { lose, end, directory, first, at, past } = lane();
    if (reason !== null) end(reason);
    lose();
    const row = directory.ensureLane(at, 5_000);
    expect(row.sessionId === first.sessionId).toBe(comesBack);
    if (!comesBack) return;
    expect(past(row.sessionId)).toMatchObject({ endedAt: null, endReason: null });
    // Its age is that of its last message: a recovery never makes a conversation look fresh.
    expect(row).toMatchObject({ createdAt: 1_000, updatedAt: 1_500, messageCount: 1 });
  });

  test("one in which nothing was said is not worth it", () => {
    const { directory } = testStores();
    const { sessionId } = directory.ensureLane(origin, 1_000);
    directory.routing.remove(key);
    expect(directory.ensureLane(origin, 5_000).sessionId).not.toBe(sessionId);
  });

  test("nothing behind an explicit boundary is reopened", () => {
    const { directory, first, say, lose, at, end } = lane();
    end("agent_close");
    const boundary = directory.reset(key, "panel", null, 2_000);
    expect(boundary?.from).toBe(first.sessionId);
    lose();
    const next = directory.ensureLane(at, 3_000);
    expect(next.sessionId).not.toBe(first.sessionId);
    say(next.sessionId, 3_500);
    lose();
    expect(directory.ensureLane(at, 4_000).sessionId).toBe(next.sessionId);
  });

  test("the newest of several comes back", () => {
    const { directory, say, lose, at } = lane();
    const { row } = directory.reset(key, "panel", null, 2_000)!;
    say(row.sessionId, 2_500);
    lose();
    expect(directory.ensureLane(at, 9_000).sessionId).toBe(row.sessionId);
  });

  test("a session without a key is found by its people and place; on a platform with workspaces it is not", () => {
    for (const [platform, comesBack] of [
      ["telegram", true],
      ["slack", false],
    ] as const) {
      const { db, directory, first, lose, at } = lane(dmSource("7", { platform }));
      db.sql.prepare("UPDATE sessions SET session_key = NULL").run();
      lose();
      expect(directory.ensureLane(at, 5_000).sessionId === first.sessionId).toBe(comesBack);
    }
  });

  test("another chat's, person's or thread's session is never adopted", () => {
    const { db, directory, first, lose } = lane();
    db.sql.prepare("UPDATE sessions SET session_key = NULL").run();
    lose();
    for (const other of [
      dmSource("8", { userId: "7" }),
      dmSource("7", { userId: "9" }),
      dmSource("7", { threadId: "1" }),
    ])
      expect(directory.ensureLane(laneOrigin(other), 5_000).sessionId).not.toBe(first.sessionId);
  });
});

describe("a reset (lifecycle 3.5, 6.1)", () => {
  test("begins a fresh session with the lane's place and name; the old one stays, ended", () => {
    const { directory, first, row, past, messages } = lane();
    directory.routing.patch(key, {
      inputTokens: 5,
      resumePending: 1,
      errorCode: "E_AGENT_DOWN",
      modelOverrideJson: '{"model":"x"}',
      turnCount: 4,
    });
    const { row: next } = directory.reset(key, "panel", null, 2_000)!;
    expect(row()).toEqual(next);
    expect(next).toMatchObject({
      channelId: "test",
      laneIdentity: origin.identity,
      originJson: first.originJson,
      title: "Person 7",
      isFreshReset: 1,
      wasAutoReset: 0,
      prevSessionId: null,
      inputTokens: 0,
      resumePending: 0,
      errorCode: null,
      modelOverrideJson: null,
      turnCount: 4,
      messageCount: 0,
    });
    expect(past(first.sessionId)).toMatchObject({ endReason: "session_reset", messageCount: 1 });
    expect(messages.page(first.sessionId, 9e9, 9)).toHaveLength(1);
    expect(messages.page(next.sessionId, 9e9, 9)).toMatchObject([{ displayKind: "reset" }]);
  });

  test("takes a suspension along", () => {
    const { directory } = lane();
    directory.suspend(key, "panel", "operator", 1_900);
    expect(directory.reset(key, "panel", null, 2_000)?.row).toMatchObject({
      suspended: 0,
      suspendedAt: null,
      suspendReason: null,
    });
  });

  test("promotes a session that was only closed by accident, so that no recovery undoes it", () => {
    const { directory, first, end, past } = lane();
    end("agent_close");
    directory.reset(key, "panel", null, 2_000);
    expect(past(first.sessionId).endReason).toBe("session_reset");
  });

  test("a title names one session: a taken one is not given twice", () => {
    const { directory, past } = lane();
    const { row: named } = directory.reset(key, "panel", "Plans", 2_000)!;
    expect(named.title).toBe("Plans");
    const again = directory.reset(key, "panel", "Plans", 3_000)!;
    expect(again).toMatchObject({ titleTaken: true, row: { title: "Person 7" } });
    expect(past(again.row.sessionId).title).toBeNull();
  });

  test("there is nothing to reset where there is no lane", () => {
    expect(testStores().directory.reset(key, "panel", null, 1)).toBeUndefined();
  });
});

describe("suspending", () => {
  test("keeps who did it, when and why, once; and takes all of it back", () => {
    const { directory, row } = lane();
    const before = row();
    expect(directory.suspend(key, "panel", "operator", 1_900)).toBe(true);
    expect(row()).toMatchObject({
      suspended: 1,
      suspendedAt: 1_900,
      suspendedBy: "panel",
      suspendReason: "operator",
    });
    expect(directory.suspend(key, "cli", "other", 2_000)).toBe(false);
    expect(row().suspendedBy).toBe("panel");
    expect(directory.unsuspend(key)).toBe(true);
    expect(directory.unsuspend(key)).toBe(false);
    expect(row()).toEqual(before);
  });

  test("a lane that is not there is told apart from one that is suspended already", () => {
    const { directory } = testStores();
    expect(directory.suspend(key, "panel", null, 1)).toBeUndefined();
    expect(directory.unsuspend(key)).toBeUndefined();
  });
});

describe("ids that spell another chat's key", () => {
  const one = laneOrigin(dmSource("7:8"));
  const other = laneOrigin(dmSource("7", { threadId: "8" }));

  test("are refused; the lane stays the first chat's", () => {
    expect(one.key).toBe(other.key);
    const { directory } = testStores();
    directory.ensureLane(one, 1);
    expect(() => directory.ensureLane(other, 2)).toThrow(refused("E_KEY_COLLISION"));
    expect(directory.ensureLane(one, 3).laneIdentity).toBe(one.identity);
  });

  test("a lane whose identity is not known yet learns it from the first who comes", () => {
    const { directory } = testStores();
    directory.ensureLane({ ...one, identity: null }, 1);
    directory.ensureLane(other, 2);
    expect(() => directory.ensureLane(one, 3)).toThrow(refused("E_KEY_COLLISION"));
  });

  test("who names the lane by its key is not asked", () => {
    const { directory } = testStores();
    directory.ensureLane(one, 1);
    expect(directory.ensureLane({ ...other, identity: null }, 2).sessionKey).toBe(one.key);
  });
});
