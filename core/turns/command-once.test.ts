import { describe, expect, test } from "vitest";
import { inbound, dmSource, keyOf } from "../testing/samples.ts";
import { testIntake } from "../testing/test-intake.ts";
import { settle } from "../testing/until.ts";
import { actedOn } from "./command-once.ts";
import { createIntake } from "./intake.ts";
import type { IntakeDeps } from "./intake.ts";

const key = keyOf(dmSource());

/** The same stores after a crash: another process's intake, with nothing in memory. */
function after(world: ReturnType<typeof testIntake>, command: IntakeDeps["command"]) {
  return createIntake({
    db: world.db,
    directory: world.directory,
    inbox: world.inbox,
    bus: world.bus,
    clock: world.clock,
    keyRules: () => ({ groupSessionsPerUser: true, threadSessionsPerUser: false }),
    burst: () => ({ gapMs: -1, capMs: -1 }),
    wake: () => undefined,
    onBusy: () => undefined,
    onAccepted: () => undefined,
    command,
  });
}
const never = (): Promise<string> => new Promise(() => undefined);

describe("a command is acted on once", () => {
  test("it had not been, when the gateway was killed: its redelivery acts on it, the next does not", async () => {
    const world = testIntake({ command: never });
    const message = inbound("/new");
    void world.intake.accept(message);
    await settle();
    let acts = 0;
    const next = after(world, () => {
      acts += 1;
      return Promise.resolve("did it");
    });
    expect(await next.accept(message)).toMatchObject({ kind: "accepted", reply: "did it" });
    expect(await next.accept(message)).toMatchObject({ kind: "duplicate" });
    expect(acts).toBe(1);
  });

  test("it had been, when the gateway was killed before it could say so: what it changed says it", async () => {
    const world = testIntake({
      command: async () => {
        const acted = actedOn();
        await world.db.write(() => acted?.()); // its change, in one transaction
        return never();
      },
    });
    const message = inbound("/undo");
    void world.intake.accept(message);
    await settle();
    let acts = 0;
    const next = after(world, () => {
      acts += 1;
      return Promise.resolve("did it");
    });
    expect(await next.accept(message)).toMatchObject({ kind: "duplicate" });
    expect(acts).toBe(0);
  });

  test("what it put into the lane says it too", async () => {
    const put = (world: ReturnType<typeof testIntake>): IntakeDeps["command"] => {
      return async (_parsed, message, lane) => {
        await world.intake.acceptInto(
          lane,
          { ...message, text: "do it", messageId: null },
          "queue",
        );
        return never();
      };
    };
    let command: IntakeDeps["command"] = never;
    const world = testIntake({ command: (...given) => command(...given) });
    command = put(world);
    const message = inbound("/steer do it");
    void world.intake.accept(message);
    await settle();
    const next = after(world, never);
    expect(await next.accept(message)).toMatchObject({ kind: "duplicate" });
    expect(world.inbox.waiting(key)).toHaveLength(1);
  });

  test("a redelivery while it is being acted on gets the same answer", async () => {
    let answer: (line: string) => void = () => undefined;
    let acts = 0;
    const { intake } = testIntake({
      command: () => {
        acts += 1;
        return new Promise<string>((resolve) => {
          answer = resolve;
        });
      },
    });
    const message = inbound("/compress");
    const both = [intake.accept(message), intake.accept(message)];
    await settle();
    answer("done");
    expect(await Promise.all(both)).toMatchObject([{ reply: "done" }, { reply: "done" }]);
    expect(acts).toBe(1);
  });

  test("outside a command there is nothing to say", () => {
    expect(actedOn()).toBeUndefined();
  });
});

describe("`/queue` (lifecycle 12.9)", () => {
  test("what it is given waits as a message of its own, kept in the same step as its command", async () => {
    const { intake, inbox, commands } = testIntake();
    const message = inbound("/queue  buy milk ", { messageId: "q1" });
    expect(await intake.accept(message)).toMatchObject({ kind: "accepted", reply: "Queued." });
    expect(await intake.accept(inbound("/queue again"))).toMatchObject({
      reply: "Queued as number 2.",
    });
    expect(commands).toEqual([]);
    const [first] = inbox.waiting(key);
    expect(first).toMatchObject({ kind: "queue", platformMessageId: "q1" });
    expect(JSON.parse(first?.eventJson ?? "")).toMatchObject({
      text: "buy milk",
      message_id: "q1",
    });
    expect(await intake.accept(message)).toMatchObject({ kind: "duplicate" });
  });

  test("on an idle lane it behaves like sending the text: no word is needed", async () => {
    const { intake } = testIntake({ isBusy: () => false });
    expect(await intake.accept(inbound("/queue buy milk"))).toMatchObject({ reply: null });
  });

  test("without a text it is a command like any other", async () => {
    const { intake, inbox, commands } = testIntake();
    await intake.accept(inbound("/queue"));
    expect(commands).toEqual(["command"]);
    expect(inbox.waiting(key)).toEqual([]);
  });
});

describe("a burst", () => {
  test("never joins over what came between its pieces", async () => {
    const { intake, inbox } = testIntake({ burst: () => ({ gapMs: 350, capMs: 1_000 }) });
    await intake.accept(inbound("one"));
    await intake.accept(inbound("/queue two"));
    await intake.accept(inbound("three"));
    expect(
      inbox.waiting(key).map(({ eventJson }) => JSON.parse(eventJson) as unknown),
    ).toMatchObject([{ text: "one" }, { text: "two" }, { text: "three" }]);
  });
});
