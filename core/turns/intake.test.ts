import { describe, expect, test } from "vitest";
import { refused } from "../testing/refused.ts";
import { defaultRules, dmSource, inbound, keyOf, laneOrigin } from "../testing/samples.ts";
import { testIntake } from "../testing/test-intake.ts";
import { decodeInbound } from "./inbound-json.ts";

const key = keyOf(dmSource());

describe("accepting a message", () => {
  test("it is in its lane, in words as they came, and the lane is woken", async () => {
    const { intake, inbox, directory, woken } = testIntake();
    const message = inbound("hello");
    const acceptance = await intake.accept(message);
    expect(acceptance).toEqual({ kind: "accepted", key, inputId: 1, reply: null });
    const [waiting] = inbox.waiting(key);
    expect(decodeInbound(waiting?.eventJson ?? "")).toEqual(message);
    expect(directory.routing.get(key)).toMatchObject({
      state: "queued",
      queueDepth: 1,
      title: "Person 7",
    });
    expect(woken).toEqual([key]);
  });

  test("a redelivery is recognised and wakes nobody", async () => {
    const { intake, inbox, woken } = testIntake();
    const message = inbound("hello");
    await intake.accept(message);
    const twice = await Promise.all([intake.accept(message), intake.accept(message)]);
    expect(twice).toEqual([
      { kind: "duplicate", key, inputId: 1 },
      { kind: "duplicate", key, inputId: 1 },
    ]);
    expect(inbox.waiting(key)).toHaveLength(1);
    expect(woken).toHaveLength(1);
  });

  test("two deliveries of one message in the same tick are one", async () => {
    const { intake, inbox } = testIntake();
    const message = inbound("hello");
    const both = await Promise.all([intake.accept(message), intake.accept(message)]);
    expect(both.map(({ kind }) => kind)).toEqual(["accepted", "duplicate"]);
    expect(inbox.waiting(key)).toHaveLength(1);
  });

  test("an id counts in its chat and channel only; what has none is never a redelivery", async () => {
    const { intake } = testIntake();
    const kinds = [
      await intake.accept(inbound("a", { messageId: "1" })),
      await intake.accept(inbound("a", { messageId: "1", source: dmSource("8") })),
      await intake.accept(inbound("a", { messageId: "1", channelId: "other" })),
      await intake.accept(inbound("a", { messageId: null })),
      await intake.accept(inbound("a", { messageId: null })),
    ].map(({ kind }) => kind);
    expect(kinds).toEqual(Array.from({ length: 5 }, () => "accepted"));
  });

  test("only what a person types may interrupt a running turn", async () => {
    const { intake, interrupted } = testIntake();
    await intake.accept(inbound("typed"));
    await intake.accept(inbound("for later"), "queue");
    await intake.accept(inbound("a wake", { internal: true }), "internal");
    expect(interrupted.map(({ text }) => text)).toEqual(["typed"]);
  });

  test("a message that replaces a suspended session closes the undo of the suspension", async () => {
    const { intake, directory, db, bus } = testIntake();
    const withdrawn: string[] = [];
    bus.on("undo.withdrawn", (event) => withdrawn.push(event.key));
    await intake.accept(inbound("one"));
    expect(withdrawn).toEqual([]);
    await db.write(() => directory.suspend(key, "panel", null, 5));
    await intake.accept(inbound("two"));
    expect(withdrawn).toEqual([key]);
  });

  test("a lane is written to by its key, whatever key its source would give today", async () => {
    const group = dmSource("-5", { chatType: "group", userId: "9" });
    const shared = { ...defaultRules, groupSessionsPerUser: false };
    const { intake, db, directory, inbox } = testIntake({ keyRules: () => shared });
    const personal = laneOrigin(group);
    await db.write(() => directory.ensureLane(personal, 1));
    await intake.acceptInto(personal.key, inbound("from the panel", { source: group }));
    expect(inbox.waiting(personal.key)).toHaveLength(1);
  });
});

describe("commands", () => {
  test("a command is acted on at once, waits nowhere, and its redelivery does nothing", async () => {
    const { intake, inbox, commands, woken } = testIntake();
    const message = inbound("/status");
    expect(await intake.accept(message)).toMatchObject({ kind: "accepted", reply: "did command" });
    expect(await intake.accept(message)).toMatchObject({ kind: "duplicate" });
    expect(commands).toEqual(["command"]);
    expect(inbox.waiting(key)).toEqual([]);
    expect(woken).toEqual([]);
  });

  test("what `/queue` makes and what machinery says is text, whatever it begins with", async () => {
    const { intake, inbox, commands } = testIntake();
    await intake.accept(inbound("/status"), "queue");
    await intake.accept(inbound("/reset", { internal: true }), "internal");
    expect(commands).toEqual([]);
    expect(inbox.waiting(key)).toHaveLength(2);
  });
});

describe("pieces of one thought (lifecycle 12.4)", () => {
  const burst = () => ({ gapMs: 350, capMs: 1_000 });

  test("they are one item that waits, and each of them is recognised again", async () => {
    const { intake, inbox, clock } = testIntake({ burst });
    const pieces = ["what", "a", "day"].map((text) => inbound(text));
    for (const piece of pieces) {
      expect(await intake.accept(piece)).toMatchObject({ kind: "accepted", inputId: 1 });
      clock.advance(300);
    }
    const waiting = inbox.waiting(key);
    expect(waiting).toHaveLength(1);
    expect(decodeInbound(waiting[0]?.eventJson ?? "").text).toBe("what\na\nday");
    for (const piece of pieces)
      expect(await intake.accept(piece)).toMatchObject({ kind: "duplicate" });
  });

  test.each([
    ["a pause", { pause: 351 }],
    ["another person", { other: true }],
    ["`/queue`", { kind: "queue" as const }],
    ["our own machinery", { kind: "internal" as const }],
  ])(
    "not across %s",
    async (
      _,
      {
        pause = 0,
        other = false,
        kind = "message" as const,
      }: {
        pause?: number;
        other?: boolean;
        kind?: "message" | "queue" | "internal";
      },
    ) => {
      const { intake, inbox, clock } = testIntake({ burst });
      const group = dmSource("-5", { chatType: "channel", userId: "1", threadId: "t" });
      await intake.accept(inbound("one", { source: group }));
      clock.advance(pause);
      const source = other ? { ...group, userId: "2" } : group;
      await intake.accept(
        inbound("two", { source, ...(kind === "internal" ? { internal: true } : {}) }),
        kind,
      );
      expect(inbox.waiting(keyOf(group))).toHaveLength(2);
    },
  );

  test("never longer than a thought takes", async () => {
    const { intake, inbox, clock } = testIntake({ burst });
    for (let piece = 0; piece < 5; piece += 1) {
      await intake.accept(inbound("more"));
      clock.advance(300);
    }
    expect(inbox.waiting(key)).toHaveLength(2);
  });
});

describe("what is refused leaves nothing behind", () => {
  test("ids that spell another chat's key", async () => {
    const { intake, inbox, directory } = testIntake();
    const one = dmSource("7:8");
    const other = dmSource("7", { threadId: "8" });
    expect(keyOf(one)).toBe(keyOf(other));
    await intake.accept(inbound("mine", { source: one }));
    const message = inbound("theirs", { source: other });
    await expect(intake.accept(message)).rejects.toEqual(refused("E_KEY_COLLISION"));
    expect(inbox.waiting(keyOf(one))).toHaveLength(1);
    expect(directory.routing.get(keyOf(one))).toMatchObject({ queueDepth: 1 });
  });

  test("a disk that takes nothing: no lane, no row; and the redelivery is taken later", async () => {
    const { db, intake, inbox, directory, woken } = testIntake();
    const message = inbound("hello");
    db.sql.pragma("query_only = ON");
    await expect(intake.accept(message)).rejects.toEqual(refused("E_READ_ONLY"));
    db.sql.pragma("query_only = OFF");
    expect(directory.routing.get(key)).toBeUndefined();
    expect(woken).toEqual([]);
    expect(await intake.accept(message)).toMatchObject({ kind: "accepted" });
    expect(inbox.waiting(key)).toHaveLength(1);
  });

  test("a full lane refuses people, takes our own wakes, and takes people again when one has gone", async () => {
    const { db, intake, inbox } = testIntake();
    for (let n = 0; n < 32; n += 1) await intake.accept(inbound("hi"));
    const message = inbound("one too many");
    await expect(intake.accept(message)).rejects.toEqual(refused("E_QUEUE_FULL", { waiting: 32 }));
    await intake.accept(inbound("wake", { internal: true }), "internal");
    await db.write(() => inbox.end(inbox.slot(key)!.seq, "dropped", 1));
    expect(await intake.accept(message)).toMatchObject({ kind: "accepted" });
  });
});
