import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asTurnId } from "../../core/contract/ids.ts";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { testTimer } from "./test-timer.ts";
import { withTurnText, type LiveText } from "./transcript-view.ts";
import { transcriptStore } from "./transcript.ts";
import { watching } from "./watching.ts";

async function started() {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 40, nowMs: timer.nowMs() }, timer);
  const row = [...bridge.world.rows.values()].find((one) => one.messageCount > 130)!;
  const transcript = transcriptStore(row.key, bridge, watching(bridge));
  const stop = transcript.start();
  await timer.pass(1);
  return { timer, bridge, row, transcript, stop, state: () => transcript.store.getState() };
}

describe("a transcript", () => {
  test("the newest page first, older ones on demand, whole and in order", async () => {
    const { timer, row, transcript, state } = await started();
    expect(state().messages).toHaveLength(60);
    expect(state().messages.at(-1)?.id).toBe(row.messageCount);
    while (state().hasMore) {
      void transcript.actions.older();
      await timer.pass(1);
    }
    expect(state().messages.map((one) => one.id)).toEqual(
      Array.from({ length: row.messageCount }, (_, index) => index + 1),
    );
  });

  test("a reply appears word by word, then as a row, and never twice", async () => {
    const { timer, bridge, row, state } = await started();
    await bridge.call("sessions.send", { key: row.key, text: "good morning" });
    await timer.pass(330);
    expect(state().live?.text).toBe("You said: good");
    await timer.pass(1_000);
    expect(state().live).toBeNull();
    const last = state().messages.slice(-2);
    expect(last.map((one) => one.text)).toEqual(["good morning", "You said: good morning"]);
  });

  test("a lost piece of the reply is fetched", async () => {
    const { timer, bridge, row, state } = await started();
    await bridge.call("sessions.send", { key: row.key, text: "one two three four five" });
    await timer.pass(210);
    bridge.lose(1);
    await timer.pass(130);
    expect(state().live?.text).toBe(bridge.world.live.get(row.key)?.text);
  });

  test("a reset shows the fresh conversation only", async () => {
    const { timer, bridge, row, state } = await started();
    await bridge.call("sessions.reset", { key: row.key });
    await bridge.call("sessions.send", { key: row.key, text: "hello" });
    await timer.pass(2_000);
    expect(state().messages.map((one) => one.text)).toEqual(["hello", "You said: hello"]);
    expect(state().hasMore).toBe(false);
  });

  test("the lane is watched while it is on screen, and again after a reconnect", async () => {
    const timer = testTimer();
    const bridge = fakeBridge({ sessions: 3, nowMs: timer.nowMs() }, timer);
    const lanes = watching(bridge);
    lanes.start();
    const [key] = [...bridge.world.rows.values()].map((row) => row.key);
    const watched = () =>
      bridge.calls.filter(({ name }) => name === "sessions.watch").map(({ input }) => input);
    const first = lanes.watch(key!);
    const second = lanes.watch(key!);
    await timer.pass(1);
    bridge.link("lost");
    bridge.link("up");
    await timer.pass(1);
    first();
    await timer.pass(1);
    expect(watched()).toEqual([{ keys: [key] }, { keys: [key] }]);
    second();
    await timer.pass(1);
    expect(watched().at(-1)).toEqual({ keys: [] });
  });
});

describe("pieces of a reply", () => {
  const piece = (from: number, text: string) => ({
    key: "k" as never,
    turnId: asTurnId("t"),
    from,
    text,
    tool: null,
  });

  test("in whatever pieces it comes, doubled or late, it ends as the whole", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }),
        (whole, cuts) => {
          let live: LiveText | null = null;
          for (const [a, b] of [...cuts, [0, whole.length] as const]) {
            const from = a % (whole.length + 1);
            const next = withTurnText(live, piece(from, whole.slice(from, from + b)));
            if (next !== "gap") live = next;
            expect(live === null || whole.startsWith(live.text)).toBe(true);
          }
          const end = withTurnText(live, piece(0, whole));
          expect(end).toMatchObject({ text: whole });
        },
      ),
    );
  });

  test("a piece beyond what is here is a gap; a new turn begins anew", () => {
    expect(withTurnText(null, piece(3, "x"))).toBe("gap");
    const live = { turnId: "other", text: "abc", tool: null };
    expect(withTurnText(live, piece(0, "x"))).toEqual({ turnId: "t", text: "x", tool: null });
  });
});
