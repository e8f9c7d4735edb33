import { describe, expect, test } from "vitest";
import type { PushName } from "../contract/bridge.ts";
import type { GatewayStatus, MessageRow, SessionRow } from "../contract/domain.ts";
import { asSessionId, asTurnId } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Connection, PushListener } from "../gateway-api.ts";
import { laneKey } from "../testing/samples.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createBus } from "./bus.ts";
import { createPushes } from "./pushes.ts";

const [a, b] = [laneKey("a"), laneKey("b")];
const turnId = asTurnId("t1");

function live() {
  const clock = manualClock();
  const failed: unknown[] = [];
  const bus = createBus((_name, cause) => failed.push(cause));
  const asked: SessionKey[] = [];
  const pushes = createPushes({
    bus,
    clock,
    sessionRow: (key) => {
      asked.push(key);
      if (key === laneKey("broken")) throw new Error("the disk");
      return key === laneKey("gone") ? undefined : ({ key } as SessionRow);
    },
    counts: () => ({ all: 1, needsMe: 0, running: 0, suspended: 0 }),
    messages: (ids) => ids.map((id) => ({ id, sessionId: asSessionId("s") }) as MessageRow),
    status: () => ({ nowMs: clock.nowMs() }) as GatewayStatus,
    batchMs: 100,
    onError: (cause) => failed.push(cause),
  });
  let clients = 0;
  return {
    bus,
    clock,
    asked,
    failed,
    pushes,
    /** A client that watches these lanes; `got` is what it was pushed, by name. */
    client(
      watching: readonly SessionKey[] = [],
      onPush: (name: PushName) => void = () => undefined,
    ) {
      clients += 1;
      const connection: Connection = { id: `c${clients}`, watching: new Set(watching) };
      const got: { name: PushName; payload: unknown }[] = [];
      const push: PushListener = (name, payload) => {
        onPush(name);
        if (name !== "gateway.status") got.push({ name, payload });
      };
      return { got, connection, leave: pushes.connect(connection, push) };
    },
    changed(key: SessionKey, urgent = false): void {
      bus.emit("session.changed", { key, urgent });
    },
    says(key: SessionKey, from: number, text: string): void {
      bus.emit("turn.text", { key, turnId, from, text, tool: null });
    },
  };
}
const names = (got: readonly { name: PushName }[]) => got.map(({ name }) => name);

describe("batches", () => {
  test("what changes within one is one push, with each lane once", () => {
    const { client, changed, clock } = live();
    const { got } = client();
    changed(a);
    clock.advance(60);
    changed(a);
    changed(b);
    expect(got).toEqual([]);
    clock.advance(40);
    expect(got).toEqual([
      {
        name: "sessions.delta",
        payload: {
          upserts: [{ key: a }, { key: b }],
          removed: [],
          counts: { all: 1, needsMe: 0, running: 0, suspended: 0 },
        },
      },
    ]);
    clock.advance(1_000);
    expect(got).toHaveLength(1);
  });

  test("what is urgent does not wait, and takes along what waits", () => {
    const { client, changed, clock } = live();
    const { got } = client();
    changed(a);
    changed(b, true);
    clock.advance(0);
    expect(got[0]).toMatchObject({ payload: { upserts: [{ key: a }, { key: b }] } });
    clock.advance(1_000);
    expect(got).toHaveLength(1);
  });

  test("a lane that is gone is told as gone", () => {
    const { client, changed, bus, clock } = live();
    const { got } = client();
    changed(laneKey("gone"));
    bus.emit("session.removed", { key: laneKey("gone") });
    clock.advance(0);
    expect(got[0]).toMatchObject({ payload: { upserts: [], removed: [laneKey("gone")] } });
  });

  test("of channels and agents only the last word is told; of log lines each", () => {
    const { client, bus, clock } = live();
    const { got } = client();
    const line = (seq: number) =>
      ({ seq, atMs: 1, level: "info", area: "x", event: "y", sessionKey: null, text: "" }) as const;
    bus.emit("channels.changed", { channels: [] });
    bus.emit("agents.changed", { agents: [] });
    bus.emit("agents.changed", { agents: [] });
    bus.emit("logs.line", line(1));
    bus.emit("logs.line", line(2));
    clock.advance(100);
    expect(names(got)).toEqual(["channels.changed", "agents.changed", "logs.append"]);
    expect(got[2]).toMatchObject({ payload: { lines: [{ seq: 1 }, { seq: 2 }] } });
  });

  test("the state of the gateway is told at most twice a second, and its last change always", () => {
    const { client, changed, clock } = live();
    const told: number[] = [];
    const startMs = clock.nowMs();
    client([], (name) => {
      if (name === "gateway.status") told.push(clock.nowMs() - startMs);
    });
    clock.advance(1_000);
    for (let n = 0; n < 10; n += 1) {
      changed(a, true);
      clock.advance(50);
    }
    clock.advance(2_000);
    expect(told.length).toBeGreaterThan(1);
    told.slice(1).forEach((at, n) => expect(at - (told[n] ?? 0)).toBeGreaterThanOrEqual(500));
    expect(told.at(-1)).toBeGreaterThanOrEqual(1_450); // the last of the changes was at 1450
    const before = told.length;
    clock.advance(10_000);
    expect(told).toHaveLength(before);
  });

  test("live text keeps its pace while the gateway's state waits for its turn", () => {
    const { client, changed, says, clock } = live();
    const { got } = client([a]);
    clock.advance(1_000);
    changed(a, true);
    clock.advance(50);
    changed(a, true); // within half a second: the state waits
    clock.advance(1);
    says(a, 0, "Hello");
    clock.advance(100);
    expect(names(got)).toContain("turn.text");
  });
});

describe("who is told what", () => {
  test("rows and live text of a lane go to those who watch it, at once or joined", () => {
    const { client, says, bus, clock } = live();
    const [watcher, other] = [client([a]), client([b])];
    bus.emit("messages.appended", { key: a, ids: [7] });
    bus.emit("messages.appended", { key: a, ids: [] });
    says(a, 0, "Hel");
    says(a, 3, "lo");
    bus.emit("messages.changed", { key: a });
    clock.advance(100);
    expect(watcher.got).toEqual([
      {
        name: "transcript.append",
        payload: { key: a, sessionId: "s", messages: [{ id: 7, sessionId: "s" }] },
      },
      { name: "turn.text", payload: { key: a, turnId, from: 0, text: "Hello", tool: null } },
      { name: "transcript.changed", payload: { key: a } },
    ]);
    expect(other.got).toEqual([]);
  });

  test("text of another turn, or after a gap, is not joined to what waits", () => {
    const { client, says, bus, clock } = live();
    const { got } = client([a]);
    says(a, 0, "old");
    bus.emit("turn.text", { key: a, turnId: asTurnId("t2"), from: 0, text: "new", tool: "look" });
    clock.advance(100);
    expect(got).toMatchObject([{ payload: { turnId: "t2", from: 0, text: "new", tool: "look" } }]);
  });

  test("the end of a turn comes at once, after all of its text", () => {
    const { client, says, bus, clock } = live();
    const { got } = client([a]);
    says(a, 0, "Hello");
    bus.emit("turn.end", { key: a, turnId, outcome: "completed" });
    expect(names(got)).toEqual(["turn.text", "turn.end"]);
    clock.advance(100);
    expect(got).toHaveLength(2);
  });

  test("notices, changed settings and undos that are over go to everybody, at once", () => {
    const { client, bus } = live();
    const both = [client(), client([a])];
    bus.emit("undo.withdrawn", { key: a, reason: "A message arrived." });
    bus.emit("config.changed", { path: "log.level" });
    bus.emit("notice.raised", { notice: {} as never, unseen: 1 });
    for (const { got } of both)
      expect(names(got)).toEqual(["undo.withdrawn", "config.changed", "notice.raised"]);
  });

  test("lanes can be chosen anew while connected", () => {
    const { client, bus } = live();
    const { got, connection } = client([a]);
    connection.watching = new Set([b]);
    bus.emit("turn.end", { key: a, turnId, outcome: "completed" });
    bus.emit("turn.end", { key: b, turnId, outcome: "completed" });
    expect(got).toMatchObject([{ payload: { key: b } }]);
  });
});

describe("clients come and go", () => {
  test("while nobody looks nothing is read, and nothing old is told to who comes", () => {
    const { client, changed, says, clock, asked } = live();
    changed(a);
    says(a, 0, "Hello");
    clock.advance(1_000);
    const { got } = client([a]);
    clock.advance(1_000);
    expect(asked).toEqual([]);
    expect(got).toEqual([]);
  });

  test("who has left is told nothing more", () => {
    const { client, changed, clock } = live();
    const { got, leave } = client();
    changed(a);
    leave();
    clock.advance(100);
    expect(got).toEqual([]);
  });

  test("one that cannot be told is left out; the others hear everything", () => {
    const { client, changed, clock, failed } = live();
    client([], () => {
      throw new Error("its window is gone");
    });
    const { got } = client();
    changed(a, true);
    clock.advance(0);
    changed(b, true);
    clock.advance(0);
    expect(names(got)).toEqual(["sessions.delta", "sessions.delta"]);
    expect(failed).toHaveLength(1);
  });

  test("a reading that fails costs its batch, not the gateway", () => {
    const { client, changed, clock, failed } = live();
    const { got } = client();
    changed(laneKey("broken"));
    clock.advance(100);
    expect(failed).toHaveLength(1);
    changed(a);
    clock.advance(100);
    expect(names(got)).toEqual(["sessions.delta"]);
  });

  test("after the close nothing is told and no timer is left", () => {
    const { client, changed, bus, clock, pushes } = live();
    const { got } = client([a]);
    changed(a);
    pushes.close();
    bus.emit("turn.end", { key: a, turnId, outcome: "completed" });
    clock.advance(1_000);
    expect(got).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
