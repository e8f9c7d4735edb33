import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recoveryWorld } from "../testing/recovery-world.ts";
import type { RecoveryWorld, WorldOptions } from "../testing/recovery-world.ts";
import type { StartedTurn } from "../turns/turn-start.ts";

/** Everything that a gateway, its people, its operator and its platform do, one transaction at a time. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("accept" as const), queue: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant("start" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("finish" as const),
      how: fc.constantFrom("answered", "answered", "failed", "silent", "empty"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("attempt" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("outcome" as const),
      how: fc.constantFrom("delivered", "delivered", "rejected", "lost", "kept"),
      /** The platform has it, and the process dies before it hears so. */
      dies: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("stop" as const), cut: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("reset" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom("suspend" as const, "unsuspend" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("recover" as const) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom("kill" as const, "drain" as const) }) },
);
const steps = fc.array(fc.tuple(fc.constantFrom("a", "b"), step), {
  minLength: 5,
  maxLength: 60,
  size: "max",
});
const options = fc.record<WorldOptions>({
  policy: fc.constantFrom("redeliver", "ask"),
  idempotent: fc.boolean(),
  maxRestarts: fc.constantFrom(0, 0, 3),
});
type Step = { act: string; queue?: boolean; how?: string; dies?: boolean; cut?: boolean };

/** Plays steps on a world; what is in memory only is gone with every kill. */
class Play {
  readonly accepted: { chat: string; id: string }[] = [];
  readonly byOperator = new Set<string>();
  private readonly turns = new Map<string, StartedTurn>();
  private readonly sends = new Map<
    string,
    NonNullable<Awaited<ReturnType<RecoveryWorld["attempt"]>>>
  >();
  readonly world: RecoveryWorld;

  constructor(given: WorldOptions) {
    this.world = recoveryWorld(given);
    this.world.boot();
  }

  async do(chat: string, { act, queue, how, dies, cut }: Step): Promise<void> {
    const { world } = this;
    const turn = this.turns.get(chat);
    const sent = this.sends.get(chat);
    world.clock.advance(10);
    switch (act) {
      case "accept": {
        const id = `${chat}${this.accepted.length + 1}`;
        await world.accept(chat, id, queue === true ? "queue" : "message");
        this.accepted.push({ chat, id });
        return;
      }
      case "start": {
        if (turn) return;
        const begun = await world.start(chat);
        if (begun) this.turns.set(chat, begun);
        return;
      }
      case "finish": {
        if (!turn) return;
        this.turns.delete(chat);
        if (how === "failed")
          await world.finish(turn, {
            outcome: "failed",
            error: { code: "E_AGENT_FAILED", message: "It failed.", details: {} },
          });
        else
          await world.finish(
            turn,
            how === "silent" ? { text: "NO_REPLY" } : how === "empty" ? { text: "" } : {},
          );
        return;
      }
      case "attempt": {
        if (sent) return;
        const begun = await world.attempt(chat);
        if (begun) this.sends.set(chat, begun);
        return;
      }
      case "outcome": {
        if (!sent) return;
        this.sends.delete(chat);
        if (how === "delivered" || how === "kept") world.arrive(sent);
        if (dies === true) return this.kill();
        await world.record(
          sent,
          how === "delivered"
            ? { kind: "delivered", remoteId: null }
            : how === "rejected"
              ? { kind: "rejected", retryable: true, code: "x", reason: "Not now." }
              : { kind: "unknown", reason: "No answer." },
        );
        return;
      }
      case "stop":
        return this.stop(chat, cut === true);
      case "reset":
        return this.reset(chat);
      case "suspend":
      case "unsuspend": {
        const { directory } = world.stores;
        await world.db.write(() =>
          act === "suspend"
            ? directory.suspend(world.key(chat), "panel", null, world.clock.nowMs())
            : directory.unsuspend(world.key(chat)),
        );
        return;
      }
      case "recover": {
        if (this.turns.size === 0)
          await world.recoverNow({
            isPaying: (key) => [...this.sends.keys()].some((one) => world.key(one) === key),
          });
        return;
      }
      case "drain":
        for (const running of this.turns.values())
          await world.finish(running, { outcome: "parked", because: "shutdown_timeout" });
        return this.kill();
      case "kill":
        return this.kill();
    }
  }

  /** Gone is what was in memory; the next start finds what is on disk. */
  private kill(): void {
    this.turns.clear();
    this.sends.clear();
    this.world.boot();
  }

  private drop(chat: string, all: boolean): void {
    const { inbox } = this.world.stores;
    for (const item of inbox.waiting(this.world.key(chat)))
      if (item.kind !== "internal" && (all || item.place === "slot"))
        inbox.end(item.seq, "dropped", this.world.clock.nowMs());
    inbox.promoteInternal(this.world.key(chat));
  }

  /** A person's `/stop`: on disk first, then the cut; it may die in between. */
  private async stop(chat: string, cut: boolean): Promise<void> {
    const { world } = this;
    const turn = this.turns.get(chat);
    if (!turn) return;
    await world.db.write(() => {
      this.drop(chat, false);
      world.stores.turns.stopping(turn.turnId, "Stopped.", false);
    });
    if (!cut) return this.kill();
    this.turns.delete(chat);
    await world.finish(turn, { outcome: "stopped", because: "Stopped." });
  }

  /** A person's `/new`. */
  private async reset(chat: string): Promise<void> {
    const { world } = this;
    const turn = this.turns.get(chat);
    this.turns.delete(chat);
    if (turn) await world.finish(turn, { outcome: "stopped", because: "Reset." });
    await world.db.write(() => {
      this.drop(chat, true);
      world.stores.directory.reset(world.key(chat), "person", null, world.clock.nowMs());
    });
  }

  /** The last start, and everything comes to its end; what may have arrived the operator looks up. */
  async rest(): Promise<void> {
    const { world } = this;
    const { obligations } = world.stores;
    this.kill();
    world.clock.advance(301_000); // no chain of starts any more
    world.boot();
    for (let round = 0; round < 4; round += 1) {
      for (const chat of ["a", "b"]) {
        await world.db.write(() => world.stores.inbox.promote(world.key(chat)));
        await world.settle(chat);
      }
      for (const row of obligations.list({
        state: "unknown",
        key: null,
        before: 1e9,
        limit: 100,
      })) {
        const there = world.heard.some((copy) => copy.obligation === row.obligationId);
        if (!there) this.byOperator.add(row.obligationId);
        await world.db.write(() =>
          obligations.settle(
            row.obligationId,
            row.fence,
            there
              ? { state: "delivered" }
              : { state: "pending", labelled: "sent again by the operator" },
            world.clock.nowMs(),
            true,
          ),
        );
      }
    }
  }

  /** How each message ended, by the last turn that answered it. */
  outcome(id: string): string | null {
    const found = this.world.db.sql
      .prepare<[string], { outcome: string | null }>(
        `WITH RECURSIVE tries(turn_id, outcome, nth) AS (
           SELECT turn_id, outcome, 1 FROM inbound_journal WHERE platform_message_id = ?
           UNION ALL SELECT i.turn_id, i.outcome, nth + 1 FROM inbound_journal i JOIN tries t
             ON json_extract(i.event_json, '$.resume.turn_id') = t.turn_id)
         SELECT outcome FROM tries ORDER BY nth DESC LIMIT 1`,
      )
      .get(id);
    return found?.outcome ?? null;
  }
}

const isLabelled = (text: string): boolean => text.startsWith("♻️ Recovered reply");

function holds(play: Play): void {
  const { heard } = play.world;
  for (const { id } of play.accepted) {
    const mine = heard.filter(({ replyTo }) => replyTo === id);
    const outcome = play.outcome(id);
    const tookBack = outcome === "dropped" || outcome === "stopped";
    if (!tookBack)
      expect(mine.length, `${id} (${outcome}) was answered or told`).toBeGreaterThan(0);
    const replies = new Set(
      mine.flatMap((copy) => (copy.kind === "reply" ? [copy.obligation] : [])),
    );
    expect(replies.size, `${id} has one reply`).toBeLessThanOrEqual(1);
  }
  const seen = new Set<string>();
  for (const copy of heard) {
    if (seen.has(copy.obligation))
      expect(isLabelled(copy.text), `${copy.text} repeats itself`).toBe(true);
    seen.add(copy.obligation);
  }
  for (const chat of ["a", "b"]) {
    const order = play.accepted.flatMap(({ chat: lane, id }) => {
      const at = heard.findIndex(({ replyTo }) => replyTo === id);
      const copy = heard[at];
      return lane === chat && copy && !play.byOperator.has(copy.obligation) ? [at] : [];
    });
    expect(order, `lane ${chat} in order`).toEqual(order.toSorted((x, y) => x - y));
  }
}

describe("the promise (architecture)", () => {
  test("whatever is done, wherever it is killed: answered once, or repeated with a label, or told; in order", async () => {
    await fc.assert(
      fc.asyncProperty(options, steps, async (given, list) => {
        const play = new Play(given);
        for (const [chat, one] of list) await play.do(chat, one);
        await play.rest();
        holds(play);
      }),
      { numRuns: 80 },
    );
  }, 60_000);

  test("a second start finds nothing more to do, and tells nobody twice", async () => {
    await fc.assert(
      fc.asyncProperty(options, steps, async (given, list) => {
        const play = new Play({ ...given, maxRestarts: 0 });
        for (const [chat, one] of list) await play.do(chat, one);
        const { world } = play;
        world.boot();
        const facts = () => [
          world.stores.obligations
            .open()
            .map(({ obligationId, state, recovered }) => ({ obligationId, state, recovered })),
          ["a", "b"].map((chat) =>
            world.stores.inbox.waiting(world.key(chat)).map(({ seq, place }) => ({ seq, place })),
          ),
          ["a", "b"].map((chat) => world.stores.directory.routing.get(world.key(chat))),
        ];
        const once = facts();
        world.boot();
        expect(facts()).toEqual(once);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test("a start that is killed anywhere inside its transaction begins from the same facts", async () => {
    await fc.assert(
      fc.asyncProperty(options, steps, fc.nat(20), async (given, list, nth) => {
        const play = new Play({ ...given, maxRestarts: 0 });
        for (const [chat, one] of list) await play.do(chat, one);
        const { world } = play;
        const dump = () =>
          ["inbound_journal", "turns", "delivery_obligations", "gateway_routing", "messages"].map(
            (table) => world.db.sql.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all(),
          );
        const before = dump();
        const { obligations } = world.stores;
        let left = nth;
        const settle = obligations.settle;
        const dying = (...given: Parameters<typeof settle>): boolean => {
          left -= 1;
          if (left < 0) throw new Error("killed");
          return settle(...given);
        };
        Object.assign(obligations, { settle: dying });
        let died = false;
        try {
          world.boot();
        } catch {
          died = true;
        }
        Object.assign(obligations, { settle });
        if (!died) return;
        expect(dump()).toEqual(before);
        await play.rest();
        holds(play);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
