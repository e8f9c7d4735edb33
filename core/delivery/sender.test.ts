import { describe, expect, onTestFinished, test } from "vitest";
import type { SendOutcome } from "../channels/channel.ts";
import { SignalboxError } from "../contract/errors.ts";
import { silentLog } from "../log/log.ts";
import { dmSource, keyOf } from "../testing/samples.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { delivered, scriptedChannel } from "../testing/scripted-channel.ts";
import type { ScriptedChannel } from "../testing/scripted-channel.ts";
import { openStores } from "../compose/stores.ts";
import { testDatabase } from "../testing/test-database.ts";
import { testBus } from "../testing/test-intake.ts";
import { settle, until } from "../testing/until.ts";
import type { Debt, ObligationRow } from "./obligation-store.ts";
import { createSender } from "./sender.ts";
import type { DeliverySettings } from "./sender.ts";

const refused: SendOutcome = {
  kind: "rejected",
  retryable: true,
  code: "ECONNREFUSED",
  reason: "Nobody listens there.",
};
const unknown: SendOutcome = { kind: "unknown", reason: "No answer." };
const dayMs = 86_400_000;

function testSender(part: Partial<DeliverySettings> = {}, idempotentSend = false) {
  const db = testDatabase();
  const clock = manualClock();
  const { obligations } = openStores(db, clock);
  const channel: ScriptedChannel = scriptedChannel("test", { idempotentSend });
  const givenUp: string[] = [];
  let up = true;
  let refusals = 0;
  const sender = createSender({
    db: {
      ...db,
      write(work) {
        if (refusals === 0) return db.write(work);
        refusals -= 1;
        return Promise.reject(new SignalboxError("E_STORE_FULL", "The disk is full."));
      },
    },
    obligations,
    channel: () => (up ? channel : undefined),
    settings: () => ({ policy: "redeliver", staleMs: dayMs, retryMs: 30_000, ...part }),
    bus: testBus(),
    clock,
    log: silentLog,
    owner: { bootId: "boot", pid: 1 },
    attemptMs: 10_000,
    onSent: () => undefined,
    onGivenUp: (row, state) => givenUp.push(`${row.content}: ${state}`),
  });
  onTestFinished(() => sender.stop(0));
  const target = dmSource();
  const key = keyOf(target);
  let count = 0;
  return {
    db,
    clock,
    obligations,
    channel,
    sender,
    key,
    givenUp,
    setUp: (on: boolean) => {
      up = on;
    },
    /** The disk refuses the next writes. */
    refuseWrites: (times: number) => {
      refusals = times;
    },
    texts: () => channel.sent.map(({ text }) => text),
    async owe(content: string, more: Partial<Debt> = {}, maybeSent = false): Promise<string> {
      count += 1;
      const ref = `m${count}`;
      await db.write(() =>
        obligations.owe(
          {
            sessionKey: key,
            channelId: "test",
            target,
            content,
            kind: "reply",
            replyTo: ref,
            ref,
            messageId: null,
            turnId: null,
            ...more,
          },
          clock.nowMs(),
          maybeSent,
        ),
      );
      const row = obligations.list({ state: null, key: null, before: 1e9, limit: 1 })[0];
      return row?.obligationId ?? "";
    },
    row: (id: string): ObligationRow => {
      const row = obligations.get(id);
      if (!row) throw new Error("no such row");
      return row;
    },
    state: (id: string) =>
      until("a state", () => {
        const { state } = obligations.get(id) ?? {};
        return state === "delivered" || state === "unknown" || state === "abandoned" ? state : null;
      }),
  };
}

describe("paying debts", () => {
  test("in the order in which they are owed, one after the other", async () => {
    const { owe, sender, key, channel, texts, state } = testSender();
    let inFlight = 0;
    channel.answer = async () => {
      inFlight += 1;
      expect(inFlight).toBe(1);
      await settle(3);
      inFlight -= 1;
      return delivered;
    };
    const ids = [await owe("one"), await owe("two"), await owe("three")];
    sender.pump(key);
    sender.pump(key);
    for (const id of ids) expect(await state(id)).toBe("delivered");
    expect(texts()).toEqual(["one", "two", "three"]);
  });

  test("the attempt is on disk before the request leaves", async () => {
    const { owe, sender, key, channel, obligations, state } = testSender();
    const id = await owe("one");
    channel.answer = () => {
      expect(obligations.get(id)).toMatchObject({
        state: "attempting",
        attempts: 1,
        ownerBoot: "boot",
      });
      return delivered;
    };
    sender.pump(key);
    await state(id);
    expect(obligations.get(id)).toMatchObject({ state: "delivered", remoteId: "r1" });
  });

  test("what certainly did not arrive is tried again after its pause, and nothing overtakes it", async () => {
    const { owe, sender, key, channel, texts, clock, state } = testSender();
    channel.answer = () => refused;
    const first = await owe("one");
    await owe("two");
    sender.pump(key);
    await until("a try", () => texts().length === 1);
    await settle();
    clock.advance(29_999);
    await settle();
    expect(texts()).toEqual(["one"]);
    channel.answer = () => delivered;
    clock.advance(1);
    expect(await state(first)).toBe("delivered");
    await until("the next", () => texts().length === 3);
    expect(texts()).toEqual(["one", "one", "two"]);
  });

  test("what may have arrived goes once more with its label, and then a person decides", async () => {
    const { owe, sender, key, channel, texts, clock, state, givenUp } = testSender();
    channel.answer = () => unknown;
    const id = await owe("one");
    sender.pump(key);
    await until("a try", () => texts().length === 1);
    await settle();
    clock.advance(30_000);
    expect(await state(id)).toBe("unknown");
    expect(texts()).toEqual([
      "one",
      "♻️ Recovered reply (its first delivery was not confirmed; it may be a duplicate)\n\none",
    ]);
    expect(givenUp).toEqual(["one: unknown"]);
  });

  test("a platform that knows the key gets the same request again, without a label", async () => {
    const { owe, sender, key, channel, clock, state } = testSender({}, true);
    const answers = [unknown, delivered];
    channel.answer = () => answers.shift() ?? delivered;
    const id = await owe("one");
    sender.pump(key);
    await until("a try", () => channel.sent.length === 1);
    await settle();
    clock.advance(30_000);
    expect(await state(id)).toBe("delivered");
    const [first, second] = channel.sent;
    expect(second).toEqual(first);
  });

  test("a channel that is not up costs no attempt", async () => {
    const { owe, sender, key, setUp, row, state } = testSender();
    setUp(false);
    const id = await owe("one");
    sender.pump(key);
    await settle();
    expect(row(id)).toMatchObject({ state: "pending", attempts: 0 });
    setUp(true);
    sender.pumpAll();
    expect(await state(id)).toBe("delivered");
  });

  test("an attempt that takes too long is called off", async () => {
    const { owe, sender, key, channel, clock, state } = testSender({ policy: "ask" });
    channel.answer = (_message, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(unknown);
        });
      });
    const id = await owe("one");
    sender.pump(key);
    await until("it is sent", () => channel.sent.length === 1);
    clock.advance(10_000);
    expect(await state(id)).toBe("unknown");
  });

  test("a channel that throws may have sent it", async () => {
    const { owe, sender, key, channel, state } = testSender({ policy: "ask" });
    channel.answer = () => {
      throw new Error("a bug");
    };
    const id = await owe("one");
    sender.pump(key);
    expect(await state(id)).toBe("unknown");
  });
});

describe("many lanes", () => {
  test("send side by side, but never more than sixteen in one channel", async () => {
    const { owe, sender, channel, obligations } = testSender();
    let now = 0;
    let most = 0;
    channel.answer = async () => {
      now += 1;
      most = Math.max(most, now);
      await settle(3);
      now -= 1;
      return delivered;
    };
    for (let n = 0; n < 100; n += 1)
      await owe(`text ${n}`, { sessionKey: keyOf(dmSource(String(n))), ref: `many ${n}` });
    sender.pumpAll();
    await until("all of them", () => obligations.open().length === 0);
    expect(most).toBe(16);
    expect(channel.sent).toHaveLength(100);
  });
});

describe("age (field case 25)", () => {
  test("is looked at before each send: what is too old waits for a person", async () => {
    const { owe, sender, key, clock, texts, state, givenUp, db, obligations } = testSender({
      staleMs: 60_000,
    });
    const id = await owe("old news");
    clock.advance(60_001);
    const fresh = await owe("news");
    sender.pump(key);
    expect(await state(id)).toBe("abandoned");
    expect(await state(fresh)).toBe("delivered");
    expect(texts()).toEqual(["news"]);
    expect(givenUp).toEqual(["old news: abandoned"]);

    await db.write(() =>
      obligations.settle(id, 0, { state: "pending", released: true }, clock.nowMs(), true),
    );
    sender.pump(key);
    expect(await state(id)).toBe("delivered"); // a person wanted it, however old it is
    expect(texts()).toEqual(["news", "old news"]);
  });

  test("a clock that was set forward makes nothing stale", async () => {
    const { owe, sender, key, clock, state } = testSender();
    const id = await owe("one");
    clock.setWall(clock.nowMs() + 10 * dayMs);
    sender.pump(key);
    expect(await state(id)).toBe("delivered");
  });

  test("a clock that was set back does not stretch a pause", async () => {
    const { owe, sender, key, channel, clock, state } = testSender();
    channel.answer = () => refused;
    const id = await owe("one");
    sender.pump(key);
    await until("a try", () => channel.sent.length === 1);
    await settle();
    clock.setWall(clock.nowMs() - 10 * dayMs);
    channel.answer = () => delivered;
    clock.advance(30_000);
    expect(await state(id)).toBe("delivered");
  });

  test("a laptop that slept through a pause goes on at once when it is looked at", async () => {
    const { owe, sender, key, channel, clock, state } = testSender();
    channel.answer = () => refused;
    const id = await owe("one");
    sender.pump(key);
    await until("a try", () => channel.sent.length === 1);
    await settle();
    channel.answer = () => delivered;
    clock.setWall(clock.nowMs() + 3_600_000); // the monotonic clock stood still
    sender.pump(key);
    expect(await state(id)).toBe("delivered");
  });
});

describe("parts (decision 6)", () => {
  const inThree = (channel: ScriptedChannel): void => {
    channel.split = (text) => text.split("|").map((part) => part);
  };

  test("each is confirmed by itself; only unconfirmed ones are sent again, the first of them with the label", async () => {
    const { owe, sender, key, channel, clock, texts, state, row } = testSender();
    inThree(channel);
    const answers = [delivered, unknown, delivered, delivered];
    channel.answer = () => answers.shift() ?? delivered;
    const id = await owe("a|b|c");
    sender.pump(key);
    await until("two parts", () => texts().length === 2);
    await settle();
    expect(row(id)).toMatchObject({ partsDone: 1, partsTotal: 3, state: "failed" });
    clock.advance(30_000);
    expect(await state(id)).toBe("delivered");
    expect(texts().map((text) => text.replace(/^.*\n\n/s, "… "))).toEqual(["a", "b", "… b", "c"]);
    expect(channel.sent.map(({ part }) => part.number)).toEqual([1, 2, 2, 3]);
    expect(row(id)).toMatchObject({ partsDone: 3 });
  });

  test("each has a key of its own, the same for every attempt", async () => {
    const { owe, sender, key, channel, clock, state } = testSender({}, true);
    inThree(channel);
    const answers = [unknown, delivered, delivered, delivered];
    channel.answer = () => answers.shift() ?? delivered;
    const id = await owe("a|b|c");
    sender.pump(key);
    await until("one part", () => channel.sent.length === 1);
    await settle();
    clock.advance(30_000);
    await state(id);
    const keys = channel.sent.map((message) => message.idempotencyKey);
    expect(keys).toEqual([`${id}:1`, `${id}:1`, `${id}:2`, `${id}:3`]);
  });

  test("a text that is cut otherwise than before starts over, with the label", async () => {
    const { owe, sender, key, channel, clock, texts, state } = testSender();
    inThree(channel);
    const answers = [delivered, refused];
    channel.answer = () => answers.shift() ?? delivered;
    const id = await owe("a|b|c");
    sender.pump(key);
    await until("two parts", () => texts().length === 2);
    await settle();
    channel.split = (text) => [text];
    clock.advance(30_000);
    expect(await state(id)).toBe("delivered");
    expect(texts().at(-1)).toMatch(/^♻️ Recovered reply .*\n\na\|b\|c$/u);
  });
});

describe("a disk that refuses", () => {
  test("an outcome is kept until it can be written: nothing is sent twice", async () => {
    const { owe, sender, key, channel, clock, refuseWrites, state } = testSender();
    const id = await owe("one");
    channel.answer = () => {
      refuseWrites(2);
      return delivered;
    };
    sender.pump(key);
    await until("it is sent", () => channel.sent.length === 1);
    await settle();
    clock.advance(5_000);
    await settle();
    clock.advance(5_000);
    expect(await state(id)).toBe("delivered");
    expect(channel.sent).toHaveLength(1);
  });

  test("nothing leaves that is not on disk first", async () => {
    const { owe, sender, key, channel, clock, refuseWrites, state } = testSender();
    const id = await owe("one");
    refuseWrites(1);
    sender.pump(key);
    await settle();
    expect(channel.sent).toHaveLength(0);
    clock.advance(5_000);
    expect(await state(id)).toBe("delivered");
  });

  test("a row whose outcome is missing is left to the next start, and its lane does not spin", async () => {
    const { owe, sender, key, channel, row } = testSender();
    const id = await owe("one", {}, true); // as a crash leaves it
    sender.pump(key);
    await settle();
    expect(channel.sent).toHaveLength(0);
    expect(sender.isPaying(key)).toBe(false);
    expect(row(id).state).toBe("attempting");
  });
});

describe("stopping", () => {
  test("a send under way may end; nothing new begins", async () => {
    const { owe, sender, key, channel, row } = testSender();
    let confirm: (outcome: SendOutcome) => void = () => undefined;
    channel.answer = () =>
      new Promise((resolve) => {
        confirm = resolve;
      });
    const [first, second] = [await owe("one"), await owe("two")];
    sender.pump(key);
    await until("it is sent", () => channel.sent.length === 1);
    const stopped = sender.stop(5_000);
    confirm(delivered);
    await stopped;
    expect(row(first).state).toBe("delivered");
    expect(row(second).state).toBe("pending");
    expect(channel.sent).toHaveLength(1);
  });

  test("one that does not end is cut, and that is an outcome too", async () => {
    const { owe, sender, key, channel, clock, row } = testSender({ policy: "ask" });
    channel.answer = (_message, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(unknown);
        });
      });
    const id = await owe("one");
    sender.pump(key);
    await until("it is sent", () => channel.sent.length === 1);
    const stopped = sender.stop(5_000);
    clock.advance(5_000);
    await stopped;
    expect(row(id).state).toBe("unknown");
  });
});
