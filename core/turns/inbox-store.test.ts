import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionKey } from "../contract/ids.ts";
import { asTurnId } from "../contract/ids.ts";
import { refused } from "../testing/refused.ts";
import { dmSource, inbound, keyOf } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import { testIntake } from "../testing/test-intake.ts";
import type { InboundKind, NewInbound } from "./inbox-store.ts";
import { pendingCap } from "./intake.ts";

interface Item {
  seq: number;
  human: boolean;
}

/** The rules of lifecycle 12.2, 12.5 and 12.8 on plain lists. */
class Model {
  slot: Item | null = null;
  fifo: Item[] = [];
  readonly seen = new Map<string, number>();
  get waiting(): Item[] {
    return [...(this.slot ? [this.slot] : []), ...this.fifo];
  }
  get human(): number {
    return this.waiting.filter((item) => item.human).length;
  }
  promote(): void {
    this.slot ??= this.fifo.shift() ?? null;
  }
  accept(item: Item): void {
    this.promote(); // left-overs go first
    if (this.slot) this.fifo.push(item);
    else this.slot = item;
  }
  start(): Item | null {
    const started = this.slot;
    this.slot = null;
    if (started) this.promote();
    return started;
  }
  drop(all: boolean): void {
    if (this.slot?.human === true) this.slot = null;
    if (all) this.fifo = this.fifo.filter((item) => !item.human);
    const wake = this.fifo.find((item) => !item.human);
    if (this.slot || !wake) return;
    this.slot = wake;
    this.fifo = this.fifo.filter((item) => item !== wake);
  }
}

type Act =
  | { kind: "accept"; as: InboundKind; times: number }
  | { kind: "redeliver"; nth: number }
  | { kind: "start" }
  | { kind: "stop" }
  | { kind: "reset" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("accept" as const),
      as: fc.constantFrom("message", "queue", "internal"),
      times: fc.constantFrom(1, 1, 2, 12),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("redeliver" as const), nth: fc.nat(60) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("start" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("stop", "reset") }) },
);

describe("a lane's queue", () => {
  test("it follows the rules of slot, FIFO, promotion, rescue, cap and redelivery", async () => {
    const { db, intake, inbox, directory } = testIntake();
    let lane = 0;

    async function accept(model: Model, source: ReturnType<typeof dmSource>, as: InboundKind) {
      const human = as !== "internal";
      const message = inbound("hi", { source, ...(human ? {} : { internal: true }) });
      if (human && model.human >= pendingCap) {
        await expect(intake.accept(message, as)).rejects.toEqual(
          refused("E_QUEUE_FULL", { waiting: pendingCap }),
        );
        return;
      }
      const acceptance = await intake.accept(message, as);
      expect(acceptance).toMatchObject({ kind: "accepted", reply: null });
      model.accept({ seq: acceptance.inputId, human });
      model.seen.set(message.messageId ?? "", acceptance.inputId);
    }

    /** What `/stop` and `/reset` do to the queue. */
    const drop = (key: SessionKey, all: boolean) =>
      db.write(() => {
        for (const item of inbox.waiting(key))
          if (item.kind !== "internal" && (all || item.place === "slot"))
            expect(inbox.end(item.seq, "dropped", 9)).toBe(true);
        inbox.promoteInternal(key);
      });

    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        lane += 1;
        const source = dmSource(`lane ${lane}`);
        const key = keyOf(source);
        const model = new Model();
        let turn = 0;
        for (const one of acts) {
          switch (one.kind) {
            case "accept":
              for (let n = 0; n < one.times; n += 1) await accept(model, source, one.as);
              break;
            case "redeliver": {
              const [messageId, seq] =
                [...model.seen][one.nth % Math.max(1, model.seen.size)] ?? [];
              if (messageId === undefined || seq === undefined) break;
              const again = await intake.accept(inbound("again", { source, messageId }));
              expect(again).toEqual({ kind: "duplicate", key, inputId: seq });
              break;
            }
            case "start": {
              const next = inbox.slot(key);
              expect(next?.seq).toBe(model.start()?.seq);
              if (!next) break;
              turn += 1;
              const turnId = asTurnId(`${key} ${turn}`);
              await db.write(() => {
                inbox.start(next.seq, turnId, 1);
                inbox.promote(key);
                inbox.endTurn(turnId, "answered", 2);
              });
              break;
            }
            case "stop":
            case "reset":
              await drop(key, one.kind === "reset");
              model.drop(one.kind === "reset");
              break;
          }
          expect(inbox.waiting(key).map(({ seq }) => seq)).toEqual(
            model.waiting.map(({ seq }) => seq),
          );
          expect(inbox.slot(key)?.seq).toBe(model.slot?.seq);
          expect(inbox.depth(key)).toEqual({ depth: model.waiting.length, human: model.human });
          if (one.kind === "accept" && model.seen.size > 0)
            expect(directory.routing.get(key)?.queueDepth).toBe(model.waiting.length);
        }
      }),
      { numRuns: 60 },
    );
  }, 30_000);
});

describe("the inbox", () => {
  let nth = 0;
  const row = (key: SessionKey, part: Partial<NewInbound> = {}): NewInbound => {
    nth += 1;
    return {
      sessionKey: key,
      channelId: "test",
      chatRef: "chat",
      platformMessageId: `p${nth}`,
      senderRef: "ada",
      kind: "message",
      place: "slot",
      eventJson: "{}",
      acceptedAt: 100,
      ...part,
    };
  };
  const [a, b] = [keyOf(dmSource("a")), keyOf(dmSource("b"))];

  test("lanes that wait are told oldest message first", () => {
    const { inbox } = testStores();
    const first = inbox.insert(row(b));
    inbox.insert(row(a));
    inbox.insert(row(b, { place: "fifo" }));
    expect(inbox.waitingLanes()).toEqual([b, a]);
    inbox.end(first, "dropped", 1);
    expect(inbox.waitingLanes()).toEqual([a, b]);
  });

  test("what was taken out stays out, and a message ends once", () => {
    const { inbox } = testStores();
    const seq = inbox.insert(row(a));
    expect(inbox.end(seq, "dropped", 1)).toBe(true);
    expect(inbox.end(seq, "answered", 2)).toBe(false);
    inbox.endTurn(asTurnId("t"), "answered", 3);
    expect(inbox.depth(a)).toEqual({ depth: 0, human: 0 });
  });

  test("a turn ends what it began, and nothing else", () => {
    const { inbox } = testStores();
    const [mine, other] = [inbox.insert(row(a)), inbox.insert(row(b))];
    inbox.start(mine, asTurnId("t1"), 1);
    inbox.start(other, asTurnId("t2"), 1);
    inbox.endTurn(asTurnId("t1"), "answered", 2);
    expect(inbox.started().map(({ seq }) => seq)).toEqual([other]);
  });

  test("ended messages are remembered until they are pruned, oldest first and in bounded steps", () => {
    const { inbox } = testStores();
    for (const at of [30, 10, 20])
      inbox.end(inbox.insert(row(a, { platformMessageId: `at ${at}` })), "answered", at);
    const waits = inbox.insert(row(a, { acceptedAt: 1 }));
    expect(inbox.seen("chat", "at 10")).toBeDefined();
    expect(inbox.prune(25, 1)).toBe(1);
    expect(inbox.seen("chat", "at 10")).toBeUndefined();
    expect(inbox.seen("chat", "at 20")).toBeDefined();
    expect(inbox.prune(25, 100)).toBe(1);
    expect(inbox.waiting(a).map(({ seq }) => seq)).toEqual([waits]);
  });

  test("order holds when the newest rows have been pruned away", () => {
    const { inbox } = testStores();
    const first = inbox.insert(row(a, { place: "fifo" }));
    inbox.end(inbox.insert(row(a)), "answered", 1);
    inbox.prune(5, 100);
    const second = inbox.insert(row(a, { place: "fifo" }));
    expect(inbox.waiting(a).map(({ seq }) => seq)).toEqual([first, second]);
  });

  test("a platform's message is taken once a chat", () => {
    const { inbox } = testStores();
    inbox.insert(row(a, { platformMessageId: "1" }));
    expect(() => inbox.insert(row(a, { platformMessageId: "1" }))).toThrow(/UNIQUE/);
    inbox.insert(row(b, { chatRef: "other chat", platformMessageId: "1" }));
    inbox.insert(row(a, { platformMessageId: null }));
    inbox.insert(row(a, { platformMessageId: null }));
  });
});
