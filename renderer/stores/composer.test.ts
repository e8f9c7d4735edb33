import { describe, expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { composerStore } from "./composer.ts";
import { drafts } from "./drafts.ts";
import { testTimer } from "./test-timer.ts";

function place() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
    kept,
  };
}

function made(answerMs = 20) {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 3, nowMs: timer.nowMs() }, { ...timer, answerMs });
  const sessionKey = [...bridge.world.rows.values()][2]!.key;
  const storage = place();
  let ids = 0;
  const composer = () =>
    composerStore({
      sessionKey,
      bridge,
      drafts: drafts(storage),
      gatewayNowMs: timer.nowMs,
      newId: () => `id${(ids += 1)}`,
    });
  const sent = () =>
    bridge.calls.filter(({ name }) => name === "sessions.send").map(({ input }) => input);
  return { timer, bridge, composer, sent, storage, sessionKey };
}

describe("what is written into a lane", () => {
  test("typed words outlive the page", () => {
    const { composer } = made();
    composer().actions.write("half a thou");
    expect(composer().store.getState().text).toBe("half a thou");
  });

  test("sending empties the field; the draft goes only once the gateway has it", async () => {
    const { timer, composer, storage } = made();
    const one = composer();
    one.actions.write("hello");
    void one.actions.send();
    expect(one.store.getState()).toMatchObject({ text: "", outgoing: [{ text: "hello" }] });
    expect([...storage.kept.values()]).toEqual(["hello"]);
    await timer.pass(30);
    expect([...storage.kept.values()]).toEqual([]);
    expect(one.store.getState().outgoing).toMatchObject([{ inputId: 1 }]);
  });

  test("a failed send gives the words back, before what was typed since; trying again is the same message", async () => {
    const { timer, bridge, composer, sent, sessionKey } = made();
    const one = composer();
    one.actions.write("hello");
    bridge.failNext("sessions.send", "E_QUEUE_FULL");
    void one.actions.send();
    await timer.pass(30);
    expect(one.store.getState()).toMatchObject({
      text: "hello",
      outgoing: [],
      error: { code: "E_QUEUE_FULL" },
    });
    void one.actions.send();
    await timer.pass(30);
    expect(sent()).toEqual([
      { key: sessionKey, text: "hello", messageId: "id1" },
      { key: sessionKey, text: "hello", messageId: "id1" },
    ]);
    one.actions.write("next");
    bridge.failNext("sessions.send", "E_QUEUE_FULL");
    void one.actions.send();
    one.actions.write("typed since");
    await timer.pass(30);
    expect(one.store.getState().text).toBe("next\ntyped since");
  });

  test("it leaves the list of outgoing when it is in the transcript or the queue", async () => {
    const { timer, bridge, composer, sessionKey } = made();
    const one = composer();
    one.actions.write("hello");
    void one.actions.send();
    await timer.pass(30);
    one.actions.seen([], []);
    expect(one.store.getState().outgoing).toHaveLength(1);
    one.actions.seen([], bridge.world.transcripts.get(sessionKey)!);
    expect(one.store.getState().outgoing).toEqual([]);
  });

  test("nothing but blanks, or too much, is not sent", () => {
    const { composer, sent } = made();
    const one = composer();
    one.actions.write("  \n ");
    void one.actions.send();
    one.actions.write("x".repeat(200_001));
    void one.actions.send();
    expect(sent()).toEqual([]);
    expect(one.store.getState().text).toHaveLength(200_001);
  });
});
