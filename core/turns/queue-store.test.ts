import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recoveryWorld } from "../testing/recovery-world.ts";
import type { RecoveryWorld } from "../testing/recovery-world.ts";
import type { StartedTurn } from "./turn-start.ts";

const chat = "a";

/** The lane as a person thinks of it: what runs, and what waits in order. */
class Model {
  running: string | null = null;
  waiting: string[] = [];
  removed: string[] = [];
  /** False after `/stop`: what waits then waits for the next message (lifecycle 12.8). */
  nextUp = true;
  answered: string[] = [];
}

/** The real lane beside it. */
class Real {
  readonly world: RecoveryWorld = recoveryWorld();
  turn: StartedTurn | null = null;
  count = 0;
  constructor() {
    this.world.boot();
  }

  names(): string[] {
    const { inbox, directory } = this.world.stores;
    void directory;
    return inbox.waiting(this.world.key(chat)).map(({ eventJson, platformMessageId }) => {
      const event = JSON.parse(eventJson) as { reply_to?: string };
      return platformMessageId ?? `again ${event.reply_to ?? ""}`;
    });
  }
  idOf(name: string): number {
    const found = this.world.db.sql
      .prepare<[string], { seq: number }>(
        `SELECT seq FROM inbound_journal WHERE platform_message_id = ?`,
      )
      .get(name);
    return found?.seq ?? 0;
  }
}

type Command = fc.AsyncCommand<Model, Real>;

function agrees(model: Model, real: Real): void {
  expect(real.names()).toEqual(model.waiting);
  const { inbox, directory } = real.world.stores;
  const key = real.world.key(chat);
  const row = directory.routing.get(key);
  if (!row) return;
  expect(row.queueDepth).toBe(model.waiting.length);
  expect(inbox.slot(key) !== undefined).toBe(model.nextUp && model.waiting.length > 0);
  const slots = inbox.waiting(key).filter(({ place }) => place === "slot");
  expect(slots.length).toBeLessThanOrEqual(1);
}

const settleRow = (real: Real): void => {
  const { inbox, directory } = real.world.stores;
  const key = real.world.key(chat);
  directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
};

class Accept implements Command {
  readonly queue: boolean;
  constructor(queue: boolean) {
    this.queue = queue;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const name = `m${(real.count += 1)}`;
    await real.world.accept(chat, name, this.queue ? "queue" : "message");
    model.waiting.push(name);
    model.nextUp = true; // rescue: the oldest left-over is next (lifecycle 12.2)
    agrees(model, real);
  }
  toString = () => (this.queue ? "queue" : "accept");
}

class Start implements Command {
  check = (model: Readonly<Model>) => model.running === null;
  async run(model: Model, real: Real): Promise<void> {
    real.turn = await real.world.start(chat);
    const next = model.nextUp ? (model.waiting.shift() ?? null) : null;
    model.running = next;
    model.nextUp = true;
    if (next === null && model.waiting.length > 0) model.nextUp = false;
    expect(
      real.turn?.message.messageId ?? (real.turn ? `again ${real.turn.message.replyTo}` : null),
    ).toBe(next);
    agrees(model, real);
  }
  toString = () => "start";
}

class Finish implements Command {
  check = (model: Readonly<Model>) => model.running !== null;
  async run(model: Model, real: Real): Promise<void> {
    if (real.turn) await real.world.finish(real.turn);
    real.turn = null;
    model.answered.push((model.running ?? "").replace("again ", ""));
    model.running = null;
    agrees(model, real);
  }
  toString = () => "finish";
}

class Remove implements Command {
  readonly nth: number;
  constructor(nth: number) {
    this.nth = nth;
  }
  check = (model: Readonly<Model>) => model.waiting.some((name) => !name.startsWith("again"));
  async run(model: Model, real: Real): Promise<void> {
    const own = model.waiting.filter((name) => !name.startsWith("again"));
    const name = own[this.nth % own.length] ?? "";
    const { inbox } = real.world.stores;
    await real.world.db.write(() => {
      inbox.end(real.idOf(name), "removed", real.world.clock.nowMs());
      inbox.promote(real.world.key(chat));
      settleRow(real);
    });
    model.waiting = model.waiting.filter((one) => one !== name);
    model.removed.push(name);
    model.nextUp = true;
    agrees(model, real);
  }
  toString = () => `remove ${this.nth}`;
}

class Restore implements Command {
  readonly nth: number;
  constructor(nth: number) {
    this.nth = nth;
  }
  check = (model: Readonly<Model>) => model.removed.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const name = model.removed[this.nth % model.removed.length] ?? "";
    const { inbox, queues } = real.world.stores;
    const before = real.names();
    const wasNextUp = model.nextUp;
    await real.world.db.write(() => {
      expect(queues.restore(real.idOf(name))).toBe(true);
      inbox.promote(real.world.key(chat));
      settleRow(real);
    });
    model.removed = model.removed.filter((one) => one !== name);
    model.nextUp = true;
    // It is back among the others, which are as they were; what is next up stays so.
    const after = real.names();
    expect(after.filter((one) => one !== name)).toEqual(before);
    if (before.length > 0 && wasNextUp) expect(after[0]).toBe(before[0]);
    model.waiting = after;
    agrees(model, real);
    expect(queues.restore(real.idOf(name))).toBe(false);
  }
  toString = () => `restore ${this.nth}`;
}

class Move implements Command {
  readonly from: number;
  readonly before: number;
  constructor(from: number, before: number) {
    this.from = from;
    this.before = before;
  }
  check = (model: Readonly<Model>) => model.waiting.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const { waiting } = model;
    const name = waiting[this.from % waiting.length] ?? "";
    const goal = waiting[this.before % (waiting.length + 1)] ?? null;
    const isResume = (one: string | null): boolean => one?.startsWith("again") === true;
    const moved = await real.world.db.write(() =>
      real.world.stores.queues.move(
        real.world.key(chat),
        isResume(name)
          ? (real.world.stores.inbox.slot(real.world.key(chat))?.seq ?? 0)
          : real.idOf(name),
        goal === null
          ? null
          : isResume(goal)
            ? (real.world.stores.inbox.slot(real.world.key(chat))?.seq ?? 0)
            : real.idOf(goal),
      ),
    );
    if (isResume(name) || isResume(goal) || goal === name) {
      expect(moved).toBe(false);
    } else {
      const rest = waiting.filter((one) => one !== name);
      const at = goal === null ? rest.length : rest.indexOf(goal);
      model.waiting = [...rest.slice(0, at), name, ...rest.slice(at)];
    }
    agrees(model, real);
  }
  toString = () => `move ${this.from} before ${this.before}`;
}

/** `/stop`: the turn is cut, what is next up dropped, the rest waits for the next message. */
class Stop implements Command {
  check = (model: Readonly<Model>) => model.running !== null;
  async run(model: Model, real: Real): Promise<void> {
    const { inbox } = real.world.stores;
    const key = real.world.key(chat);
    await real.world.db.write(() => {
      const next = inbox.slot(key);
      if (next && next.kind !== "internal")
        inbox.end(next.seq, "dropped", real.world.clock.nowMs());
      inbox.promoteInternal(key);
      settleRow(real);
    });
    if (real.turn) await real.world.finish(real.turn, { outcome: "stopped" });
    real.turn = null;
    model.running = null;
    if (model.nextUp) model.waiting.shift();
    model.nextUp = false;
    agrees(model, real);
  }
  toString = () => "stop";
}

/** `/new`: everything that people sent is gone. */
class Reset implements Command {
  check = (model: Readonly<Model>) =>
    model.running === null && model.waiting.every((one) => !one.startsWith("again"));
  async run(model: Model, real: Real): Promise<void> {
    const { inbox, directory } = real.world.stores;
    const key = real.world.key(chat);
    if (!directory.routing.get(key)) return;
    await real.world.db.write(() => {
      for (const { seq } of inbox.waiting(key)) inbox.end(seq, "dropped", real.world.clock.nowMs());
      directory.reset(key, "person", null, real.world.clock.nowMs());
      settleRow(real);
    });
    model.waiting = [];
    model.nextUp = true;
    agrees(model, real);
  }
  toString = () => "reset";
}

class Restart implements Command {
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    real.turn = null;
    const { lists } = real.world.boot();
    if (lists.stuck.count > 0) {
      model.running = null; // three restarts in a row: given up, the others go on
    } else if (model.running !== null) {
      model.waiting.unshift(`again ${model.running.replace("again ", "")}`);
      model.running = null;
    }
    model.nextUp = true;
    agrees(model, real);
  }
  toString = () => "restart";
}

describe("a lane's queue", () => {
  test("does what a simple list does, whatever is asked of it and wherever it is killed", async () => {
    const commands = [
      fc.boolean().map((queue) => new Accept(queue)),
      fc.constant(new Start()),
      fc.constant(new Start()),
      fc.constant(new Finish()),
      fc.nat(9).map((nth) => new Remove(nth)),
      fc.nat(9).map((nth) => new Restore(nth)),
      fc.tuple(fc.nat(9), fc.nat(9)).map(([from, before]) => new Move(from, before)),
      fc.constant(new Stop()),
      fc.constant(new Reset()),
      fc.constant(new Restart()),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: "max" }), async (list) => {
        await fc.asyncModelRun(() => ({ model: new Model(), real: new Real() }), list);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("count in is turns out, in order (lifecycle 12.9)", async () => {
    const world = recoveryWorld();
    for (let n = 1; n <= 32; n += 1) await world.accept(chat, `q${n}`, "queue");
    await expect(world.accept(chat, "one too many", "queue")).rejects.toMatchObject({
      code: "E_QUEUE_FULL",
    });
    await world.settle(chat);
    expect(world.texts()).toEqual(Array.from({ length: 32 }, (_, n) => `re q${n + 1}`));
  });
});
