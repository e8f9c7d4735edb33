import type { Acceptance, InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { buildSessionKey, laneIdentity, legacySessionKeys } from "../sessions/session-key.ts";
import type { LaneOrigin, SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import { joinedEvent, joinsBurst } from "./burst.ts";
import type { BurstLimits } from "./burst.ts";
import { parseCommand } from "./command-parse.ts";
import type { ParsedText } from "./command-parse.ts";
import { actedOn, createCommandOnce } from "./command-once.ts";
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
    inputId: number,
  ): Promise<string | null>;
  /** A person's message was stored; a turn may be running in the lane (lifecycle 12.3). */
  onBusy(
    key: SessionKey,
    message: InboundMessage,
    inputId: number,
  ): Promise<string | null> | undefined;
  /** A message that is nothing but the answer to a question which waits in the lane (lifecycle 12.3). */
  asAnswer?(key: SessionKey, message: InboundMessage): ParsedText | null;
  /** Whether a message of this lane would wait. Absent: it would. */
  isBusy?(key: SessionKey): boolean;
  /** A person said something that is no command. Part of the transaction that stores it. */
  heard?(key: SessionKey, message: InboundMessage, nowMs: number): void;
  /** A person's message is kept. Part of the transaction that stores it; never throws. */
  signal?(key: SessionKey, message: InboundMessage, nowMs: number): void;
  onAccepted(message: InboundMessage): void;
}

export type Intake = ReturnType<typeof createIntake>;

const accepted = { kind: "accepted", wasSuspended: false } as const;

/**
 * What a text is. What `/queue` is given is a message like any other, kept in the same step (lifecycle 12.9): a crash
 * after its command was remembered would lose it.
 */
function readText(
  message: InboundMessage,
  kind: InboundKind,
  answer: ParsedText | null,
): { parsed: ParsedText; message: InboundMessage; kind: InboundKind } {
  const text = { kind: "text" } as const;
  if (message.internal === true || kind === "queue") return { parsed: text, message, kind };
  const parsed = answer ?? parseCommand(message.text);
  if (parsed.kind !== "command" || parsed.command.name !== "queue" || parsed.command.text === "")
    return { parsed, message, kind };
  return { parsed: text, message: { ...message, text: parsed.command.text }, kind: "queue" };
}

const queuedLine = (depth: number): string =>
  depth > 1 ? `Queued as number ${depth}.` : "Queued.";

/** The door for messages: stored durably, or recognised as a redelivery, before the channel confirms them (lifecycle 12.10). */
export function createIntake(deps: IntakeDeps) {
  const { db, directory, inbox, bus, clock } = deps;
  const once = createCommandOnce(deps);

  /**
   * Stores one message in a lane, or recognises it, or acts on it as a command.
   * @throws {SignalboxError} E_QUEUE_FULL, E_KEY_COLLISION, E_STORE_FULL, E_READ_ONLY: nothing was kept.
   */
  async function store(
    lane: Pick<LaneOrigin, "key" | "identity" | "spellings">,
    given: InboundMessage,
    asKind: InboundKind,
  ): Promise<Acceptance> {
    const { key } = lane;
    const { parsed, message, kind } = readText(given, asKind, deps.asAnswer?.(key, given) ?? null);
    const isCommand = parsed.kind !== "text";
    const acted = actedOn(); // what a command puts into the lane is what it did
    const wasBusy = deps.isBusy?.(key) ?? true;
    failpoint("accept.before");
    const stored = await db.write(() => {
      const now = clock.nowMs();
      const ref = chatRef(message);
      const earlier = message.messageId === null ? undefined : inbox.seen(ref, message.messageId);
      if (earlier && !(isCommand && earlier.kind === "command" && earlier.state === "started"))
        return { kind: "duplicate" as const, key: earlier.sessionKey, inputId: earlier.seq };
      // A command that was not acted on before the gateway ended: this redelivery is its only chance.
      if (earlier) return { ...accepted, key: earlier.sessionKey, inputId: earlier.seq };
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
      if (isCommand) return { ...accepted, key, inputId: inbox.insertCommand(inbound) };
      if (kind === "message") deps.heard?.(key, message, now);
      const { human } = inbox.depth(key);
      if (kind !== "internal" && human >= pendingCap)
        throw new SignalboxError(
          "E_QUEUE_FULL",
          `${pendingCap} messages wait in this conversation already. This one was not kept; send it again later.`,
          { waiting: human },
        );
      if (kind !== "internal") deps.signal?.(key, message, now);
      const slot = inbox.slot(key);
      const last = inbox.depth(key).depth === 1; // a piece never overtakes what came before it
      if (slot && last && joinsBurst(slot, inbound, now, deps.burst())) {
        inbox.joinPiece(slot.seq, joinedEvent(slot.eventJson, message.text), now);
        inbox.insertEnded(inbound, "merged", slot.seq);
        failpoint("accept.merged_uncommitted");
        return { ...accepted, key, inputId: slot.seq };
      }
      // An idle lane with left-over items runs the oldest of them first (rescue, lifecycle 12.2).
      inbound.place = inbox.promote(key) ? "fifo" : "slot";
      const inputId = inbox.insert(inbound);
      acted?.();
      directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, now);
      failpoint("accept.uncommitted");
      return { ...accepted, key, inputId, wasSuspended: row.suspended === 1 };
    });
    failpoint("accept.stored");
    if (stored.kind === "duplicate") return stored;
    deps.onAccepted(message);
    if (parsed.kind !== "text") {
      failpoint("command.before");
      const reply = await once(stored.inputId, () =>
        deps.command(parsed, message, key, stored.inputId),
      );
      failpoint("command.done");
      bus.emit("session.changed", { key, urgent: true });
      return { kind: "accepted", key, inputId: stored.inputId, reply };
    }
    if (stored.wasSuspended)
      bus.emit("undo.withdrawn", {
        key,
        reason: "A message arrived: it starts the fresh session.",
      });
    bus.emit("session.changed", { key, urgent: false });
    const acknowledgement =
      kind === "message" ? ((await deps.onBusy(key, message, stored.inputId)) ?? null) : null;
    deps.wake(key);
    const queued = wasBusy ? queuedLine(inbox.depth(key).depth) : null; // else as if the text had been sent
    const reply = given === message ? acknowledgement : queued;
    return { kind: "accepted", key, inputId: stored.inputId, reply };
  }

  return {
    /** Accepts a message into the lane that its source names. `queue` items are never merged; `internal` ones are exempt from the cap. */
    accept(message: InboundMessage, kind: InboundKind = "message"): Promise<Acceptance> {
      const rules = deps.keyRules();
      return store(
        {
          key: buildSessionKey(message.source, rules),
          identity: laneIdentity(message.source, rules),
          spellings: () => legacySessionKeys(message.source, rules),
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
