import { describe, expect, test } from "vitest";
import type { SessionKey } from "../../core/contract/ids.ts";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { englishTexts } from "../i18n/i18n.ts";
import { askStore } from "../stores/ask.ts";
import { selectionStore } from "../stores/selection.ts";
import { testTimer } from "../stores/test-timer.ts";
import { toastsStore } from "../stores/toasts.ts";
import { undoStack } from "../stores/undo.ts";
import { sessionActs, whyNot } from "./session-acts.ts";

function made() {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 30, nowMs: timer.nowMs() }, timer);
  const toasts = toastsStore(timer);
  const ask = askStore();
  const selection = selectionStore();
  const { t } = englishTexts();
  const undo = undoStack({
    bridge,
    toasts,
    nowMs: timer.nowMs,
    words: { undo: () => "Undo", gone: (reason) => `Gone: ${reason}` },
  });
  undo.start();
  const acts = sessionActs({
    bridge,
    timer,
    gatewayNowMs: timer.nowMs,
    ask,
    undo,
    toasts,
    selection,
    put: () => {},
    t,
  });
  const rows = () => [...bridge.world.rows.values()];
  const idle = () => rows().filter((row) => row.state === "idle");
  const stateOf = (key: SessionKey) => bridge.world.rows.get(key)?.state;
  const toasted = () => toasts.store.getState().toasts;
  const question = () => ask.store.getState().question;
  const named = (name: string) => bridge.calls.filter((one) => one.name === name).length;
  return {
    timer,
    bridge,
    ask,
    acts,
    undo,
    selection,
    rows,
    idle,
    stateOf,
    toasted,
    question,
    named,
  };
}

describe("suspending one", () => {
  test("happens at once, can be taken back for ten seconds, from the toast or by key", async () => {
    const { timer, acts, undo, idle, stateOf, toasted, question } = made();
    const [one, two] = idle();
    await acts.act("suspend", [one!]);
    expect(question()).toBeNull();
    expect(stateOf(one!.key)).toBe("suspended");
    expect(toasted()).toMatchObject([{ body: "The next message will start fresh." }]);
    toasted()[0]!.actions[0]!.run();
    await timer.pass(1);
    expect(stateOf(one!.key)).toBe("idle");
    expect(toasted()).toEqual([]);

    await acts.act("suspend", [two!]);
    expect(undo.last()).toBe(true);
    await timer.pass(1);
    expect(stateOf(two!.key)).toBe("idle");
    expect(undo.last()).toBe(false);
  });

  test("after ten seconds it can no longer be taken back", async () => {
    const { timer, acts, undo, idle, stateOf, toasted } = made();
    const [one] = idle();
    await acts.act("suspend", [one!]);
    await timer.pass(10_500);
    expect(toasted()).toEqual([]);
    expect(undo.last()).toBe(false);
    expect(stateOf(one!.key)).toBe("suspended");
  });

  test("a message in between withdraws the undo and says why", async () => {
    const { bridge, acts, undo, idle, toasted } = made();
    const [one] = idle();
    await acts.act("suspend", [one!]);
    bridge.push("undo.withdrawn", { key: one!.key, reason: "a message arrived" });
    expect(toasted()).toMatchObject([{ actions: [], body: "Gone: a message arrived" }]);
    expect(undo.last()).toBe(false);
  });

  test("a failure is told and changes nothing", async () => {
    const { bridge, acts, idle, stateOf, toasted } = made();
    const [one] = idle();
    bridge.failNext("sessions.suspend", "E_STORE_BUSY");
    await acts.act("suspend", [one!]);
    expect(stateOf(one!.key)).toBe("idle");
    expect(toasted()).toMatchObject([{ tone: "failed" }]);
    expect(acts.store.getState().pending.size).toBe(0);
  });
});

describe("resetting", () => {
  test("asks with the numbers the gateway gives, and does nothing until it is confirmed", async () => {
    const { acts, ask, rows, question, named } = made();
    const row = rows().find((one) => one.state === "running")!;
    await acts.act("reset", [row]);
    expect(question()?.title).toBe(`Reset ${row.title}?`);
    const facts = Object.fromEntries(question()!.facts.map(({ label, value }) => [label, value]));
    expect(facts["Messages"]).toBe(`${row.messageCount} stay readable`);
    expect(facts["Running turn"]).toMatch(/ s old, is aborted$/);
    ask.actions.cancel();
    expect(question()).toBeNull();
    expect(named("sessions.reset")).toBe(0);
  });

  test("more than five want the number typed", async () => {
    const { acts, idle, question } = made();
    await acts.act("reset", idle().slice(0, 5));
    expect(question()?.typed).toBeUndefined();
    await acts.act("reset", idle().slice(0, 6));
    expect(question()?.typed).toBe("6");
  });

  test("a failure stays in the dialog; the next try succeeds", async () => {
    const { bridge, acts, ask, idle, question } = made();
    await acts.act("reset", [idle()[0]!]);
    bridge.failNext("sessions.reset", "E_STORE_BUSY");
    await ask.actions.confirm();
    expect(ask.store.getState()).toMatchObject({ done: null, error: { code: "E_STORE_BUSY" } });
    await ask.actions.confirm();
    expect(question()).toBeNull();
  });
});

describe("stopping", () => {
  test("tells what goes with the turn and what stays waiting", async () => {
    const { bridge, acts, rows, question } = made();
    const row = rows().find((one) => one.state === "running")!;
    const item = (inputId: number, place: "slot" | "fifo", kind: "message" | "internal") => ({
      inputId,
      place,
      kind,
      preview: "x",
      from: "Anna",
      acceptedAtMs: 0,
      reason: "",
    });
    bridge.world.waiting.set(row.key, [
      item(1, "slot", "message"),
      item(2, "fifo", "message"),
      item(3, "fifo", "message"),
      item(4, "fifo", "internal"),
    ]);
    await acts.act("stop", [row]);
    const facts = Object.fromEntries(question()!.facts.map(({ label, value }) => [label, value]));
    expect(facts).toMatchObject({
      "Message in hand": "1 is dropped",
      "Messages behind it": "2 wait for the next message",
    });
  });
});

describe("acting on many", () => {
  test("one dialog names them and who is skipped; failures stay selected", async () => {
    const { bridge, acts, ask, selection, rows, question, toasted, stateOf } = made();
    const some = rows().slice(0, 10);
    selection.actions.select(some.map((row) => row.key));
    await acts.act("suspend", some);
    expect(question()?.names).toHaveLength(8); // two of the first ten are suspended or stuck
    expect(question()?.skipped).toHaveLength(2);
    expect(question()?.skipped?.[0]).toContain("Already suspended.");
    bridge.failNext("sessions.suspend", "E_STORE_BUSY");
    await ask.actions.confirm();
    const failed = some.find((row) => whyNot("suspend", row) === null)!;
    expect([...selection.store.getState().selected]).toEqual([failed.key]);
    expect(stateOf(failed.key)).toBe(failed.state);
    expect(toasted().map((one) => one.title)).toEqual([
      "1 of 8 failed; they stay selected",
      "Suspended 7 sessions",
    ]);
  });

  test("the undo of many takes all of them back", async () => {
    const { timer, acts, ask, undo, idle, stateOf } = made();
    const some = idle().slice(0, 3);
    await acts.act("suspend", some);
    await ask.actions.confirm();
    expect(some.map((row) => stateOf(row.key))).toEqual(["suspended", "suspended", "suspended"]);
    expect(undo.last()).toBe(true);
    await timer.pass(10);
    expect(some.map((row) => stateOf(row.key))).toEqual(["idle", "idle", "idle"]);
  });

  test("nothing to do says why and asks nothing", async () => {
    const { acts, idle, question, toasted } = made();
    await acts.act("stop", [idle()[0]!]);
    expect(question()).toBeNull();
    expect(toasted()).toMatchObject([{ title: "No turn is running." }]);
  });
});
