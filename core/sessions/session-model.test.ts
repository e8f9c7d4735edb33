import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { planCompaction } from "../transcripts/compaction-plan.ts";
import { rewindTarget } from "../transcripts/human-turns.ts";
import { sessionDirectory } from "./session-directory.ts";
import type { SessionDirectory } from "./session-directory.ts";

/**
 * Every sequence of operations on the store equals a simple model of it, restarts included. The model knows conversations
 * as lists of words; what the store calls them is learned from the store.
 */
const lanes = ["a", "b"] as const;
type LaneName = (typeof lanes)[number];
const originOf = (lane: LaneName) => laneOrigin(dmSource(lane, { userId: "same person" }));

type Row = {
  role: "user" | "assistant" | "system";
  text: string;
  state: "live" | "archived" | "out";
};

interface Conversation {
  rows: Row[];
  /** Null while a lane may come back to it by itself. */
  ended: string | null;
  parent: Conversation | null;
  /** The lane that it is filed under. */
  lane: LaneName;
  /** When it last became current. */
  since: number;
  continuedBy: Conversation | null;
  id: SessionId | null;
  rewinds: number;
  lastRewind: { rows: Row[]; seq: number; length: number } | null;
}

interface ModelLane {
  at: Conversation;
  suspended: boolean;
  resumePending: boolean;
}

interface Model {
  lanes: Map<LaneName, ModelLane>;
  all: Conversation[];
  now: number;
}

interface Real {
  directory: SessionDirectory;
  now: number;
  run<T>(work: () => T): T;
  restart(): Promise<void>;
}

const accidental = new Set(["agent_close", "ws_orphan_reap"]);
const fences = new Set(["session_reset", "session_switch", "suspended"]);
const keyOf = (lane: LaneName): SessionKey => originOf(lane).key;

function begin(
  model: Model,
  lane: LaneName,
  parent: Conversation | null,
  rows: Row[] = [],
): Conversation {
  const conversation: Conversation = {
    rows,
    ended: null,
    parent,
    lane,
    since: model.now,
    continuedBy: null,
    id: null,
    rewinds: 0,
    lastRewind: null,
  };
  model.all.push(conversation);
  return conversation;
}

const tip = (conversation: Conversation): Conversation =>
  conversation.ended === "compression" && conversation.continuedBy
    ? tip(conversation.continuedBy)
    : conversation;

/** What a lost or stale route comes back to. */
function lost(model: Model, lane: LaneName): Conversation | undefined {
  const own = model.all.filter((one) => one.lane === lane);
  const fence = Math.max(
    0,
    ...own.flatMap((one) => (one.ended !== null && fences.has(one.ended) ? [endedAt(one)] : [])),
  );
  return own
    .filter(
      (one) =>
        (one.ended === null || accidental.has(one.ended)) &&
        one.rows.some((row) => row.state !== "out") &&
        one.since >= fence,
    )
    .toSorted((a, b) => b.since - a.since)[0];
}

const ends = new WeakMap<Conversation, number>();
const endedAt = (one: Conversation): number => ends.get(one) ?? 0;
function end(model: Model, one: Conversation, reason: string): void {
  const promotes = reason === "session_reset" || reason === "suspended";
  if (one.ended !== null && !(promotes && accidental.has(one.ended))) return;
  one.ended = reason;
  ends.set(one, model.now);
}

/** The lane leaves a conversation: it ends, unless another lane is in it. */
function leave(model: Model, lane: LaneName, one: Conversation, reason: string): void {
  const other = [...model.lanes].find(([name, at]) => name !== lane && at.at === one);
  if (other) one.lane = other[0];
  else end(model, one, reason);
}

function cross(model: Model, lane: LaneName, to: Conversation, reason: string): void {
  const at = model.lanes.get(lane);
  if (!at) return;
  const from = at.at;
  model.lanes.set(lane, { at: to, suspended: false, resumePending: false });
  leave(model, lane, from, reason);
}

/** The access of a turn (lifecycle 3.3) in the model. */
function access(model: Model, lane: LaneName): Conversation {
  const at = model.lanes.get(lane);
  if (at?.suspended) {
    const fresh = begin(model, lane, at.at);
    cross(model, lane, fresh, "suspended");
    return fresh;
  }
  if (at) {
    at.at = tip(at.at);
    if (at.at.ended === null) return at.at;
  }
  const found = lost(model, lane);
  if (found && at?.at === found) {
    found.ended = null;
    return found;
  }
  if (found) found.ended = null;
  const to = found ?? begin(model, lane, null);
  model.lanes.set(lane, { at: to, suspended: false, resumePending: false });
  return to;
}

const liveOf = (one: Conversation): string[] => {
  const live = one.rows.filter((row) => row.state === "live");
  return [
    ...live.filter((row) => row.role === "system"),
    ...live.filter((row) => row.role !== "system"),
  ].map((row) => row.text);
};

type Command = fc.AsyncCommand<Model, Real>;

abstract class Op {
  readonly lane: LaneName;
  constructor(lane: LaneName) {
    this.lane = lane;
  }
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  abstract act(model: Model, real: Real): Promise<void> | void;
  async run(model: Model, real: Real): Promise<void> {
    model.now += 1_000;
    real.now = model.now;
    await this.act(model, real);
    compare(model, real);
  }
}

let said = 0;

class Say extends Op {
  act(model: Model, real: Real): void {
    said += 1;
    const text = `question ${said}`;
    const one = access(model, this.lane);
    one.rows.push(
      { role: "user", text, state: "live" },
      { role: "assistant", text: `answer ${said}`, state: "live" },
    );
    real.run(() => {
      const { row } = real.directory.open(originOf(this.lane), true, real.now);
      one.id ??= row.sessionId;
      const { messages } = real.directory;
      const at = { sessionId: row.sessionId, timestamp: real.now, turnId: `t${said}` };
      messages.append({ ...at, role: "user", content: text });
      messages.append({ ...at, role: "assistant", content: `answer ${said}` });
    });
  }
  override toString(): string {
    return `say(${this.lane})`;
  }
}

class Reset extends Op {
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    if (!at) return;
    const fresh = begin(model, this.lane, at.at);
    cross(model, this.lane, fresh, "session_reset");
    real.run(() => {
      const done = real.directory.reset(keyOf(this.lane), "model", null, real.now);
      fresh.id = done?.row.sessionId ?? null;
    });
  }
  override toString(): string {
    return `reset(${this.lane})`;
  }
}

class Flag extends Op {
  readonly flag: "suspend" | "unsuspend" | "resumePending";
  constructor(lane: LaneName, flag: Flag["flag"]) {
    super(lane);
    this.flag = flag;
  }
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    if (!at) return;
    const key = keyOf(this.lane);
    if (this.flag === "resumePending") {
      at.resumePending = true;
      real.run(() => real.directory.routing.patch(key, { resumePending: 1 }));
      return;
    }
    const on = this.flag === "suspend";
    const changed = real.run(() =>
      on ? real.directory.suspend(key, "model", null, real.now) : real.directory.unsuspend(key),
    );
    expect(changed).toBe(at.suspended !== on);
    at.suspended = on;
  }
  override toString(): string {
    return `${this.flag}(${this.lane})`;
  }
}

class Switch extends Op {
  readonly nth: number;
  constructor(lane: LaneName, nth: number) {
    super(lane);
    this.nth = nth;
  }
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane) && model.all.some((one) => one.id !== null);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    const known = model.all.filter((one) => one.id !== null);
    const wanted = known[this.nth % known.length];
    if (!at || !wanted) return;
    const to = tip(wanted);
    const id = real.directory.lineage.tip(wanted.id as SessionId);
    expect(id).toBe(to.id);
    real.run(() => {
      const done = real.directory.switchTo(keyOf(this.lane), id, "model", real.now);
      expect(done?.changed).toBe(at.at !== to);
    });
    if (at.at === to) return;
    cross(model, this.lane, to, "session_switch");
    to.ended = null;
    to.since = model.now;
    for (
      let link: Conversation | null = to;
      link;
      link = link.parent?.continuedBy === link ? link.parent : null
    )
      link.lane = this.lane;
    to.lastRewind = stillLast(to);
  }
  override toString(): string {
    return `switch(${this.lane}, ${this.nth})`;
  }
}

class Branch extends Op {
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    if (!at) return;
    at.at = tip(at.at);
    const copied = at.at.rows.filter((row) => row.state === "live").map((row) => ({ ...row }));
    const copy = begin(model, this.lane, at.at, copied);
    cross(model, this.lane, copy, "session_switch");
    real.run(() => {
      real.directory.follow(keyOf(this.lane));
      copy.id =
        real.directory.branch(keyOf(this.lane), null, "model", real.now)?.row.sessionId ?? null;
    });
  }
  override toString(): string {
    return `branch(${this.lane})`;
  }
}

const stillLast = (one: Conversation): Conversation["lastRewind"] =>
  one.lastRewind?.length === one.rows.length ? one.lastRewind : null;

class Rewind extends Op {
  readonly turns: number;
  constructor(lane: LaneName, turns: number) {
    super(lane);
    this.turns = turns;
  }
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    if (!at) return;
    at.at = tip(at.at);
    const one = at.at;
    const live = one.rows.filter((row) => row.state === "live" && row.role !== "system");
    const starts = live.flatMap((row, index) => (row.role === "user" ? [index] : []));
    const from = starts[Math.max(0, starts.length - this.turns)];
    real.run(() => {
      real.directory.follow(keyOf(this.lane));
      const id = real.directory.routing.get(keyOf(this.lane))?.sessionId as SessionId;
      const target = rewindTarget(real.directory.messages.live(id), this.turns);
      expect(target === null).toBe(from === undefined);
      if (!target || from === undefined) return;
      const given = { kind: "rewind" as const, by: "model", ...target };
      const done = real.directory.rewind(keyOf(this.lane), given, real.now);
      const gone = live.slice(from);
      expect(done?.rows).toBe(gone.length);
      for (const row of gone) row.state = "out";
      one.rewinds += 1;
      one.lastRewind = { rows: gone, seq: done?.edit ?? 0, length: one.rows.length };
    });
  }
  override toString(): string {
    return `rewind(${this.lane}, ${this.turns})`;
  }
}

class Restore extends Op {
  override check(model: Readonly<Model>): boolean {
    const at = model.lanes.get(this.lane);
    return at?.at.lastRewind != null;
  }
  act(model: Model, real: Real): void {
    const one = model.lanes.get(this.lane)?.at;
    const last = one?.lastRewind;
    if (!one || !last) return;
    const may = one.rows.length === last.length;
    const restore = (): unknown =>
      real.run(() => real.directory.restore(keyOf(this.lane), last.seq, real.now));
    if (!may) {
      expect(restore).toThrow(/moved on/);
      return;
    }
    restore();
    for (const row of last.rows) row.state = "live";
    one.lastRewind = null;
  }
  override toString(): string {
    return `restore(${this.lane})`;
  }
}

class Compress extends Op {
  readonly keep: number;
  readonly rotates: boolean;
  constructor(lane: LaneName, keep: number, rotates: boolean) {
    super(lane);
    this.keep = keep;
    this.rotates = rotates;
  }
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const key = keyOf(this.lane);
    const at = model.lanes.get(this.lane);
    if (!at) return;
    at.at = tip(at.at);
    const one = at.at;
    real.run(() => {
      real.directory.follow(key);
      const row = real.directory.routing.get(key);
      if (!row) throw new Error("no lane");
      const plan = planCompaction(real.directory.messages.live(row.sessionId), this.keep);
      if (plan.kind !== "compact") return;
      said += 1;
      const summary = `summary ${said}`;
      const archived = plan.archive.filter((message) => message.role !== "boundary").length;
      const given = { by: "model", summary, archived, keepFrom: plan.keepFrom };
      const text = `Summary of the conversation so far (${archived} messages):\n\n${summary}`;
      const live = one.rows.filter((message) => message.state === "live");
      const spoken = live.filter((message) => message.role !== "system");
      const starts = spoken.flatMap((message, index) => (message.role === "user" ? [index] : []));
      const cut =
        this.keep === 0
          ? spoken.length
          : (starts[Math.max(0, starts.length - this.keep)] ?? spoken.length);
      const kept = spoken.slice(cut);
      if (this.rotates) {
        const child = begin(model, this.lane, one, [
          { role: "system", text, state: "live" },
          ...kept.map((message) => ({ ...message })),
        ]);
        const done = real.directory.rotate(row, given, real.now);
        child.id = done.child;
        end(model, one, "compression");
        one.continuedBy = child;
        for (const lane of model.lanes.values()) if (lane.at === one) lane.at = child;
      } else {
        real.directory.compact(row.sessionId, given, real.now);
        for (const message of live) if (!kept.includes(message)) message.state = "archived";
        one.rows.push({ role: "system", text, state: "live" });
      }
    });
  }
  override toString(): string {
    return `compress(${this.lane}, ${this.keep}, ${this.rotates ? "rotation" : "in place"})`;
  }
}

class Accident extends Op {
  readonly what: "close" | "lose the route";
  constructor(lane: LaneName, what: Accident["what"]) {
    super(lane);
    this.what = what;
  }
  override check(model: Readonly<Model>): boolean {
    return model.lanes.has(this.lane);
  }
  act(model: Model, real: Real): void {
    const at = model.lanes.get(this.lane);
    if (!at) return;
    const key = keyOf(this.lane);
    if (this.what === "close") {
      end(model, at.at, "agent_close");
      real.run(() =>
        real.directory.incarnations.end(at.at.id as SessionId, "agent_close", real.now),
      );
    } else {
      model.lanes.delete(this.lane);
      real.run(() => {
        real.directory.routing.remove(key);
      });
    }
  }
  override toString(): string {
    return `${this.what}(${this.lane})`;
  }
}

class Restart extends Op {
  act(_model: Model, real: Real): Promise<void> {
    return real.restart();
  }
  override toString(): string {
    return "restart";
  }
}

function compare(model: Model, { directory }: Real): void {
  for (const name of lanes) {
    const at = model.lanes.get(name);
    const row = directory.routing.get(keyOf(name));
    expect(row === undefined).toBe(at === undefined);
    if (!at || !row) continue;
    expect(row.sessionId).toBe(at.at.id);
    expect([row.suspended, row.resumePending]).toEqual([
      Number(at.suspended),
      Number(at.resumePending),
    ]);
  }
  for (const one of model.all) {
    if (one.id === null) continue;
    const stored = directory.incarnations.get(one.id);
    expect(stored?.endReason ?? null).toBe(one.ended);
    expect(stored?.rewindCount).toBe(one.rewinds);
    expect(stored?.parentSessionId ?? null).toBe(one.parent?.id ?? null);
    expect(stored?.sessionKey).toBe(keyOf(one.lane));
    const live = directory.messages.live(one.id).filter((row) => row.role !== "boundary");
    expect(live.map((row) => row.text)).toEqual(liveOf(one));
    expect(stored?.messageCount).toBe(one.rows.filter((row) => row.state !== "out").length);
  }
}

const lane = fc.constantFrom(...lanes);
const commands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 6 }, () => lane.map((name) => new Say(name))), // most of what happens is talk
  lane.map((name) => new Reset(name)),
  fc
    .tuple(
      lane,
      fc.constantFrom("suspend" as const, "unsuspend" as const, "resumePending" as const),
    )
    .map(([name, flag]) => new Flag(name, flag)),
  fc.tuple(lane, fc.nat(20)).map(([name, nth]) => new Switch(name, nth)),
  lane.map((name) => new Branch(name)),
  fc.tuple(lane, fc.integer({ min: 1, max: 3 })).map(([name, turns]) => new Rewind(name, turns)),
  lane.map((name) => new Restore(name)),
  fc
    .tuple(lane, fc.nat(2), fc.boolean())
    .map(([name, keep, rotates]) => new Compress(name, keep, rotates)),
  fc
    .tuple(lane, fc.constantFrom("close" as const, "lose the route" as const))
    .map(([name, what]) => new Accident(name, what)),
  fc.constant(new Restart("a")),
];

test("every sequence of operations equals the model", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: "max" }), async (sequence) => {
      const file = join(tempDir(), "state.db");
      let db = openDatabase(file, silentLog);
      const real: Real = {
        directory: sessionDirectory(db),
        now: 0,
        run: (work) => db.writeNow(work),
        async restart() {
          await db.close();
          db = openDatabase(file, silentLog);
          real.directory = sessionDirectory(db);
        },
      };
      const setup = (): { model: Model; real: Real } => ({
        model: { lanes: new Map(), all: [], now: Date.UTC(2026, 0, 1) },
        real,
      });
      try {
        await fc.asyncModelRun(setup, sequence);
      } finally {
        await db.close();
      }
    }),
    { numRuns: 80 },
  );
});
