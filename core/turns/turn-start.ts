import { randomBytes } from "node:crypto";
import { asTurnId } from "../contract/ids.ts";
import type { SessionId, SessionKey, TurnId } from "../contract/ids.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { MachineRun } from "../recovery/machine.ts";
import type { RecoveryStore } from "../recovery/recovery-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { decodeInbound } from "./inbound-json.ts";
import type { InboxStore, InboundRow } from "./inbox-store.ts";
import type { TurnStore } from "./turn-store.ts";

/** A turn whose beginning is on disk. */
export interface StartedTurn {
  turnId: TurnId;
  key: SessionKey;
  sessionId: SessionId;
  row: RoutingRow;
  input: InboundRow;
  message: InboundMessage;
  agentId: string;
  startedAt: number;
  /** The suspended session that this turn's fresh one stands in for, or null. */
  replaced: SessionId | null;
  /** Rows added to the transcript by the start, for the panel. */
  messageIds: number[];
}

export interface TurnStartStores {
  directory: SessionDirectory;
  inbox: InboxStore;
  turns: TurnStore;
  recovery: RecoveryStore;
}

/**
 * Takes the lane's next message and begins its turn: access, the person's row in the transcript, the durable marker and
 * the inbox row change together (lifecycle 10.2, 12.10). Part of the caller's transaction.
 * @returns null where nothing is next up.
 */
export function startNextTurn(
  stores: TurnStartStores,
  key: SessionKey,
  boot: {
    bootId: string;
    nowMs: number;
    machine: MachineRun;
    chooseAgent: (row: RoutingRow) => string;
    /** What the model is shown of the message. */
    shownText: (message: InboundMessage) => string;
  },
): StartedTurn | null {
  const { directory, inbox, turns } = stores;
  const { routing, messages } = directory;
  const input = inbox.slot(key);
  if (!input) return null;
  const message = decodeInbound(input.eventJson);
  const isMachinery = message.internal === true || message.resume !== undefined; // no sign of life of a person
  const lane = routing.get(key);
  const { row, replaced } = directory.open(
    {
      key,
      identity: lane?.laneIdentity ?? null,
      channelId: input.channelId,
      source: message.source,
    },
    !isMachinery,
    boot.nowMs,
  );
  const turnId = asTurnId(randomBytes(16).toString("hex"));
  const agentId = boot.chooseAgent(row);
  turns.insert({
    turnId,
    sessionKey: key,
    sessionId: row.sessionId,
    bootId: boot.bootId,
    agentId,
    kind: input.kind,
    attempt: stores.recovery.restarts(key) + 1,
    resumes: message.resume?.turnId ?? null,
    machineBoot: boot.machine.bootId,
    startedUptimeMs: boot.machine.uptimeMs,
    startedAt: boot.nowMs,
  });
  // Counted before it runs: a turn that kills the process is stopped at the threshold (decision 5).
  if (message.resume) stores.recovery.countRestart(key, boot.nowMs);
  const messageIds = replaced === null ? [] : messages.boundaryIds(row.sessionId);
  if (message.text !== "")
    messageIds.push(
      messages.append({
        sessionId: row.sessionId,
        role: "user",
        content: message.text,
        timestamp: boot.nowMs,
        turnId,
        senderName: message.source.userName,
        platformMessageId: message.messageId,
        displayKind: message.internal === true ? "internal" : null,
        apiContent: unlessEqual(boot.shownText(message), message.text),
      }),
    );
  inbox.start(input.seq, turnId, boot.nowMs);
  inbox.promote(key);
  routing.patch(key, {
    activeTurnToken: turnId,
    activeTurnStartedAt: boot.nowMs,
    ...(isMachinery ? {} : { updatedAt: boot.nowMs }),
    queueDepth: inbox.depth(key).depth,
    messageCount: row.messageCount + (message.text === "" ? 0 : 1),
    turnCount: row.turnCount + 1,
    agentId,
    errorCode: null,
    errorMessage: null,
    // one-shot flags live until the first turn (lifecycle 2.1)
    isFreshReset: 0,
    wasAutoReset: 0,
  });
  const settled = routing.settleState(key, boot.nowMs);
  return {
    turnId,
    key,
    sessionId: row.sessionId,
    row: settled ?? row,
    input,
    message,
    agentId,
    startedAt: boot.nowMs,
    replaced,
    messageIds,
  };
}

const unlessEqual = (text: string, other: string): string | null => (text === other ? null : text);
