import { describe, expect, test } from "vitest";
import type { OutboundMessage, SendOutcome } from "../channels/channel.ts";
import type { SessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { dmSource, keyOf } from "../testing/samples.ts";
import { delivered, scriptedChannel } from "../testing/scripted-channel.ts";
import type { ScriptedChannel } from "../testing/scripted-channel.ts";
import { testStores } from "../testing/test-database.ts";
import { testBus } from "../testing/test-intake.ts";
import { settle, until } from "../testing/until.ts";
import { createSender } from "./sender.ts";
import type { DeliverySettings } from "./sender.ts";

const unknown: SendOutcome = { kind: "unknown", reason: "No answer." };
const later = { kind: "rejected", retryable: true, code: "x", reason: "Not now." } as const;
const never: SendOutcome = { kind: "rejected", retryable: false, code: "x", reason: "Blocked." };

function sending(
  part: Partial<DeliverySettings> = {},
  channel: ScriptedChannel = scriptedChannel(),
) {
  const stores = testStores();
  const { db, obligations } = stores;
  const clock = manualClock();
  let up = true;
  const givenUp: string[] = [];
  let sentCount = 0;
  const sender = createSender({
    db,
    obligations,
    channel: (id) => (up && id === channel.id ? channel : undefined),
    settings: () => ({ policy: "redeliver", staleMs: 86_400_000, retryMs: 30_000, ...part }),
    bus: testBus(),
    clock,
    log: silentLog,
    owner: { bootId: "boot", pid: 1 },
    attemptMs: 30_000,
    onSent: () => (sentCount += 1),
    onGivenUp: (_row, state, reason) => givenUp.push(`${state}: ${reason}`),
  });
  let nth = 0;
  return {
    ...stores,
    clock,
    channel,
    sender,
    givenUp,
    get sentCount() {
      return sentCount;
    },
    setUp(now: boolean): void {
      up = now;
    },
    /** A new debt to a chat, not yet looked at. */
    owe(chat: string, content: string, channelId = channel.id): SessionKey {
      nth += 1;
      const key = keyOf(dmSource(chat));
      db.writeNow(() =>
        obligations.owe(
          {
            sessionKey: key,
            channelId,
            target: dmSource(chat),
            content,
            kind: "reply",
            replyTo: `m${nth}`,
            ref: `m${nth}`,
            messageId: null,
            turnId: null,
          },
          clock.nowMs(),
        ),
      );
      return key;
    },
    texts: () => channel.sent.map(({ text }) => text),
    states: () =>
      obligations.list({ state: null, key: null, before: 9e9, limit: 99 }).map((row) => row.state),
  };
}

describe("delivering", () => {
  test("what a lane owes goes in order, one at a time; lanes do not wait for each other", async () => {
    const { owe, sender, channel, texts, states } = sending();
    const waiting: (() => void)[] = [];
    channel.answer = () =>
      new Promise((resolve) => {
        waiting.push(() => {
          resolve(delivered);
        });
      });
    const a = owe("a", "a1");
    owe("a", "a2");
    const b = owe("b", "b1");
    sender.pump(a);
    sender.pump(a);
    sender.pump(b);
    await until("the first of each", () => channel.sent.length === 2);
    await settle();
    expect(texts()).toEqual(["a1", "b1"]);
    waiting[0]?.();
    await until("the second", () => channel.sent.length === 3);
    expect(texts()).toEqual(["a1", "b1", "a2"]);
    for (const go of waiting) go();
    await until("all", () => states().every((state) => state === "delivered"));
  });

  test("the attempt is on disk before the request leaves, its outcome after", async () => {
    const { owe, sender, channel, obligations } = sending();
    const seen: unknown[] = [];
    channel.answer = ({ obligationId }) => {
      seen.push(obligations.get(obligationId));
      return delivered;
    };
    const key = owe("a", "hello");
    sender.pump(key);
    await until("its end", () => obligations.open().length === 0);
    expect(seen).toMatchObject([{ state: "attempting", attempts: 1, fence: 1, ownerBoot: "boot" }]);
    expect(obligations.list({ state: null, key, before: 9e9, limit: 9 })).toMatchObject([
      { state: "delivered", attempts: 1, remoteId: "r1", lastError: null },
    ]);
  });

  test("the platform is told where, what, in answer to what, and a key that never changes", async () => {
    const { owe, sender, channel, clock, obligations } = sending();
    const outcomes: SendOutcome[] = [later, delivered];
    channel.answer = () => outcomes.shift() ?? delivered;
    sender.pump(owe("a", "hello"));
    await until("the refusal", () => channel.sent.length === 1);
    await settle();
    clock.advance(30_000);
    await until("its end", () => obligations.open().length === 0);
    const [first, second] = channel.sent;
    expect(first).toEqual<OutboundMessage>({
      obligationId: first!.obligationId,
      key: keyOf(dmSource("a")),
      target: dmSource("a"),
      text: "hello",
      kind: "reply",
      replyTo: "m1",
      idempotencyKey: first!.obligationId,
      recovered: false,
      part: { number: 1, of: 1 },
    });
    expect(second).toEqual(first);
  });

  test("everything that is owed is looked at on demand", async () => {
    const send = sending();
    send.owe("a", "a1");
    send.owe("b", "b1");
    send.sender.pumpAll();
    await until("both", () => send.sentCount === 2);
  });
});

describe("when it is refused", () => {
  test("for now: it stays owed, holds back what follows, and is tried when its time has come", async () => {
    const { owe, sender, channel, texts, states, clock, givenUp } = sending();
    channel.answer = () => later;
    const key = owe("a", "a1");
    owe("a", "a2");
    sender.pump(key);
    await until("the refusal", () => channel.sent.length === 1);
    await settle();
    clock.advance(29_999);
    sender.pump(key); // nobody can hurry it
    await settle();
    expect(texts()).toEqual(["a1"]);
    channel.answer = () => delivered;
    clock.advance(1);
    await until("both", () => channel.sent.length === 3);
    await settle();
    expect(texts()).toEqual(["a1", "a1", "a2"]);
    expect(states()).toEqual(["delivered", "delivered"]);
    expect(givenUp).toEqual([]);
  });

  test("for good: it is given up, a person is told, and what follows goes on", async () => {
    const { owe, sender, channel, states, givenUp } = sending();
    channel.answer = ({ text }) => (text === "a1" ? never : delivered);
    const key = owe("a", "a1");
    owe("a", "a2");
    sender.pump(key);
    await until("both", () => channel.sent.length === 2);
    await settle();
    expect(states().toSorted()).toEqual(["abandoned", "delivered"]);
    expect(givenUp).toEqual(["abandoned: Blocked."]);
  });

  test("with a wait of its own: that one counts, and a clock set back does not lengthen it", async () => {
    const { owe, sender, channel, clock } = sending();
    channel.answer = () => ({ ...later, retryAfterMs: 60_000 });
    sender.pump(owe("a", "a1"));
    await until("the refusal", () => channel.sent.length === 1);
    await settle();
    clock.setWall(clock.nowMs() - 3_600_000);
    clock.advance(59_999);
    await settle();
    expect(channel.sent).toHaveLength(1);
    clock.advance(1);
    await until("the next", () => channel.sent.length === 2);
  });
});

describe("when nobody knows", () => {
  test("it goes once more, with its label, and then a person decides; what follows is not held back", async () => {
    const { owe, sender, channel, texts, states, clock, givenUp } = sending();
    channel.answer = ({ text }) => (text.includes("a1") ? unknown : delivered);
    const key = owe("a", "a1");
    owe("a", "a2");
    sender.pump(key);
    await until("the first", () => channel.sent.length === 1);
    await settle();
    clock.advance(30_000);
    await until("all", () => channel.sent.length === 3);
    await settle();
    expect(texts()[0]).toBe("a1");
    expect(texts()[1]).toMatch(/^♻️ Recovered reply \(.*may be a duplicate\)\n\na1$/);
    expect(texts()[2]).toBe("a2");
    expect(states().toSorted()).toEqual(["delivered", "unknown"]);
    expect(givenUp).toEqual(["unknown: No answer."]);
  });

  test("a person may be asked at once", async () => {
    const { owe, sender, channel, states, clock } = sending({ policy: "ask" });
    channel.answer = () => unknown;
    sender.pump(owe("a", "a1"));
    await until("it", () => states()[0] === "unknown");
    clock.advance(86_400_000);
    await settle();
    expect(channel.sent).toHaveLength(1);
  });

  test("where the platform knows the key it is simply repeated", async () => {
    const channel = scriptedChannel("test", { idempotentSend: true });
    const { owe, sender, clock, texts, states } = sending({ policy: "ask" }, channel);
    const outcomes = [unknown, unknown, delivered];
    channel.answer = () => outcomes.shift() ?? delivered;
    sender.pump(owe("a", "a1"));
    for (const wait of [30_000, 120_000]) {
      await until("an attempt", () => states()[0] === "failed");
      await settle();
      clock.advance(wait);
      await settle();
    }
    await until("its end", () => states()[0] === "delivered");
    expect(texts()).toEqual(["a1", "a1", "a1"]);
  });

  test("a channel that throws, or never answers, is such a case; its lane goes on", async () => {
    const { owe, sender, channel, states, clock } = sending({ policy: "ask" });
    channel.answer = ({ text }) => {
      if (text === "a1") throw new Error("bug");
      return text === "a2" ? new Promise<never>(() => undefined) : delivered;
    };
    const key = owe("a", "a1");
    owe("a", "a2");
    owe("a", "a3");
    sender.pump(key);
    await until("the second", () => channel.sent.length === 2);
    await settle();
    clock.advance(30_000); // the time of one attempt
    await settle();
    clock.advance(5_000);
    await until("the third", () => channel.sent.length === 3);
    await settle();
    expect(states().toSorted()).toEqual(["delivered", "unknown", "unknown"]);
  });
});

describe("when it cannot be sent now", () => {
  test("a channel that is down keeps what is owed and costs no attempt", async () => {
    const { owe, sender, channel, obligations, setUp } = sending();
    setUp(false);
    const key = owe("a", "a1");
    sender.pump(key);
    await settle();
    expect(obligations.next(key)).toMatchObject({ state: "pending", attempts: 0 });
    setUp(true);
    sender.pumpAll();
    await until("it", () => channel.sent.length === 1);
  });

  test("what is too old by then is given up", async () => {
    const { owe, sender, channel, clock, states, givenUp } = sending({ staleMs: 60_000 });
    const key = owe("a", "a1");
    clock.advance(60_001);
    sender.pump(key);
    await until("it", () => states()[0] === "abandoned");
    expect(channel.sent).toEqual([]);
    expect(givenUp).toHaveLength(1);
  });

  test("an attempt that the disk refuses to note does not leave", async () => {
    const { db, owe, sender, channel, clock } = sending();
    const key = owe("a", "a1");
    db.sql.pragma("query_only = ON");
    sender.pump(key);
    await settle();
    expect(channel.sent).toEqual([]);
    db.sql.pragma("query_only = OFF");
    clock.advance(5_000);
    await until("it", () => channel.sent.length === 1);
  });

  test("an outcome that the disk refuses is kept until it takes it: nothing is sent twice", async () => {
    const { db, owe, sender, channel, clock, states } = sending();
    channel.answer = () => {
      db.sql.pragma("query_only = ON");
      return delivered;
    };
    const key = owe("a", "a1");
    sender.pump(key);
    await until("the send", () => channel.sent.length === 1);
    await settle();
    clock.advance(5_000);
    sender.pump(key);
    await settle();
    expect(states()).toEqual(["attempting"]);
    db.sql.pragma("query_only = OFF");
    clock.advance(5_000);
    await until("the note", () => states()[0] === "delivered");
    expect(channel.sent).toHaveLength(1);
  });
});

describe("a reply in parts", () => {
  const inParts = () => {
    const channel = scriptedChannel();
    channel.split = (text) => text.split(/(?<=\|)/);
    return channel;
  };

  test("each part has its own key; confirmed parts are not sent again", async () => {
    const { owe, sender, channel, clock, states } = sending({}, inParts());
    const outcomes = [delivered, later, delivered, delivered];
    channel.answer = () => outcomes.shift() ?? delivered;
    sender.pump(owe("a", "one|two|three"));
    await until("two", () => channel.sent.length === 2);
    await settle();
    clock.advance(30_000);
    await until("its end", () => states()[0] === "delivered");
    expect(channel.sent.map(({ text }) => text)).toEqual(["one|", "two|", "two|", "three"]);
    expect(channel.sent.map(({ part }) => part.number)).toEqual([1, 2, 2, 3]);
    const keys = channel.sent.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(3);
    expect(keys[1]).toBe(keys[2]);
  });

  test("of what may have arrived only the unconfirmed part is labelled and sent again", async () => {
    const { owe, sender, channel, clock, states } = sending({}, inParts());
    const outcomes = [delivered, unknown, delivered, delivered];
    channel.answer = () => outcomes.shift() ?? delivered;
    sender.pump(owe("a", "one|two|three"));
    await until("two", () => channel.sent.length === 2);
    await settle();
    clock.advance(30_000);
    await until("its end", () => states()[0] === "delivered");
    const [, , third, fourth] = channel.sent.map(({ text }) => text);
    expect(third).toMatch(/^♻️ Recovered reply[^]*two\|$/);
    expect(fourth).toBe("three");
  });
});

describe("stopping", () => {
  test("sends in flight may end, and no further one begins", async () => {
    const { owe, sender, channel, states } = sending();
    let go = (): void => undefined;
    channel.answer = () =>
      new Promise((resolve) => {
        go = () => {
          resolve(delivered);
        };
      });
    const key = owe("a", "a1");
    owe("a", "a2");
    sender.pump(key);
    await until("the send", () => channel.sent.length === 1);
    const stopped = sender.stop(5_000);
    await settle();
    go();
    await stopped;
    expect(channel.sent).toHaveLength(1);
    expect(states().toSorted()).toEqual(["delivered", "pending"]);
    sender.pumpAll();
    await settle();
    expect(channel.sent).toHaveLength(1);
  });

  test("after its time they are cut", async () => {
    const { owe, sender, channel, clock, states } = sending({ policy: "ask" });
    channel.answer = (_message, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(unknown);
        });
      });
    sender.pump(owe("a", "a1"));
    await until("the send", () => channel.sent.length === 1);
    const stopped = sender.stop(5_000);
    clock.advance(5_000);
    await stopped;
    expect(states()).toEqual(["unknown"]);
    expect(clock.pending).toBe(0);
  });

  test("a channel that does not even heed that is not waited for", async () => {
    const { owe, sender, channel, clock, states } = sending({ policy: "ask" });
    channel.answer = () => new Promise<never>(() => undefined);
    sender.pump(owe("a", "a1"));
    await until("the send", () => channel.sent.length === 1);
    const stopped = sender.stop(5_000);
    clock.advance(5_000);
    await settle();
    clock.advance(5_000);
    await stopped;
    expect(states()).toEqual(["unknown"]);
  });

  test("retries that were due later are not left behind as timers", async () => {
    const { owe, sender, channel, clock } = sending();
    channel.answer = () => later;
    sender.pump(owe("a", "a1"));
    await until("the refusal", () => channel.sent.length === 1);
    await settle();
    await sender.stop(0);
    expect(clock.pending).toBe(0);
  });
});
