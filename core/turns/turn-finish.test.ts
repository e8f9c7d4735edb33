import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../channels/channel.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { inbound, keyOf, dmSource } from "../testing/samples.ts";
import { testIntake } from "../testing/test-intake.ts";
import { finishTurn } from "./turn-finish.ts";
import type { Segment, TurnResult } from "./turn-result.ts";
import { startNextTurn } from "./turn-start.ts";
import type { StartedTurn } from "./turn-start.ts";

const key = keyOf(dmSource());
const said = (...texts: string[]): Segment[] => texts.map((text) => ({ kind: "text", text }));
const usage = { inputTokens: 30, outputTokens: 7, cacheReadTokens: 2, cacheWriteTokens: 1 };
const result = (part: Partial<TurnResult> = {}): TurnResult => ({
  outcome: "completed",
  segments: [],
  usage: null,
  model: "m",
  finish: "stop",
  error: null,
  because: null,
  tell: false,
  ...part,
});
const failed = toWire(new SignalboxError("E_AGENT_DOWN", "No server answers."));

/** A turn that has begun, and what its end left behind. */
async function begun(
  message: Partial<InboundMessage> = {},
  context: { reads?: boolean; hook?: boolean } = {},
) {
  const stores = testIntake();
  const { db, intake, directory, inbox, turns, obligations } = stores;
  const asked = inbound("hi", message);
  await intake.accept(asked, asked.internal === true ? "internal" : "message");
  const start = (): StartedTurn =>
    startNextTurn(stores, key, {
      bootId: "boot",
      nowMs: 1_000,
      machine: manualClock().machine(),
      chooseAgent: () => "practice",
      shownText: ({ text }) => text,
    })!;
  const turn = await db.write(start);
  return {
    ...stores,
    turn,
    finish: (given: Partial<TurnResult>) =>
      db.write(() => {
        const done = finishTurn(stores, turn, result(given), {
          nowMs: 2_000,
          transcriptIsDelivery: context.reads === true,
          autonomousLane: context.hook === true,
        });
        if (!done) throw new Error("late");
        return done;
      }),
    row: () => directory.routing.get(key)!,
    rows: () =>
      directory.messages
        .page(turn.sessionId, Number.MAX_SAFE_INTEGER, 50)
        .map(({ role, text }) => `${role}: ${text}`),
    owed: () => obligations.open().map(({ kind, content }) => `${kind}: ${content}`),
    left: () => [turns.unended(), inbox.started(), inbox.waiting(key)],
  };
}

describe("how a turn ends", () => {
  test.each<[string, Partial<TurnResult>, { state: string; rows: string[]; owed: string[] }]>([
    [
      "an answer",
      { segments: said("It is 42.") },
      { state: "completed", rows: ["assistant: It is 42."], owed: ["reply: It is 42."] },
    ],
    [
      "an answer after a tool",
      {
        segments: [
          ...said("Let me look."),
          {
            kind: "tool",
            call: { id: "a", name: "look", args: {} },
            output: "42",
            failed: false,
            done: true,
          },
          ...said(" It is 42. "),
        ],
      },
      {
        state: "completed",
        rows: ["assistant: Let me look.", "tool: 42", "assistant:  It is 42. "],
        owed: ["reply: It is 42."],
      },
    ],
    [
      "nothing said to a person who waits",
      { segments: said(" ") },
      {
        state: "completed",
        rows: ["assistant:  ", "boundary: The agent finished without a reply."],
        owed: ["notice: The agent finished without a reply."],
      },
    ],
    [
      "only a silence marker to a person who waits",
      { segments: said("[SILENT]") },
      {
        state: "completed",
        rows: [
          "assistant: [SILENT]",
          "boundary: The agent answered with a silence marker only; there is no reply to show.",
        ],
        owed: ["notice: The agent answered with a silence marker only; there is no reply to show."],
      },
    ],
    [
      "a failure",
      { outcome: "failed", segments: said("Half"), error: failed },
      {
        state: "failed",
        rows: ["assistant: Half", "boundary: No server answers."],
        owed: ["notice: This message could not be answered. No server answers."],
      },
    ],
    [
      "a stream that broke after something was said",
      { outcome: "interrupted", segments: said("Half"), because: "The server went away." },
      {
        state: "interrupted",
        rows: ["assistant: Half", "boundary: The server went away."],
        owed: ["reply: Half\n\n(The answer was cut off.)"],
      },
    ],
    [
      "a stream that broke before anything was said",
      { outcome: "interrupted", because: "The server went away." },
      {
        state: "interrupted",
        rows: ["boundary: The server went away."],
        owed: ["notice: This message could not be answered. The server went away."],
      },
    ],
    [
      "a stop by the person",
      { outcome: "stopped", segments: said("Half"), because: "Stopped." },
      { state: "stopped", rows: ["assistant: Half", "boundary: Stopped."], owed: [] },
    ],
    [
      "a stop by somebody else",
      { outcome: "stopped", because: "Stopped by the operator.", tell: true },
      {
        state: "stopped",
        rows: ["boundary: Stopped by the operator."],
        owed: ["notice: Stopped by the operator."],
      },
    ],
    [
      "the gateway's own stop: it is taken up again, whole",
      { outcome: "parked", segments: said("Half"), because: "shutdown_timeout" },
      { state: "interrupted", rows: [], owed: [] },
    ],
  ])("%s", async (_, given, wanted) => {
    const { finish, rows, owed, left, row } = await begun();
    const finished = await finish(given);
    expect({ state: finished.state, rows: rows().slice(1), owed: owed() }).toEqual(wanted);
    expect(finished.owes).toBe(wanted.owed.length > 0);
    expect(left()).toEqual([[], [], []]);
    expect(row()).toMatchObject({
      activeTurnToken: null,
      activeTurnStartedAt: null,
      queueDepth: 0,
    });
  });

  test.each<[string, Partial<InboundMessage>, { hook?: boolean }, string, string[]]>([
    ["machinery that says nothing", { internal: true }, {}, "", []],
    ["machinery that says it has nothing to say", { internal: true }, {}, "[SILENT]", []],
    [
      "machinery that says something",
      { internal: true },
      {},
      "The job is done.",
      ["reply: The job is done."],
    ],
    [
      "a hook nobody waits at",
      { expectsReply: false },
      { hook: true },
      "NO_REPLY\nAll is well.",
      [],
    ],
    [
      "a hook somebody waits at",
      {},
      { hook: true },
      "NO_REPLY\nAll is well.",
      ["reply: NO_REPLY\nAll is well."],
    ],
  ])("silence: %s", async (_, message, context, text, debts) => {
    const { finish, owed } = await begun(message, context);
    await finish({ segments: said(text) });
    expect(owed()).toEqual(debts);
  });

  test("where a person reads the transcript nothing is owed beside it", async () => {
    const { finish, owed, rows } = await begun({}, { reads: true });
    expect(await finish({ segments: said("It is 42.") })).toMatchObject({ owes: false });
    expect(rows()).toEqual(["user: hi", "assistant: It is 42."]);
    expect(owed()).toEqual([]);
  });

  test("a debt names its chat, what it answers and the row that says the same", async () => {
    const { finish, obligations, turn } = await begun({ messageId: "p7" });
    const { messageIds } = await finish({ segments: said("It is 42.") });
    expect(obligations.next(key)).toMatchObject({
      channelId: "test",
      chatId: "7",
      replyTo: "p7",
      turnId: turn.turnId,
      messageId: messageIds[0],
      state: "pending",
      attempts: 0,
    });
  });
});

describe("what a turn leaves in its lane", () => {
  test("counters add up, in the lane and in the session", async () => {
    const { finish, row, directory, turn } = await begun();
    await finish({ segments: said("It is 42."), usage });
    expect(row()).toMatchObject({
      messageCount: 2,
      turnCount: 1,
      inputTokens: 30,
      outputTokens: 7,
      cacheReadTokens: 2,
      cacheWriteTokens: 1,
      totalTokens: 37,
      lastPromptTokens: 30,
      state: "idle",
    });
    expect(directory.incarnations.get(turn.sessionId)).toMatchObject({
      inputTokens: 30,
      messageCount: 2,
    });
  });

  test.each<[Partial<TurnResult>, 0 | 1]>([
    [{ segments: said("Done.") }, 0],
    [{ outcome: "failed", error: failed }, 1],
    [{ outcome: "interrupted", because: "gone" }, 1],
    [{ outcome: "stopped" }, 0],
    [{ outcome: "parked", because: "shutdown_timeout" }, 1],
  ])(
    "an interruption is over only when there is nothing to take up: %j",
    async (given, pending) => {
      const { finish, row, directory } = await begun();
      directory.routing.patch(key, { resumePending: 1, resumeReason: "restart_interrupted" });
      await finish(given);
      expect(row().resumePending).toBe(pending);
    },
  );

  test("a failure shows until the next turn", async () => {
    const { finish, row } = await begun();
    await finish({ outcome: "failed", error: failed });
    expect(row()).toMatchObject({
      state: "failed",
      errorCode: "E_AGENT_DOWN",
      errorMessage: "No server answers.",
    });
  });

  test("a turn whose session was replaced meanwhile ends in its own transcript, not in the new one", async () => {
    const { finish, row, directory, rows } = await begun();
    directory.reset(key, "panel", null, 1_500);
    const fresh = row();
    await finish({ outcome: "failed", segments: said("Half"), error: failed, usage });
    expect(rows()).toEqual(["user: hi", "assistant: Half", "boundary: No server answers."]);
    expect(row()).toEqual(fresh);
  });

  test("the gateway's stop takes nothing up that was suspended meanwhile, and says so", async () => {
    const { finish, owed, directory, row } = await begun();
    directory.suspend(key, "panel", null, 1_500);
    await finish({ outcome: "parked", because: "shutdown_timeout" });
    expect(row().resumePending).toBe(0);
    expect(owed()).toHaveLength(1);
  });
});

describe("a late result", () => {
  test("changes nothing: no row, no debt, no counter", async () => {
    const { finish, rows, owed, row } = await begun();
    await finish({ outcome: "stopped", because: "Stopped." });
    const before = { rows: rows(), owed: owed(), row: row() };
    await expect(finish({ segments: said("Too late."), usage })).rejects.toThrow("late");
    expect({ rows: rows(), owed: owed(), row: row() }).toEqual(before);
  });
});
