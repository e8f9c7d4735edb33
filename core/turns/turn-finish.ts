import type { SessionKey } from "../contract/ids.ts";
import { obligationId } from "../delivery/obligation-store.ts";
import type { ObligationStore } from "../delivery/obligation-store.ts";
import { decideReply } from "../delivery/silence.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionSourceToStored } from "../sessions/session-source.ts";
import type { InboundOutcome, InboxStore } from "./inbox-store.ts";
import { replyText, resultRows } from "./turn-result.ts";
import type { TurnResult } from "./turn-result.ts";
import type { StartedTurn } from "./turn-start.ts";
import type { TurnEndState, TurnStore } from "./turn-store.ts";

export interface TurnFinishStores {
  directory: SessionDirectory;
  inbox: InboxStore;
  turns: TurnStore;
  obligations: ObligationStore;
}

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
  result: TurnResult,
  context: { nowMs: number; transcriptIsDelivery: boolean; autonomousLane: boolean },
): Finished | null {
  const { directory, inbox, turns, obligations } = stores;
  const { routing, messages, incarnations } = directory;
  const text = replyText(result.segments);
  const succeeded = result.outcome === "completed";
  const verdict = succeeded
    ? decideReply({
        text,
        succeeded,
        internal: turn.message.internal === true,
        expectsReply: turn.message.expectsReply !== false,
        autonomousLane: context.autonomousLane,
      })
    : null;
  const state: TurnEndState = verdict === "suppress" ? "silent" : result.outcome;

  const messageIds: number[] = [];
  let replyMessageId: number | null = null;
  for (const row of resultRows(result)) {
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
    });
    messageIds.push(id);
    if (row.role === "assistant") replyMessageId = id;
  }
  const rows = messageIds.length;
  const said = owedText(result, text, verdict);
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

  const ended = turns.end({
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
  if (!ended) return null; // the caller's savepoint takes the rows back

  const owes =
    said.owed !== null &&
    !context.transcriptIsDelivery &&
    recordObligation(
      obligations,
      turn,
      said.owed,
      result.outcome === "completed" ? replyMessageId : null,
      context.nowMs,
    );
  inbox.endTurn(turn.turnId, outcomes[state], context.nowMs);
  settleLane(stores, turn, result, rows, state, context.nowMs);
  if (result.usage) incarnations.addUsage(turn.sessionId, result.usage);
  return { state, messageIds, owes };

  function settleLane(
    s: TurnFinishStores,
    t: StartedTurn,
    r: TurnResult,
    added: number,
    end: TurnEndState,
    nowMs: number,
  ): void {
    const row = routing.get(t.key);
    if (!row) return;
    const mine = row.sessionId === t.sessionId;
    routing.patch(t.key, {
      ...(row.activeTurnToken === t.turnId
        ? { activeTurnToken: null, activeTurnStartedAt: null }
        : {}),
      ...(mine
        ? {
            messageCount: row.messageCount + added,
            inputTokens: row.inputTokens + (r.usage?.inputTokens ?? 0),
            outputTokens: row.outputTokens + (r.usage?.outputTokens ?? 0),
            cacheReadTokens: row.cacheReadTokens + (r.usage?.cacheReadTokens ?? 0),
            cacheWriteTokens: row.cacheWriteTokens + (r.usage?.cacheWriteTokens ?? 0),
            totalTokens:
              row.totalTokens + (r.usage ? r.usage.inputTokens + r.usage.outputTokens : 0),
            ...(r.usage ? { lastPromptTokens: r.usage.inputTokens } : {}),
            errorCode: end === "failed" ? (r.error?.code ?? "E_AGENT_FAILED") : null,
            errorMessage: end === "failed" ? (r.error?.message ?? null) : null,
            ...(end === "completed" || end === "silent"
              ? { resumePending: 0 as const, resumeReason: null, lastResumeMarkedAt: null }
              : {}),
          }
        : {}),
      queueDepth: s.inbox.depth(t.key).depth,
    });
    routing.settleState(t.key, nowMs);
  }
}

/** What the chat is owed and which bar the transcript shows, by how the turn ended. */
function owedText(
  result: TurnResult,
  text: string,
  verdict: ReturnType<typeof decideReply> | null,
): { owed: string | null; bar: string | null } {
  switch (result.outcome) {
    case "completed":
      if (verdict === "suppress") return { owed: null, bar: null };
      if (verdict === "silence-notice") return { owed: silenceNotice, bar: silenceNotice };
      return { owed: text === "" ? null : text, bar: null };
    case "failed": {
      const reason = result.error?.message ?? "The agent failed.";
      return { owed: `This message could not be answered. ${reason}`, bar: reason };
    }
    case "interrupted":
      return {
        owed:
          text === ""
            ? "The answer was cut off before anything arrived."
            : `${text}\n\n(The answer was cut off.)`,
        bar: result.because ?? "The answer was cut off.",
      };
    case "stopped":
      return { owed: null, bar: result.because ?? "Stopped." };
  }
}

/** Owes `content` to the chat that the turn's message came from. Returns whether it is a new debt. */
export function recordObligation(
  obligations: ObligationStore,
  turn: Pick<StartedTurn, "key" | "turnId" | "message" | "input">,
  content: string,
  messageId: number | null,
  nowMs: number,
): boolean {
  const { source } = turn.message;
  return obligations.record({
    obligationId: obligationId(
      turn.key as SessionKey,
      `${turn.message.messageId ?? `in:${turn.input.seq}`}`,
      content,
    ),
    sessionKey: turn.key,
    channelId: turn.message.channelId,
    platform: source.platform,
    chatId: source.chatId,
    threadId: source.threadId,
    targetJson: JSON.stringify(sessionSourceToStored(source)),
    content,
    replyTo: turn.message.messageId,
    messageId,
    turnId: turn.turnId,
    createdAt: nowMs,
  });
}
