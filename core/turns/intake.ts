import type { Acceptance, InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import { joinedEvent, joinsBurst } from "./burst.ts";
import type { BurstLimits } from "./burst.ts";
import { parseCommand } from "./command-parse.ts";
import type { ParsedText } from "./command-parse.ts";
import { chatRef, encodeInbound, senderRef } from "./inbound-json.ts";
import type { InboundKind, InboxStore } from "./inbox-store.ts";

/** Waiting human messages a lane may hold (lifecycle 12.5); internal ones are exempt. */
export const pendingCap = 32;

export interface IntakeDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  bus: Bus;
  clock: Clock;
  keyRules(): KeyRules;
  /** What counts as pieces of one thought (lifecycle 12.4), in ms. */
  burst(): BurstLimits;
  wake(key: SessionKey): void;
  /** Acts on a command and returns its answer; called after its message was remembered. */
  command(
    parsed: Exclude<ParsedText, { kind: "text" }>,
    message: InboundMessage,
    key: SessionKey,
  ): Promise<string>;
  /** A person's message was stored; a turn may be running in the lane (lifecycle 12.3). */
  onBusy(key: SessionKey, message: InboundMessage): void;
  onAccepted(message: InboundMessage): void;
}

export type Intake = ReturnType<typeof createIntake>;

/** The door for messages: stored durably, or recognised as a redelivery, before the channel confirms them (lifecycle 12.10). */
export function createIntake(deps: IntakeDeps) {
  const { db, directory, inbox, bus, clock } = deps;

  /**
   * Stores one message in a lane, or recognises it, or acts on it as a command.
   * @throws {SignalboxError} E_QUEUE_FULL, E_KEY_COLLISION, E_STORE_FULL, E_READ_ONLY: nothing was kept.
   */
  async function store(
    lane: { key: SessionKey; identity: string | null },
    message: InboundMessage,
    kind: InboundKind,
  ): Promise<Acceptance> {
    const { key } = lane;
    const parsed =
      message.internal === true || kind === "queue"
        ? ({ kind: "text" } as const)
        : parseCommand(message.text);
    const isCommand = parsed.kind !== "text";
    failpoint("accept.before");
    const stored = await db.write(() => {
      const now = clock.nowMs();
      const ref = chatRef(message);
      const earlier = message.messageId === null ? undefined : inbox.seen(ref, message.messageId);
      if (earlier)
        return { kind: "duplicate" as const, key: earlier.sessionKey, inputId: earlier.seq };
      const row = directory.ensureLane(
        { ...lane, channelId: message.channelId, source: message.source },
        now,
      );
      const inbound = {
        sessionKey: key,
        channelId: message.channelId,
        chatRef: ref,
        platformMessageId: message.messageId,
        senderRef: senderRef(message),
        kind,
        place: "slot" as "slot" | "fifo",
        eventJson: encodeInbound(message),
        acceptedAt: now,
      };
      if (isCommand)
        return {
          kind: "accepted" as const,
          key,
          inputId: inbox.insertEnded({ ...inbound, kind: "command" }, "command"),
          wasSuspended: false,
        };
      const { human } = inbox.depth(key);
      if (kind !== "internal" && human >= pendingCap)
        throw new SignalboxError(
          "E_QUEUE_FULL",
          `${pendingCap} messages wait in this conversation already. This one was not kept; send it again later.`,
          { waiting: human },
        );
      const slot = inbox.slot(key);
      if (slot && joinsBurst(slot, inbound, now, deps.burst())) {
        inbox.joinPiece(slot.seq, joinedEvent(slot.eventJson, message.text), now);
        inbox.insertEnded(inbound, "merged", slot.seq);
        return { kind: "accepted" as const, key, inputId: slot.seq, wasSuspended: false };
      }
      // An idle lane with left-over items runs the oldest of them first (rescue, lifecycle 12.2).
      inbound.place = inbox.promote(key) ? "fifo" : "slot";
      const inputId = inbox.insert(inbound);
      directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, now);
      return { kind: "accepted" as const, key, inputId, wasSuspended: row.suspended === 1 };
    });
    failpoint("accept.stored");
    if (stored.kind === "duplicate") return stored;
    deps.onAccepted(message);
    if (parsed.kind !== "text") {
      const reply = await deps.command(parsed, message, key);
      bus.emit("session.changed", { key, urgent: true });
      return { kind: "accepted", key, inputId: stored.inputId, reply };
    }
    if (stored.wasSuspended)
      bus.emit("undo.withdrawn", {
        key,
        reason: "A message arrived: it starts the fresh session.",
      });
    bus.emit("session.changed", { key, urgent: false });
    if (kind === "message") deps.onBusy(key, message);
    deps.wake(key);
    return { kind: "accepted", key, inputId: stored.inputId, reply: null };
  }

  return {
    /** Accepts a message into the lane that its source names. `queue` items are never merged; `internal` ones are exempt from the cap. */
    accept(message: InboundMessage, kind: InboundKind = "message"): Promise<Acceptance> {
      const rules = deps.keyRules();
      return store(
        {
          key: buildSessionKey(message.source, rules),
          identity: laneIdentity(message.source, rules),
        },
        message,
        kind,
      );
    },
    /** Accepts a message into a lane that exists, whatever key its source would give today. */
    acceptInto: (
      key: SessionKey,
      message: InboundMessage,
      kind: InboundKind = "message",
    ): Promise<Acceptance> => store({ key, identity: null }, message, kind),
  };
}
