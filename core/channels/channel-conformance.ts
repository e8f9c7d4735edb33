import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { asSessionKey } from "../contract/ids.ts";
import { SignalboxError } from "../contract/errors.ts";
import { silentLog } from "../log/log.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import type {
  Acceptance,
  Channel,
  ChannelContext,
  InboundMessage,
  OutboundMessage,
  SendOutcome,
} from "./channel.ts";

/** What a sender on the platform's side was told. */
export type Confirmation = "accepted" | "duplicate" | "refused";

/** How the other side is to take the next sends. */
export type FarSide = "takes" | "refuses" | "wants-a-pause" | "hangs" | "is-gone";

export interface ChannelUnderTest {
  channel: Channel;
  source: SessionSource;
  /** A message from the platform's side; resolves when the platform was told. */
  post(text: string, messageId: string): Promise<Confirmation>;
  /** Absent where there is no other side. */
  farSide?: {
    become(kind: FarSide): void;
    /** Resolves once a send has reached it. */
    reached(): Promise<void>;
  };
  close(): Promise<void>;
}

/** The rules of `channel.ts`, held against an implementation. */
export function channelConformance(name: string, make: () => Promise<ChannelUnderTest>): void {
  describe(`${name} as a channel`, () => {
    let under: ChannelUnderTest;
    let inbox: FakeInbox;
    let reports: string[];
    beforeEach(async () => {
      under = await make();
      inbox = fakeInbox();
      reports = [];
      await under.channel.start({
        clock: systemClock,
        log: silentLog,
        accept: inbox.accept,
        report: (state) => reports.push(state),
      });
    });
    afterEach(async () => {
      await under.channel.stop();
      await under.close();
    });
    const send = (signal = new AbortController().signal): Promise<SendOutcome> =>
      under.channel.send(outbound(under.source), signal);

    test("it reports that it is up", () => {
      expect(reports).toEqual(["up"]);
    });

    test("it hands over what was said, where, and by which id", async () => {
      await under.post("hello", "m1");
      expect(inbox.seen).toHaveLength(1);
      expect(inbox.seen[0]).toMatchObject({
        channelId: under.channel.id,
        text: "hello",
        messageId: "m1",
        source: { platform: under.source.platform, chatId: under.source.chatId },
      });
    });

    test("it confirms only what is durable", async () => {
      const order: string[] = [];
      const gate = inbox.hold();
      const told = under.post("hello", "m1").then((confirmation) => order.push(confirmation));
      await gate.called;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      order.push("durable");
      gate.open();
      await told;
      expect(order).toEqual(["durable", "accepted"]);
    });

    test("a message that comes twice is told as a duplicate", async () => {
      expect(await under.post("hello", "m1")).toBe("accepted");
      expect(await under.post("hello", "m1")).toBe("duplicate");
      expect(await under.post("hello", "m2")).toBe("accepted");
    });

    test("what is not kept is refused to its sender", async () => {
      inbox.refuse(new SignalboxError("E_STORE_FULL", "full"));
      expect(await under.post("hello", "m1")).toBe("refused");
    });

    test("a send is delivered", async () => {
      under.farSide?.become("takes");
      expect((await send()).kind).toBe("delivered");
    });

    test("a send whose signal has fired never begins", async () => {
      expect(await send(AbortSignal.abort())).toMatchObject({ kind: "rejected", retryable: true });
    });

    test("stopping twice is stopping once; then nothing is sent or taken", async () => {
      await under.channel.stop();
      await under.channel.stop();
      expect(await send()).toMatchObject({ kind: "rejected", retryable: true, code: "stopped" });
      expect(await under.post("hello", "m1")).toBe("refused");
      expect(inbox.seen).toEqual([]);
    });

    test("it starts again after a stop", async () => {
      await under.channel.stop();
      await under.channel.start({
        clock: systemClock,
        log: silentLog,
        accept: inbox.accept,
        report: () => undefined,
      });
      expect(await under.post("hello", "m1")).toBe("accepted");
    });

    test("outcomes tell not sent, refused, later and unknown apart", async (context) => {
      const { farSide } = under;
      if (farSide === undefined) {
        context.skip("nobody is on the other side");
        return;
      }
      farSide.become("refuses");
      expect(await send()).toMatchObject({ kind: "rejected", retryable: false });
      farSide.become("wants-a-pause");
      expect(await send()).toMatchObject({ kind: "rejected", retryable: true, retryAfterMs: 7000 });
      farSide.become("hangs");
      const calledOff = new AbortController();
      const hanging = send(calledOff.signal);
      await farSide.reached();
      calledOff.abort();
      expect((await hanging).kind).toBe("unknown");
      farSide.become("is-gone");
      expect(await send()).toMatchObject({ kind: "rejected", retryable: true });
    });
  });
}

/** A reply owed to `target`. */
export function outbound(
  target: SessionSource,
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  return {
    obligationId: "o1",
    key: asSessionKey("agent:main:test:dm:1"),
    target,
    text: "a reply",
    kind: "reply",
    replyTo: "m1",
    idempotencyKey: "o1",
    recovered: false,
    part: { number: 1, of: 1 },
    ...more,
  };
}

export interface FakeInbox {
  accept: ChannelContext["accept"];
  seen: InboundMessage[];
  /** From now on acceptance waits; `called` resolves when the next message has come in. */
  hold(): { called: Promise<void>; open(): void };
  refuse(error: SignalboxError): void;
}

/** An inbox in memory: accepts an id once per chat. */
export function fakeInbox(): FakeInbox {
  const seen: InboundMessage[] = [];
  const known = new Set<string>();
  let held: Promise<void> = Promise.resolve();
  let onCall = (): void => undefined;
  let refusal: SignalboxError | null = null;
  return {
    seen,
    accept: async (message): Promise<Acceptance> => {
      onCall();
      await held;
      if (refusal !== null) throw refusal;
      const key = asSessionKey(`agent:main:${message.source.platform}:dm:${message.source.chatId}`);
      const id = `${key} ${message.messageId}`;
      if (known.has(id)) return { kind: "duplicate", key, inputId: 1 };
      known.add(id);
      seen.push(message);
      return { kind: "accepted", key, inputId: seen.length, reply: null };
    },
    hold() {
      let open = (): void => undefined;
      held = new Promise((resolve) => {
        open = resolve;
      });
      const called = new Promise<void>((resolve) => {
        onCall = resolve;
      });
      return {
        called,
        open: () => {
          open();
        },
      };
    },
    refuse(error) {
      refusal = error;
    },
  };
}
