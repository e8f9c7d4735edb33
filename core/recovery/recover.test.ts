import { describe, expect, test } from "vitest";
import { recoveryWorld } from "../testing/recovery-world.ts";
import type { RecoveryWorld } from "../testing/recovery-world.ts";
import { inbound } from "../testing/samples.ts";
import { enqueueInside } from "../turns/enqueue.ts";
import { givenUp } from "./given-up.ts";

const label = (cause: string): string => `♻️ Recovered reply (${cause}; it may be a duplicate)\n\n`;
const restarted = label("the gateway was restarted during its delivery");
const hourMs = 3_600_000;

/** Ends of the lane's messages, by their text. */
const outcomes = ({ db }: RecoveryWorld) =>
  Object.fromEntries(
    db.sql
      .prepare<[], [string, string | null]>(
        `SELECT platform_message_id, outcome FROM inbound_journal WHERE platform_message_id IS NOT NULL ORDER BY seq`,
      )
      .raw()
      .all(),
  );
const started = async (world: RecoveryWorld, chat = "a") => {
  const turn = await world.start(chat);
  if (!turn) throw new Error("nothing is next up");
  return turn;
};
const attempted = async (world: RecoveryWorld, chat = "a") => {
  const sent = await world.attempt(chat);
  if (!sent) throw new Error("nothing is owed");
  return sent;
};
const row = (world: RecoveryWorld, chat = "a") => {
  const found = world.stores.directory.routing.get(world.key(chat));
  if (!found) throw new Error("no lane");
  return found;
};

describe("a start after a kill in each window of lifecycle 11.6", () => {
  test("accepted and turn start: it waits on, in order", async () => {
    const world = recoveryWorld();
    for (const text of ["one", "two", "three"]) await world.accept("a", text);
    const { lists } = world.boot();
    expect(lists.waiting.count).toBe(3);
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two", "re three"]);
  });

  test("turn start and reply persisted: resumed once, before what waits", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.accept("a", "two");
    await started(world);
    expect(world.boot().lists.resumed.count).toBe(1);
    expect(world.boot().lists.resumed.count).toBe(0); // it waits already
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two"]);
    expect(world.heard.map(({ replyTo }) => replyTo)).toEqual(["one", "two"]);
    expect(row(world)).toMatchObject({ resumePending: 0, activeTurnToken: null });
  });

  test("reply persisted and obligation recorded: sent once, labelled, not made again", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    // Not a state that we leave behind, but one that is imported.
    await world.db.write(() =>
      world.stores.directory.messages.append({
        sessionId: turn.sessionId,
        role: "assistant",
        content: "re one",
        timestamp: world.clock.nowMs(),
        turnId: turn.turnId,
      }),
    );
    const { lists } = world.boot();
    expect(lists.settled.count).toBe(1);
    expect(lists.redelivered.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual([`${restarted}re one`]);
  });

  test("recorded and attempting: sent plainly", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    expect(world.boot().lists.sentPlain.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("attempting and platform accept: sent labelled", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    await attempted(world);
    expect(world.boot().lists.redelivered.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual([`${restarted}re one`]);
  });

  test("accept and mark delivered: sent labelled, the one possible duplicate", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    world.arrive(await attempted(world));
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", `${restarted}re one`]);
  });

  test("claim at boot and send: one labelled redelivery by itself, then a person decides", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    await attempted(world);
    world.boot();
    await attempted(world);
    const { lists } = world.boot();
    expect(lists.unknown.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual([]);
    expect(world.stores.obligations.countUnknown()).toBe(1);
  });

  test("marker release and anything later: the ledger owns it, the turn is never run again", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    await world.deliver("a");
    const { lists } = world.boot();
    expect(Object.values(lists).map(({ count }) => count)).toEqual(
      Object.values(lists).map(() => 0),
    );
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("the platform knows the key: the same request again, and the person sees it once", async () => {
    const world = recoveryWorld({ idempotent: true });
    await world.accept("a", "one");
    await world.finish(await started(world));
    world.arrive(await attempted(world));
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("`ask`: what may have arrived waits for a person, what certainly did not is sent", async () => {
    const world = recoveryWorld({ policy: "ask" });
    await world.accept("a", "one");
    await world.accept("a", "two");
    await world.finish(await started(world));
    await world.finish(await started(world));
    await attempted(world);
    expect(world.boot().lists).toMatchObject({ unknown: { count: 1 }, sentPlain: { count: 1 } });
    await world.settle("a");
    expect(world.texts()).toEqual(["re two"]);
  });
});

describe("what a start must not do", () => {
  test("abandon what certainly was not sent, however often it was refused", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    const down = {
      kind: "rejected",
      retryable: true,
      code: "x",
      reason: "Nobody listens.",
    } as const;
    for (let n = 0; n < 5; n += 1) await world.record(await attempted(world), down);
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("forget the wait that a platform asked for, or keep our own pause", async () => {
    const world = recoveryWorld();
    for (const chat of ["a", "b"]) {
      await world.accept(chat, chat);
      await world.finish(await started(world, chat));
    }
    const wait = { state: "failed", nextAttemptAt: world.clock.nowMs() + 60_000 } as const;
    const { obligations } = world.stores;
    const [first, second] = obligations.open();
    await world.db.write(() => {
      obligations.settle(
        first?.obligationId ?? "",
        0,
        { ...wait, error: "flood_control:60 Slow." },
        1,
      );
      obligations.settle(second?.obligationId ?? "", 0, { ...wait, error: "Nobody listens." }, 1);
    });
    world.boot();
    expect(obligations.open().map(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([
      true,
      false,
    ]);
  });

  test("take up a turn that the person had stopped: a stop is on disk before its turn ends", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    await world.db.write(() => world.stores.turns.stopping(turn.turnId, "Stopped.", false));
    expect(world.boot().lists).toMatchObject({ resumed: { count: 0 }, settled: { count: 1 } });
    await world.settle("a");
    expect(world.texts()).toEqual([]);
    expect(outcomes(world)).toEqual({ one: "stopped" });
    expect(row(world)).toMatchObject({ resumePending: 0, activeTurnToken: null });
  });

  test("keep from the person that the operator had stopped it", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    await world.db.write(() => world.stores.turns.stopping(turn.turnId, "Stopped.", true));
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual(["Stopped."]);
  });

  test("take up again what was stopped while it was being taken up", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.finish(await started(world), { outcome: "stopped", because: "Stopped." });
    expect(row(world).resumePending).toBe(0);
    expect(world.boot().lists.resumed.count).toBe(0);
    expect(world.stores.recovery.restarts(world.key("a"))).toBe(0);
  });

  test("run again what a later start finds answered by an older clock", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world)); // at the later time
    await world.deliver("a");
    world.clock.setWall(world.clock.nowMs() - 10 * hourMs);
    await world.accept("a", "two");
    await started(world);
    world.boot();
    await started(world); // the resumed turn has no row of its own: the last one is the old reply, of the future
    expect(world.boot().lists).toMatchObject({ resumed: { count: 1 }, settled: { count: 0 } });
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two"]);
  });
});

describe("a turn that is taken up and fails", () => {
  const failed = {
    outcome: "failed",
    error: { code: "E_AGENT_DOWN", message: "Nobody answers.", details: {} },
  } as const;

  test("is told of once, tried again by the next start without another word, and answered when it succeeds", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    for (let restart = 1; restart <= 2; restart += 1) {
      world.boot();
      await world.finish(await started(world), failed);
      await world.deliver("a");
      expect(world.texts()).toEqual(["This message could not be answered. Nobody answers."]);
    }
    world.boot();
    await world.settle("a");
    expect(world.texts().slice(1)).toEqual(["re one"]);
  });

  test("its person is told, also where the person of an earlier one was told before", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.finish(await started(world), failed); // told, and still to be tried again
    await world.accept("a", "two");
    await started(world); // cut as well
    world.boot();
    await world.finish(await started(world), failed);
    await world.deliver("a");
    expect(world.heard.map(({ replyTo }) => replyTo)).toEqual(["one", "two"]);
  });

  test("… and where that one was parked by a stop", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.finish(await started(world), failed);
    await world.accept("a", "two");
    const parked = { outcome: "parked", because: "shutdown_timeout" } as const;
    await world.finish(await started(world), parked);
    world.boot();
    await world.finish(await started(world), failed);
    await world.deliver("a");
    expect(world.heard.map(({ replyTo }) => replyTo)).toEqual(["one", "two"]);
  });

  test("its person is told, also where a stop had parked it in between", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    const parked = { outcome: "parked", because: "shutdown_timeout" } as const;
    await world.finish(await started(world), parked);
    world.boot();
    await world.finish(await started(world), failed);
    await world.deliver("a");
    expect(world.heard.map(({ replyTo }) => replyTo)).toEqual(["one"]);
  });

  test("a message that is sent again by `/retry` is owed again, also where its turn was cut", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.settle("a");
    await world.db.write(() =>
      enqueueInside(
        { inbox: world.stores.inbox, routing: world.stores.directory.routing },
        world.key("a"),
        inbound("one", { messageId: null, replyTo: "one" }),
        "queue",
        world.clock.nowMs(),
      ),
    );
    const again = await started(world);
    world.boot();
    const resumed = await started(world);
    expect(resumed.message.resume?.turnId).toBe(again.turnId);
    await world.finish(resumed);
    await world.deliver("a");
    expect(world.texts()).toEqual(["re one", "re one"]);
  });
});

describe("who is not taken up is told", () => {
  test("after three interrupted restarts only that session is suspended, its history kept; the others go on", async () => {
    const world = recoveryWorld();
    await world.accept("poison", "poison");
    await world.accept("poison", "behind it");
    const first = await started(world, "poison");
    for (let restart = 1; restart <= 3; restart += 1) {
      expect(world.boot().lists).toMatchObject({ resumed: { count: 1 }, stuck: { count: 0 } });
      expect((await started(world, "poison")).message.resume).toBeDefined(); // and it dies again
    }
    await world.accept("b", "fine");
    const { lists } = world.boot();
    expect(lists).toMatchObject({ resumed: { count: 0 }, stuck: { count: 1 } });
    expect(row(world, "poison")).toMatchObject({
      suspended: 1,
      suspendReason: "stuck_loop",
      state: "stuck",
      sessionId: first.sessionId,
    });
    const history = world.stores.directory.messages.live(first.sessionId);
    expect(history.flatMap(({ role, text }) => (role === "user" ? [text] : []))).toEqual([
      "poison",
    ]);
    await world.settle("b", "poison");
    expect(world.texts()).toEqual(["re fine", givenUp.stuck, "re behind it"]);
    expect(row(world, "poison").sessionId).not.toBe(first.sessionId); // a clean slate for what waited
  });

  test("… and whoever takes the suspension back and runs recovery lets the work go on (decision 4)", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    for (let restart = 1; restart <= 3; restart += 1) {
      world.boot();
      await started(world);
    }
    world.boot();
    await world.db.write(() => world.stores.directory.unsuspend(world.key("a")));
    expect((await world.recoverNow()).lists.resumed.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.stuck, "re one"]);
  });

  test("too old to go on by itself, once", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.clock.advance(hourMs + 1);
    expect(world.boot().lists.givenUp.count).toBe(1);
    expect(world.boot().lists.givenUp.count).toBe(0);
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.stale]);
  });

  test("parked by a stop and found too late: told once, and the next message goes on in the same session", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    await world.finish(turn, { outcome: "parked", because: "shutdown_timeout", text: "half" });
    world.clock.advance(hourMs + 1);
    world.boot({ clean: true });
    world.boot();
    await world.accept("a", "two");
    const next = await started(world);
    expect(next.sessionId).toBe(turn.sessionId);
    await world.finish(next);
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.stale, "re two"]);
  });

  test("its session was suspended meanwhile", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    await world.db.write(() => world.stores.directory.suspend(world.key("a"), "panel", null, 1));
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.suspended]);
  });

  test("its session was suspended while the stop parked it", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    await world.db.write(() => world.stores.directory.suspend(world.key("a"), "panel", null, 1));
    await world.finish(turn, { outcome: "parked", because: "shutdown_timeout" });
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.suspended]);
    expect(row(world).resumePending).toBe(0);
  });

  test("a stop that arrived while the gateway's own stop parked it", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    const turn = await started(world);
    await world.db.write(() => world.stores.turns.stopping(turn.turnId, "Stopped.", false));
    await world.finish(turn, { outcome: "parked", because: "shutdown_timeout" });
    expect(world.boot().lists.resumed.count).toBe(0);
    expect(outcomes(world)).toEqual({ one: "stopped" });
  });

  test("its session was suspended while it waited to be taken up: it waits on until somebody writes", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.db.write(() => world.stores.directory.suspend(world.key("a"), "panel", null, 1));
    expect(await world.start("a")).toBeNull();
    await world.db.write(() => world.stores.directory.unsuspend(world.key("a")));
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("… or a start finds it so; whoever takes the suspension back and runs recovery lets it go on", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.db.write(() => world.stores.directory.suspend(world.key("a"), "panel", null, 1));
    expect(world.boot().lists.givenUp.count).toBe(1);
    expect(world.boot().lists.givenUp.count).toBe(0);
    await world.deliver("a");
    expect(world.texts()).toEqual([givenUp.suspended]);
    await world.db.write(() => world.stores.directory.unsuspend(world.key("a")));
    await world.recoverNow();
    await world.settle("a");
    expect(world.texts().slice(1)).toEqual(["re one"]);
  });

  test("… and is given up by the message that starts the fresh session", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.db.write(() => world.stores.directory.suspend(world.key("a"), "panel", null, 1));
    await world.accept("a", "two");
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.suspended, "re two"]);
  });

  test("its conversation was ended while it waited to be taken up", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.db.write(() => world.stores.directory.reset(world.key("a"), "panel", null, 1));
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.ended]);
  });

  test("… and the fresh one was suspended then: it does not wait for that", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    world.boot();
    await world.db.write(() => {
      world.stores.directory.reset(world.key("a"), "panel", null, 1);
      world.stores.directory.suspend(world.key("a"), "panel", null, 1);
    });
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.suspended]);
  });

  test("a message whose lane has moved on without it", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await started(world);
    await world.db.write(() => world.stores.directory.reset(world.key("a"), "panel", null, 1)); // the marker is gone
    expect(world.boot().lists.givenUp.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.ended]);
    expect(world.boot().lists.givenUp.count).toBe(0);
  });

  test("a waiting message that can no longer be read, so that its lane goes on", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.accept("a", "two");
    world.db.sql.prepare(`UPDATE inbound_journal SET event_json = '{' WHERE seq = 1`).run();
    world.boot();
    await world.settle("a");
    expect(world.texts()).toEqual([givenUp.unreadable, "re two"]);
  });
});

describe("the breaker", () => {
  /** A lane with a cut turn and a message behind it, after a start that tripped. */
  async function held(): Promise<RecoveryWorld> {
    const world = recoveryWorld({ maxRestarts: 2 });
    await world.accept("a", "one");
    await started(world);
    await world.accept("a", "two");
    expect(world.boot().lists.resumed.count).toBe(1);
    expect(world.boot().lists.held.count).toBe(1); // it died before the resume began
    expect(await world.start("a")).toBeNull();
    return world;
  }

  test("stops the session, with what waits behind its turn; other lanes go on", async () => {
    const world = await held();
    await world.accept("b", "fine");
    await world.settle("a", "b");
    expect(world.texts()).toEqual(["re fine"]);
    expect(row(world)).toMatchObject({ resumePending: 1, resumeHeldAt: world.clock.nowMs() });
  });

  test("for this start only: the next one takes it up, in order", async () => {
    const world = await held();
    world.clock.advance(301_000);
    expect(world.boot().lists.resumed.count).toBe(1);
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two"]);
  });

  test("until it is released by hand", async () => {
    const world = await held();
    await world.recoverNow();
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two"]);
    expect(row(world).resumeHeldAt).toBeNull();
  });

  test("until somebody writes: their message is answered after what came before it", async () => {
    const world = await held();
    await world.accept("a", "three");
    await world.settle("a");
    expect(world.texts()).toEqual(["re one", "re two", "re three"]);
  });

  test("too old when the next start comes: told, and still taken up when somebody writes", async () => {
    const world = await held();
    world.clock.advance(hourMs + 1);
    expect(world.boot().lists.givenUp.count).toBe(1);
    await world.deliver("a");
    expect(world.texts()).toEqual([givenUp.stale]);
    expect(world.boot().lists.givenUp.count).toBe(0);
    await world.accept("a", "three");
    await world.settle("a");
    expect(world.texts().slice(1)).toEqual(["re one", "re two", "re three"]);
  });
});

describe("a record that cannot be read", () => {
  test("costs its lane, never the start", async () => {
    const world = recoveryWorld();
    for (const chat of ["a", "b"]) {
      await world.accept(chat, chat);
      await started(world, chat);
    }
    world.db.sql.prepare(`UPDATE inbound_journal SET event_json = '{' WHERE seq = 1`).run();
    const unreadable: string[] = [];
    const { lists } = world.boot({ onUnreadable: (key) => unreadable.push(key) });
    expect(unreadable).toEqual([world.key("a")]);
    expect(lists).toMatchObject({ resumed: { count: 1 }, held: { count: 1 } });
    await world.settle("b");
    expect(world.texts()).toEqual(["re b"]);
  });
});

describe("recovery by hand", () => {
  test("says first what it would do, and changes nothing", async () => {
    const world = recoveryWorld({ maxRestarts: 1 });
    await world.accept("a", "one");
    await started(world);
    world.boot();
    const held = row(world);
    const { lists } = await world.recoverNow({ apply: false });
    expect(lists.resumed.count).toBe(1);
    expect(row(world)).toEqual(held);
    expect(await world.start("a")).toBeNull();
    await world.recoverNow();
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });

  test("never takes a reply from the process that is sending it", async () => {
    const world = recoveryWorld();
    await world.accept("a", "one");
    await world.finish(await started(world));
    const sent = await attempted(world);
    await world.recoverNow({ isPaying: () => true });
    world.arrive(sent);
    await world.record(sent, { kind: "delivered", remoteId: null });
    await world.settle("a");
    expect(world.texts()).toEqual(["re one"]);
  });
});

describe("set clocks between stop and start change no verdict (lifecycle 20.4)", () => {
  test.each([10 * 24 * hourMs, -10 * 24 * hourMs])("by %i ms", async (stepMs) => {
    const world = recoveryWorld();
    await world.accept("a", "cut");
    await started(world, "a");
    await world.accept("b", "parked");
    await world.finish(await started(world, "b"), {
      outcome: "parked",
      because: "shutdown_timeout",
    });
    await world.accept("c", "owed");
    await world.finish(await started(world, "c"));
    world.clock.advance(1_000);
    world.clock.setWall(world.clock.nowMs() + stepMs);
    const { lists } = world.boot();
    expect(lists).toMatchObject({
      resumed: { count: 2 },
      sentPlain: { count: 1 },
      givenUp: { count: 0 },
      abandoned: { count: 0 },
    });
  });
});
