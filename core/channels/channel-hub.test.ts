import { describe, expect, test } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import { silentLog } from "../log/log.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { settle } from "../testing/until.ts";
import type { Channel, ChannelContext } from "./channel.ts";
import { createChannelHub } from "./channel-hub.ts";

interface Probe extends Channel {
  log: string[];
  context: ChannelContext | null;
}

function channel(id: string, part: Partial<Channel> = {}, log: string[] = []): Probe {
  const made: Probe = {
    id,
    kind: id.split(":")[0] ?? id,
    account: null,
    address: null,
    capabilities: { idempotentSend: false, transcriptIsDelivery: false },
    log,
    context: null,
    async start(context) {
      made.context = context;
      log.push(`start ${id}`);
      await part.start?.(context);
    },
    async stop() {
      log.push(`stop ${id}`);
      await part.stop?.();
    },
    send: () => Promise.resolve({ kind: "delivered", remoteId: null }),
  };
  return made;
}

function hub() {
  const clock = manualClock();
  const up: string[] = [];
  const made = createChannelHub({
    clock,
    log: silentLog,
    accept: () => Promise.reject(new Error("no message here")),
    sessionsPerChannel: () => new Map([["a", 3]]),
    onChange: () => undefined,
    onUp: (id) => up.push(id),
  });
  return {
    ...made,
    clock,
    up,
    stateOf: (id: string) => made.rows().find((row) => row.id === id)?.state,
  };
}

describe("the channels of a gateway", () => {
  test("each is up once it has started, and can send from then on", async () => {
    let go = (): void => undefined;
    const slow = channel("slow", { start: () => new Promise((resolve) => (go = resolve)) });
    const { use, sendable, stateOf, up } = hub();
    const using = use([slow, channel("quick")]);
    await settle(3);
    expect(stateOf("slow")).toBe("starting");
    expect(sendable("slow")).toBeUndefined();
    expect(sendable("quick")?.id).toBe("quick");
    go();
    await using;
    expect(sendable("slow")).toBe(slow);
    expect(up).toEqual(["quick", "slow"]);
  });

  test("one that cannot start keeps no other from it, and says why", async () => {
    const bad = channel("bad", {
      start: () => Promise.reject(new SignalboxError("E_CHANNEL_DOWN", "No network.")),
    });
    const { use, rows, sendable, clock } = hub();
    await use([bad, channel("good")]);
    expect(sendable("good")).toBeDefined();
    expect(rows().find((row) => row.id === "bad")).toMatchObject({
      state: "down",
      lastError: { code: "E_CHANNEL_DOWN", message: "No network.", atMs: clock.nowMs() },
    });
  });

  test("one that is long in starting is waited for ten seconds, and is up when it has", async () => {
    let go = (): void => undefined;
    const slow = channel("slow", { start: () => new Promise((resolve) => (go = resolve)) });
    const { use, clock, stateOf } = hub();
    let over = false;
    const using = use([slow]).then(() => (over = true));
    await settle(3);
    clock.advance(9_999);
    await settle(3);
    expect(over).toBe(false);
    clock.advance(1);
    await using;
    expect(stateOf("slow")).toBe("starting");
    go();
    await settle(3);
    expect(stateOf("slow")).toBe("up");
    expect(clock.pending).toBe(0);
  });

  test("what a channel reports is its state; a report from one that was replaced is not", async () => {
    const { use, stateOf, up, sendable } = hub();
    const old = channel("a");
    await use([old]);
    old.context?.report("down", { code: "E_CHANNEL_DOWN", message: "Lost." });
    expect(stateOf("a")).toBe("down");
    expect(sendable("a")).toBeUndefined();
    old.context?.report("up");
    expect(up).toEqual(["a", "a"]);
    await use([channel("a")]);
    old.context?.report("down");
    expect(stateOf("a")).toBe("up");
  });

  test("a channel that reports itself down while it starts is not called up", async () => {
    const { use, stateOf } = hub();
    await use([
      channel("a", {
        start: (context) => {
          context.report("down", { code: "E_SIGNATURE", message: "No secret." });
          return Promise.resolve();
        },
      }),
    ]);
    expect(stateOf("a")).toBe("down");
  });

  test("only what changed is stopped and started", async () => {
    const { use, stateOf } = hub();
    const log: string[] = [];
    const [kept, leaving, arriving] = ["kept", "leaving", "arriving"].map((id) =>
      channel(id, {}, log),
    );
    await use([kept!, leaving!]);
    await use([kept!, arriving!]);
    expect(log).toEqual(["start kept", "start leaving", "stop leaving", "start arriving"]);
    expect(stateOf("leaving")).toBeUndefined();
  });

  test("changes that follow each other at once end with the last, and no channel is left running", async () => {
    const log: string[] = [];
    const { use, get } = hub();
    const slowStop = () => new Promise<void>((resolve) => setImmediate(resolve));
    const made = [1, 2, 3].map(() => channel("a", { stop: slowStop }, log));
    await Promise.all(made.map((one) => use([one])));
    expect(get("a")).toBe(made[2]);
    expect(log.filter((entry) => entry === "start a")).toHaveLength(1);
  });

  test("one that cannot be stopped is gone all the same", async () => {
    const { use, stopAll, rows } = hub();
    await use([channel("a", { stop: () => Promise.reject(new Error("stuck")) }), channel("b")]);
    await stopAll();
    expect(rows()).toEqual([]);
  });

  test("rows tell counts and sessions", async () => {
    const { use, countIn, countOut, rows, kindsUp } = hub();
    await use([channel("a"), channel("webhook:x")]);
    countIn("a");
    countIn("a");
    countOut("a");
    countOut("nobody");
    expect(rows()).toMatchObject([
      { id: "a", messagesIn: 2, messagesOut: 1, sessions: 3 },
      { id: "webhook:x", messagesIn: 0, sessions: 0 },
    ]);
    expect(kindsUp()).toEqual(["a", "webhook"]);
  });
});
