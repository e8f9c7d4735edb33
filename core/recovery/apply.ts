import type { SessionKey } from "../contract/ids.ts";
import { asTurnId } from "../contract/ids.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { originOf } from "../sessions/routing-store.ts";
import { chatRef, decodeInbound, encodeInbound, senderRef } from "../turns/inbound-json.ts";
import { noResume } from "../turns/turn-finish.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import type { LaneVerdict } from "./boot-decision.ts";
import { stuckThreshold } from "./boot-decision.ts";

const gaveUp = {
  stale:
    "The gateway was stopped while it worked on this, too long ago to go on by itself. Send a message to continue.",
  suspended:
    "The gateway was stopped while it worked on this, and the session was suspended meanwhile. It was given up.",
} as const;
const stuckNotice = `This conversation was suspended: the gateway was stopped ${stuckThreshold} times in a row while working on it. Its history is kept; the next message starts fresh, and /resume goes back.`;

/**
 * Does to one lane what was decided. Part of the caller's transaction, so that a crash in the middle of a start leaves
 * it as it was found. Whoever's turn is not taken up is told, once.
 */
export function applyVerdict(
  stores: TurnFinishStores,
  row: RoutingRow,
  verdict: LaneVerdict,
  nowMs: number,
): void {
  const { directory, recovery } = stores;
  const { routing } = directory;
  const key = row.sessionKey;
  const token = row.activeTurnToken;
  const input = endInterruptedTurn(stores, row, verdict, nowMs);
  const released = { activeTurnToken: null, activeTurnStartedAt: null };

  switch (verdict.kind) {
    case "nothing":
      return;
    case "ledger-owns":
      routing.patch(key, { ...released, ...noResume });
      break;
    case "discard":
      routing.patch(key, released);
      break;
    case "settle":
      if (verdict.owed !== null) owe(stores, row, input, verdict.owed, "reply", nowMs);
      routing.patch(key, { ...released, ...noResume });
      break;
    case "suspend-stuck":
      tell(stores, row, input, stuckNotice, nowMs);
      routing.patch(key, {
        ...released,
        ...noResume,
        suspended: 1,
        suspendedAt: nowMs,
        suspendedBy: "recovery",
        suspendReason: "stuck_loop",
      });
      recovery.clearRestarts(key);
      break;
    case "give-up":
      tell(stores, row, input, gaveUp[verdict.because], nowMs);
      routing.patch(key, { ...released, ...(verdict.keepPending ? { resumeToldAt: nowMs } : {}) });
      break;
    case "hold":
    case "resume":
      routing.patch(key, {
        ...released,
        resumePending: 1,
        resumeReason: verdict.reason,
        lastResumeMarkedAt: row.resumePending === 1 ? row.lastResumeMarkedAt : nowMs,
        resumeHeldAt: verdict.kind === "hold" ? (row.resumeHeldAt ?? nowMs) : null,
      });
      if (verdict.kind === "resume")
        queueResume(
          stores,
          row,
          token ?? input?.turnId ?? "",
          verdict.reason,
          input?.message ?? null,
          nowMs,
        );
      break;
  }
  routing.patch(key, { queueDepth: stores.inbox.depth(key).depth });
  routing.settleState(key, nowMs);
}

interface InterruptedInput {
  seq: number;
  turnId: string;
  message: InboundMessage;
}

/** Closes the cut turn's own records; returns the message that it was answering. */
function endInterruptedTurn(
  stores: TurnFinishStores,
  row: RoutingRow,
  verdict: LaneVerdict,
  nowMs: number,
): InterruptedInput | null {
  const token = row.activeTurnToken;
  if (token === null) return lastInterrupted(stores, row.sessionKey);
  const [input] = stores.inbox.startedBy(asTurnId(token));
  stores.turns.end({
    turnId: asTurnId(token),
    state:
      verdict.kind === "ledger-owns" || verdict.kind === "settle" ? "completed" : "interrupted",
    endedAt: nowMs,
    errorCode: null,
    errorMessage: null,
    model: null,
    inputTokens: 0,
    outputTokens: 0,
    replyMessageId: null,
  });
  stores.inbox.endTurn(
    asTurnId(token),
    verdict.kind === "ledger-owns" || verdict.kind === "settle" ? "answered" : "interrupted",
    nowMs,
  );
  return input ? { seq: input.seq, turnId: token, message: decodeInbound(input.eventJson) } : null;
}

/** Of a lane that was parked by an orderly stop: the message whose turn was cut. */
function lastInterrupted({ inbox }: TurnFinishStores, key: SessionKey): InterruptedInput | null {
  const input = inbox.lastInterrupted(key);
  return input
    ? { seq: input.seq, turnId: input.turnId ?? "", message: decodeInbound(input.eventJson) }
    : null;
}

/** The resumed turn is next up, before everything that waits (lifecycle 10.5); what it answers stays its anchor. */
function queueResume(
  { inbox }: TurnFinishStores,
  row: RoutingRow,
  turnId: string,
  reason: string,
  interrupted: InboundMessage | null,
  nowMs: number,
): void {
  const source = interrupted?.source ?? originOf(row);
  if (!source) return;
  const message: InboundMessage = {
    channelId: interrupted?.channelId ?? row.channelId,
    source,
    text: "",
    messageId: null,
    internal: interrupted === null || interrupted.internal === true,
    replyTo: interrupted?.replyTo ?? interrupted?.messageId ?? null,
    resume: { turnId, reason },
    ...(interrupted?.expectsReply === false ? { expectsReply: false } : {}),
  };
  inbox.makeRoom(row.sessionKey);
  inbox.insert({
    sessionKey: row.sessionKey,
    channelId: message.channelId,
    chatRef: chatRef(message),
    platformMessageId: null,
    senderRef: senderRef(message),
    kind: "internal",
    place: "slot",
    eventJson: encodeInbound(message),
    acceptedAt: nowMs,
  });
}

/** Tells the person of the cut turn, in their chat and in the transcript. */
function tell(
  stores: TurnFinishStores,
  row: RoutingRow,
  input: InterruptedInput | null,
  text: string,
  nowMs: number,
): void {
  const messageId = stores.directory.messages.append({
    sessionId: row.sessionId,
    role: "boundary",
    content: text,
    timestamp: nowMs,
    displayKind: "recovery",
  });
  owe(stores, row, input, text, "notice", nowMs, messageId);
}

function owe(
  { obligations, directory }: TurnFinishStores,
  row: RoutingRow,
  input: InterruptedInput | null,
  content: string,
  kind: "reply" | "notice",
  nowMs: number,
  messageId: number | null = null,
): void {
  const target = input?.message.source ?? originOf(row);
  if (!target) return;
  const replyTo = input?.message.replyTo ?? input?.message.messageId ?? null;
  const debt = {
    sessionKey: row.sessionKey,
    channelId: input?.message.channelId ?? row.channelId,
    target,
    content,
    kind,
    replyTo,
    ref:
      kind === "reply"
        ? `crash:${row.activeTurnToken ?? ""}`
        : (replyTo ?? `in:${input?.seq ?? row.sessionId}`),
    messageId: messageId ?? directory.messages.tail(row.sessionId)?.id ?? null,
    turnId: row.activeTurnToken === null ? null : asTurnId(row.activeTurnToken),
  };
  obligations.owe(debt, nowMs, kind === "reply"); // a streamed copy of the reply may be on screen already (lifecycle 11.3)
}
