import { describe, expect, test } from "vitest";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { keyAt } from "./sessions-view.ts";
import { sessionsStore } from "./sessions.ts";
import { testTimer } from "./test-timer.ts";

async function started(sessions = 300, answerMs = 10) {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions, nowMs: timer.nowMs() }, { ...timer, answerMs });
  const list = sessionsStore(bridge, timer, timer.nowMs);
  const stop = list.start();
  await timer.pass(50);
  const shown = (index: number) => keyAt(list.store.getState(), index);
  const asked = () => bridge.calls.filter(({ name }) => name === "sessions.list").length;
  return { timer, bridge, list, stop, shown, asked };
}

describe("the list of sessions", () => {
  test("the first page comes by itself, further ones when they are wanted, each once", async () => {
    const { timer, list, shown, asked } = await started();
    expect(list.store.getState()).toMatchObject({ total: 300, loading: false, error: null });
    expect(shown(99)).toBeDefined();
    expect(shown(100)).toBeUndefined();
    list.actions.want(90, 130);
    list.actions.want(91, 131);
    await timer.pass(20);
    expect(shown(130)).toBeDefined();
    expect(asked()).toBe(2);
  });

  test("while nobody is on it, a new order shows by itself", async () => {
    const { timer, bridge, shown } = await started();
    const last = shown(50)!;
    void bridge.call("sessions.suspend", { key: last });
    await timer.pass(1_000);
    expect(shown(0)).toBe(last);
  });

  test("while somebody is on it, values change and places wait", async () => {
    const { timer, bridge, list, shown } = await started();
    const [first, later] = [shown(0), shown(50)!];
    list.actions.hold(true);
    void bridge.call("sessions.suspend", { key: later });
    await timer.pass(5_000);
    expect(shown(0)).toBe(first);
    expect(list.store.getState().rows.get(later)?.state).toBe("suspended");
    expect([...list.store.getState().moved]).toEqual([later]);
    list.actions.hold(false);
    await timer.pass(1_000);
    expect(shown(0)).toBe(later);
    expect(list.store.getState().moved.size).toBe(0);
  });

  test("after a lost push the view equals the gateway's again", async () => {
    const { timer, bridge, list, shown } = await started();
    const [one, two] = [shown(10)!, shown(20)!];
    bridge.lose(2); // the row and the status of the first change
    void bridge.call("sessions.suspend", { key: one });
    await timer.pass(20);
    expect(list.store.getState().rows.get(one)?.state).not.toBe("suspended");
    list.actions.hold(true);
    void bridge.call("sessions.suspend", { key: two });
    await timer.pass(200);
    expect(list.store.getState().rows.get(one)?.state).toBe("suspended");
    expect([shown(0), shown(1)]).toEqual([two, one]);
  });

  test("a late answer to an earlier filter never replaces the present one", async () => {
    const { timer, bridge, list } = await started(300, 10);
    list.actions.setQuery({ filter: "state:idle", sort: "-updated" });
    list.actions.setQuery({ filter: "state:suspended", sort: "-updated" });
    await timer.pass(100);
    const { rows, query } = list.store.getState();
    expect(query.filter).toBe("state:suspended");
    expect([...rows.values()].every((row) => row.state === "suspended")).toBe(true);
    expect(bridge.calls.at(-1)?.input).toMatchObject({ filter: "state:suspended" });
  });

  test("a filter with a fault in it changes nothing", async () => {
    const { timer, list, asked } = await started();
    const before = asked();
    list.actions.setQuery({ filter: "colour:red", sort: "-updated" });
    await timer.pass(100);
    expect(asked()).toBe(before);
    expect(list.store.getState().query.filter).toBe("");
  });

  test("a failed pull keeps what is here and says so; the next one clears it", async () => {
    const { timer, bridge, list } = await started();
    bridge.failNext("sessions.list", "E_STORE_BUSY");
    void list.actions.pull();
    await timer.pass(20);
    expect(list.store.getState()).toMatchObject({ total: 300, error: { code: "E_STORE_BUSY" } });
    void list.actions.pull();
    await timer.pass(20);
    expect(list.store.getState().error).toBeNull();
  });

  test("paused it counts what changes, and shows it when it goes on", async () => {
    const { timer, bridge, list, shown } = await started();
    const key = shown(5)!;
    list.actions.setPaused(true);
    void bridge.call("sessions.suspend", { key });
    await timer.pass(1_000);
    expect(list.store.getState().rows.get(key)?.state).not.toBe("suspended");
    expect([...list.store.getState().missed]).toEqual([key]);
    list.actions.setPaused(false);
    await timer.pass(100);
    expect(list.store.getState().rows.get(key)?.state).toBe("suspended");
    expect(list.store.getState().missed.size).toBe(0);
  });

  test("stopped it asks nothing more", async () => {
    const { timer, bridge, list, stop, shown, asked } = await started();
    const key = shown(5)!;
    stop();
    const before = asked();
    void bridge.call("sessions.suspend", { key });
    list.actions.want(200, 299);
    await timer.pass(1_000);
    expect(asked()).toBe(before);
  });
});
