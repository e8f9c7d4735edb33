import type { SessionKey } from "../contract/ids.ts";
import { asTurnId } from "../contract/ids.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { originOf } from "../sessions/routing-store.ts";
import { chatRef, decodeInbound, encodeInbound, senderRef } from "../turns/inbound-json.ts";
import type { InboundOutcome, InboundRow } from "../turns/inbox-store.ts";
import { noResume } from "../turns/turn-finish.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import type { TurnEndState } from "../turns/turn-store.ts";
import type { LaneVerdict } from "./boot-decision.ts";
import { givenUp } from "./given-up.ts";

/** How the cut turn and its message end, by the verdict on their lane. */
const endings: Record<LaneVerdict["kind"], { turn: TurnEndState; input: InboundOutcome }> = {
  nothing: { turn: "interrupted", input: "parked" },
  "ledger-owns": { turn: "completed", input: "answered" },
  settle: { turn: "completed", input: "answered" },
  stopped: { turn: "stopped", input: "stopped" },
  discard: { turn: "interrupted", input: "interrupted" },
  "suspend-stuck": { turn: "interrupted", input: "failed" },
  "give-up": { turn: "interrupted", input: "failed" },
  hold: { turn: "interrupted", input: "parked" },
  resume: { turn: "interrupted", input: "parked" },
};

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
  if (verdict.kind === "nothing") return;
  const { directory, recovery, inbox } = stores;
  const { routing } = directory;
  const key = row.sessionKey;
  const input = endCutTurn(stores, row, verdict, nowMs);
  const released = { activeTurnToken: null, activeTurnStartedAt: null };

  switch (verdict.kind) {
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
    case "stopped":
      if (verdict.tell) tell(stores, row, input, verdict.because, nowMs);
      else bar(stores, row, verdict.because, nowMs);
      routing.patch(key, { ...released, ...noResume });
      recovery.clearRestarts(key);
      break;
    case "suspend-stuck":
      dropQueuedResume(stores, key, nowMs);
      tell(stores, row, input, givenUp.stuck, nowMs);
      if (row.resumePending === 0) recovery.markResume(key);
      routing.patch(key, {
        ...released,
        // Still pending: who takes the suspension back and runs recovery lets the work go on (decision 4).
        resumePending: 1,
        resumeReason: row.resumeReason ?? "restart_interrupted",
        lastResumeMarkedAt: row.lastResumeMarkedAt ?? nowMs,
        resumeToldAt: nowMs,
        resumeHeldAt: null,
        suspended: 1,
        suspendedAt: nowMs,
        suspendedBy: "recovery",
        suspendReason: "stuck_loop",
      });
      recovery.clearRestarts(key);
      break;
    case "give-up":
      if (verdict.because === "suspended") dropQueuedResume(stores, key, nowMs);
      tell(stores, row, input, givenUp[verdict.because], nowMs);
      routing.patch(key, { ...released, ...(verdict.keepPending ? { resumeToldAt: nowMs } : {}) });
      break;
    case "hold":
    case "resume":
      if (row.resumePending === 0) recovery.markResume(key);
      routing.patch(key, {
        ...released,
        resumePending: 1,
        resumeReason: verdict.reason,
        lastResumeMarkedAt: row.resumePending === 1 ? row.lastResumeMarkedAt : nowMs,
        // Another turn than the one whose person was told: its own person was not.
        ...(row.activeTurnToken !== null && !input?.message.resume ? { resumeToldAt: null } : {}),
        resumeHeldAt: verdict.kind === "hold" ? (row.resumeHeldAt ?? nowMs) : null,
      });
      if (row.activeTurnToken !== null || !inbox.queuedResume(key))
        queueResume(
          stores,
          row,
          row.activeTurnToken ?? input?.turnId ?? "",
          verdict.reason,
          input?.message ?? null,
          nowMs,
        );
      if (verdict.kind === "hold") holdBack(stores, key);
      else inbox.promote(key);
      break;
  }
  routing.patch(key, { queueDepth: inbox.depth(key).depth });
  routing.settleState(key, nowMs);
}

/** The message of a turn that was cut. */
interface CutInput {
  seq: number;
  turnId: string;
  message: InboundMessage;
}

const cutInput = (input: InboundRow): CutInput => ({
  seq: input.seq,
  turnId: input.turnId ?? "",
  message: decodeInbound(input.eventJson),
});

/** Closes the cut turn's own records; returns the message that it was answering. */
function endCutTurn(
  { inbox, turns }: TurnFinishStores,
  row: RoutingRow,
  verdict: LaneVerdict,
  nowMs: number,
): CutInput | null {
  const token = row.activeTurnToken;
  if (token === null) {
    const parked = inbox.lastParked(row.sessionKey); // by an orderly stop, or an earlier start
    return parked ? cutInput(parked) : null;
  }
  const [input] = inbox.startedBy(asTurnId(token));
  const { turn, input: outcome } = endings[verdict.kind];
  turns.end({
    turnId: asTurnId(token),
    state: turn,
    endedAt: nowMs,
    errorCode: null,
    errorMessage: null,
    model: null,
    inputTokens: 0,
    outputTokens: 0,
    replyMessageId: null,
  });
  inbox.endTurn(asTurnId(token), outcome, nowMs);
  return input ? cutInput(input) : null;
}

/**
 * Ends a message whose turn nobody accounts for: its lane's marker is gone, and no verdict was about it. It is told as
 * given up. Part of the caller's transaction.
 */
export function endOrphan(stores: TurnFinishStores, input: InboundRow, nowMs: number): void {
  const { inbox, turns, directory } = stores;
  if (input.turnId !== null) {
    turns.end({
      turnId: input.turnId,
      state: "interrupted",
      endedAt: nowMs,
      errorCode: null,
      errorMessage: null,
      model: null,
      inputTokens: 0,
      outputTokens: 0,
      replyMessageId: null,
    });
    inbox.endTurn(input.turnId, "failed", nowMs);
  }
  const row = directory.routing.get(input.sessionKey);
  const orphan = cutInput(input);
  if (row && orphan.message.internal !== true)
    tell(stores, { ...row, activeTurnToken: null }, orphan, givenUp.ended, nowMs);
}

/** The resumed turn is next up, before everything that waits (lifecycle 10.5); what it answers stays its anchor. */
function queueResume(
  { inbox }: TurnFinishStores,
  row: RoutingRow,
  turnId: string,
  reason: string,
  cut: InboundMessage | null,
  nowMs: number,
): void {
  const source = cut?.source ?? originOf(row);
  if (!source) return;
  const message: InboundMessage = {
    channelId: cut?.channelId ?? row.channelId,
    source,
    text: "",
    messageId: null,
    internal: cut === null || cut.internal === true,
    replyTo: cut?.replyTo ?? cut?.messageId ?? null,
    resume: { turnId, reason },
    ...(cut?.expectsReply === false ? { expectsReply: false } : {}),
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

/**
 * Gives up a cut turn that waits in a suspended lane, once the suspension can no longer be undone. Its person is told; who
 * takes the suspension back can still let it go on by running recovery. Part of the caller's transaction.
 */
export function giveUpSuspended(stores: TurnFinishStores, key: SessionKey, nowMs: number): void {
  const row = stores.directory.routing.get(key);
  const queued = stores.inbox.queuedResume(key);
  if (row?.suspended !== 1 || !queued) return;
  const input = cutInput(queued);
  dropQueuedResume(stores, key, nowMs);
  if (input.message.internal !== true)
    tell(stores, { ...row, activeTurnToken: null }, input, givenUp.suspended, nowMs);
  const { routing } = stores.directory;
  routing.patch(key, { resumeToldAt: nowMs, queueDepth: stores.inbox.depth(key).depth });
  routing.settleState(key, nowMs);
}

/**
 * Tells the person of a turn that has been held back for too long to go on by itself; their next message takes it up. Part
 * of the caller's transaction.
 */
export function tellHeld(stores: TurnFinishStores, key: SessionKey, nowMs: number): void {
  const row = stores.directory.routing.get(key);
  const queued = stores.inbox.queuedResume(key);
  if (row?.resumeToldAt !== null || !queued) return;
  const input = cutInput(queued);
  if (input.message.internal !== true)
    tell(stores, { ...row, activeTurnToken: null }, input, givenUp.stale, nowMs);
  stores.directory.routing.patch(key, { resumeToldAt: nowMs });
}

/** Keeps a turn that waits to be taken up, and all that waits behind it, from starting. Part of the caller's transaction. */
export function holdBack({ inbox }: Pick<TurnFinishStores, "inbox">, key: SessionKey): void {
  const queued = inbox.queuedResume(key);
  if (queued) inbox.holdBack(key, queued.seq);
}

/** A turn that waits to be taken up waits no longer; what is behind it is next up. */
function dropQueuedResume({ inbox }: TurnFinishStores, key: SessionKey, nowMs: number): void {
  for (let queued = inbox.queuedResume(key); queued; queued = inbox.queuedResume(key))
    inbox.end(queued.seq, "dropped", nowMs);
  inbox.promote(key);
}

function bar(
  { directory }: Pick<TurnFinishStores, "directory">,
  row: RoutingRow,
  text: string,
  nowMs: number,
): number {
  return directory.messages.append({
    sessionId: row.sessionId,
    role: "boundary",
    content: text,
    timestamp: nowMs,
    displayKind: "recovery",
  });
}

/** Tells the person of a cut turn, in their chat and in the transcript. Part of the caller's transaction. */
export function tell(
  stores: Pick<TurnFinishStores, "directory" | "obligations">,
  row: RoutingRow,
  input: CutInput | null,
  text: string,
  nowMs: number,
): void {
  owe(stores, row, input, text, "notice", nowMs, bar(stores, row, text, nowMs));
}

function owe(
  { obligations, directory }: Pick<TurnFinishStores, "directory" | "obligations">,
  row: RoutingRow,
  input: CutInput | null,
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
