import type { Debt, ObligationStore } from "../delivery/obligation-store.ts";
import { decideReply } from "../delivery/silence.ts";
import type { ReplyVerdict } from "../delivery/silence.ts";
import { givenUp } from "../recovery/given-up.ts";
import type { RecoveryStore } from "../recovery/recovery-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { InboundOutcome, InboxStore } from "./inbox-store.ts";
import { endSteered, steeredColumns } from "./steered.ts";
import { replyText, resultRows } from "./turn-result.ts";
import type { TurnResult } from "./turn-result.ts";
import type { StartedTurn } from "./turn-start.ts";
import type { TurnEndState, TurnStore } from "./turn-store.ts";

export interface TurnFinishStores {
  directory: SessionDirectory;
  inbox: InboxStore;
  turns: TurnStore;
  obligations: ObligationStore;
  recovery: RecoveryStore;
}

/** A lane that has nothing to take up. */
export const noResume = {
  resumePending: 0,
  resumeReason: null,
  lastResumeMarkedAt: null,
  resumeToldAt: null,
  resumeHeldAt: null,
} as const;

export interface Finished {
  state: TurnEndState;
  /** Rows added to the transcript. */
  messageIds: number[];
  /** Something is owed to the chat now. */
  owes: boolean;
}

const silenceNotice = "The agent answered with a silence marker only; there is no reply to show.";

const outcomes: Record<TurnEndState, InboundOutcome> = {
  completed: "answered",
  silent: "silent",
  failed: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
};

/**
 * Ends a turn: its rows, its obligation to deliver, the marker, the counters and the inbox row change together
 * (lifecycle 10.2, 11.3). Part of the caller's transaction.
 *
 * An error is told to the person and shown in the transcript as a bar; it never becomes a reply that an agent reads.
 * @returns null when the turn has been ended by somebody else: a late result changes nothing (lifecycle 6.3).
 */
export function finishTurn(
  stores: TurnFinishStores,
  turn: StartedTurn,
  given: TurnResult,
  context: { nowMs: number; transcriptIsDelivery: boolean; autonomousLane: boolean },
): Finished | null {
  const { directory, inbox, turns, obligations } = stores;
  const result = ended(stores, turn, given);
  const { messages, incarnations } = directory;
  const text = replyText(result.segments);
  const verdict =
    result.outcome === "completed"
      ? decideReply({
          text,
          succeeded: true,
          internal: turn.message.internal === true,
          expectsReply: turn.message.expectsReply !== false,
          autonomousLane: context.autonomousLane,
        })
      : null;
  const state = endStateOf(result, verdict);

  const messageIds: number[] = [];
  let replyMessageId: number | null = null;
  // A parked turn is run again as a whole: half of its answer would only mislead the second run.
  for (const row of result.outcome === "parked" ? [] : resultRows(result)) {
    const id = messages.append({
      sessionId: turn.sessionId,
      role: row.role,
      content: row.content,
      timestamp: context.nowMs,
      turnId: turn.turnId,
      toolCalls: row.toolCalls ? JSON.stringify(row.toolCalls) : null,
      toolCallId: row.toolCallId,
      toolName: row.toolName,
      finishReason: row.finishReason,
      ...(row.inputId === null ? {} : steeredColumns(inbox, row.inputId, row.content)),
    });
    messageIds.push(id);
    if (row.role === "assistant") replyMessageId = id;
  }
  const rows = messageIds.length;
  const isAwaited = turn.message.internal !== true && turn.message.expectsReply !== false;
  const said = owedText(result, text, verdict, isAwaited);
  if (said.bar !== null)
    messageIds.push(
      messages.append({
        sessionId: turn.sessionId,
        role: "boundary",
        content: said.bar,
        timestamp: context.nowMs,
        turnId: turn.turnId,
        displayKind: state,
      }),
    );

  const isOurs = turns.end({
    turnId: turn.turnId,
    state,
    endedAt: context.nowMs,
    errorCode: result.error?.code ?? null,
    errorMessage: result.error?.message ?? null,
    model: result.model,
    inputTokens: result.usage?.inputTokens ?? 0,
    outputTokens: result.usage?.outputTokens ?? 0,
    replyMessageId,
  });
  if (!isOurs) return null; // the caller's savepoint takes the rows back

  // A turn that is taken up again and fails again: its person was told the first time.
  const toldBefore =
    turn.message.resume !== undefined && turn.row.resumeToldAt !== null && verdict === null;
  const owes =
    said.owed !== null &&
    !(toldBefore && said.kind === "notice" && result.outcome !== "stopped") &&
    !context.transcriptIsDelivery &&
    obligations.owe(
      debtOf(turn, said.owed, said.kind, said.kind === "reply" ? replyMessageId : null),
      context.nowMs,
    );
  const outcome = result.outcome === "parked" ? "parked" : outcomes[state];
  inbox.endTurn(turn.turnId, outcome, context.nowMs);
  if (endSteered(inbox, result, outcomes[state], context.nowMs)) inbox.promote(turn.key);
  settleLane(stores, turn, result, { rows, state, nowMs: context.nowMs });
  if (result.usage) incarnations.addUsage(turn.sessionId, result.usage);
  return { state, messageIds, owes };
}

/**
 * A turn that the gateway's stop cut is taken up by the next start, unless somebody had stopped it before or its session
 * was suspended meanwhile: then it ends here, and its person knows.
 */
function ended(
  { turns, directory }: TurnFinishStores,
  turn: StartedTurn,
  result: TurnResult,
): TurnResult {
  if (result.outcome !== "parked") return result;
  const stopped = turns.get(turn.turnId);
  if (stopped?.stopBecause != null)
    return {
      ...result,
      outcome: "stopped",
      because: stopped.stopBecause,
      tell: stopped.stopTell === 1,
    };
  return directory.routing.get(turn.key)?.suspended === 1
    ? { ...result, outcome: "stopped", because: givenUp.suspended, tell: true }
    : result;
}

function endStateOf(result: TurnResult, verdict: ReplyVerdict | null): TurnEndState {
  if (verdict === "suppress") return "silent";
  return result.outcome === "parked" ? "interrupted" : result.outcome;
}

/** The lane after its turn: marker released, counters added, flags that a success clears cleared. */
function settleLane(
  { directory: { routing }, inbox, recovery }: TurnFinishStores,
  turn: StartedTurn,
  result: TurnResult,
  end: { rows: number; state: TurnEndState; nowMs: number },
): void {
  const row = routing.get(turn.key);
  if (!row) return;
  const succeeded = end.state === "completed" || end.state === "silent";
  const over = succeeded || result.outcome === "stopped"; // nothing of it is to be taken up
  const { usage } = result;
  if (over) recovery.clearRestarts(turn.key); // its loop, if it was one, is broken (lifecycle 10.5)
  if (result.outcome === "parked") recovery.markResume(turn.key);
  routing.patch(turn.key, {
    queueDepth: inbox.depth(turn.key).depth,
    ...(row.activeTurnToken === turn.turnId
      ? { activeTurnToken: null, activeTurnStartedAt: null }
      : {}),
  });
  if (row.sessionId === turn.sessionId)
    routing.patch(turn.key, {
      messageCount: row.messageCount + end.rows,
      inputTokens: row.inputTokens + (usage?.inputTokens ?? 0),
      outputTokens: row.outputTokens + (usage?.outputTokens ?? 0),
      cacheReadTokens: row.cacheReadTokens + (usage?.cacheReadTokens ?? 0),
      cacheWriteTokens: row.cacheWriteTokens + (usage?.cacheWriteTokens ?? 0),
      totalTokens: row.totalTokens + (usage ? usage.inputTokens + usage.outputTokens : 0),
      lastPromptTokens: usage?.inputTokens ?? row.lastPromptTokens,
      errorCode: end.state === "failed" ? (result.error?.code ?? "E_AGENT_FAILED") : null,
      errorMessage: end.state === "failed" ? (result.error?.message ?? null) : null,
      ...(over ? noResume : {}),
      // It failed and the person was told; the next start tries again without another word (lifecycle 10.5).
      ...(!over && result.outcome !== "parked" && row.resumePending === 1
        ? { resumeToldAt: end.nowMs }
        : {}),
      ...(result.outcome === "parked"
        ? {
            resumePending: 1 as const,
            resumeReason: result.because,
            lastResumeMarkedAt: end.nowMs,
            ...(turn.message.resume ? {} : { resumeToldAt: null }),
          }
        : {}),
    });
  routing.settleState(turn.key, end.nowMs);
}

/** What the chat is owed and which bar the transcript shows, by how the turn ended. */
function owedText(
  result: TurnResult,
  text: string,
  verdict: ReplyVerdict | null,
  isAwaited: boolean,
): { owed: string | null; kind: Debt["kind"]; bar: string | null } {
  const notice = (owed: string, bar: string = owed) => ({ owed, kind: "notice" as const, bar });
  switch (result.outcome) {
    case "completed":
      if (verdict === "suppress") return { owed: null, kind: "reply", bar: null };
      if (verdict === "silence-notice") return notice(silenceNotice);
      if (text === "" && isAwaited) return notice("The agent finished without a reply.");
      if (text === "") return { owed: null, kind: "reply", bar: null };
      return { owed: text, kind: "reply", bar: null };
    case "failed": {
      const reason = result.error?.message ?? "The agent failed.";
      return notice(`This message could not be answered. ${reason}`, reason);
    }
    case "interrupted": {
      const bar = result.because ?? "The answer was cut off.";
      if (text === "") return notice(`This message could not be answered. ${bar}`, bar);
      return { owed: `${text}\n\n(The answer was cut off.)`, kind: "reply", bar };
    }
    case "stopped": {
      const bar = result.because ?? "Stopped.";
      return { owed: result.tell ? bar : null, kind: "notice", bar };
    }
    case "parked":
      return { owed: null, kind: "notice", bar: null };
  }
}

/** A debt to the chat that the turn's message came from. */
export const debtOf = (
  turn: Pick<StartedTurn, "key" | "message" | "input"> & { turnId: StartedTurn["turnId"] | null },
  content: string,
  kind: Debt["kind"],
  messageId: number | null,
): Debt => {
  const { message } = turn;
  const replyTo = message.replyTo ?? message.messageId;
  return {
    sessionKey: turn.key,
    channelId: message.channelId,
    target: message.source,
    content,
    kind,
    replyTo,
    // Our own number where no message came with an id: what is sent again by `/retry` is owed again, in the same words.
    ref: message.messageId ?? `in:${turn.input.seq}`,
    messageId,
    turnId: turn.turnId,
  };
};
