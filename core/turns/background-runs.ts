import { randomBytes } from "node:crypto";
import type { AgentRuntime } from "../agents/runtime.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import { asTurnId } from "../contract/ids.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { freshEntry } from "../sessions/session-entry.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionSourceFromStored, sessionSourceToStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import { actedOn } from "./command-once.ts";
import type { Delegation, DelegationState, DelegationStore } from "./delegation-store.ts";
import { enqueueInside } from "./enqueue.ts";
import type { InboxStore } from "./inbox-store.ts";
import { runTurn } from "./turn-run.ts";
import type { CutShort, RunLimits } from "./turn-run.ts";
import { replyText, resultRows } from "./turn-result.ts";
import type { TurnResult } from "./turn-result.ts";

export interface BackgroundDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  delegations: DelegationStore;
  bus: Bus;
  clock: Clock;
  log: Log;
  owner: { bootId: string; pid: number };
  chooseAgent(row: RoutingRow): string;
  runtime(agentId: string): AgentRuntime;
  limits(): RunLimits;
  wake(key: SessionKey): void;
}

/** Runs beside all conversations at once; more are refused. */
export const maxRuns = 8;

const system =
  "You work on one task beside a conversation. Nobody answers questions meanwhile: do what can be done, and report the result.";

export type BackgroundRuns = ReturnType<typeof createBackgroundRuns>;

/** Detached runs (`/background`, lifecycle 13, 18): each has a session of its own, and its result comes back as an internal event. */
export function createBackgroundRuns(deps: BackgroundDeps) {
  const { db, directory, inbox, delegations, bus, clock, log } = deps;
  const { messages } = directory;
  const live = new Map<
    string,
    { key: SessionKey; parent: SessionId; abort: AbortController; ended: Promise<void> }
  >();
  let stopping = false;

  /** The event that tells the conversation of a result; the same one however often it is handed in. */
  function wakeOf(run: Delegation): InboundMessage | null {
    const source = sessionSourceFromStored(JSON.parse(run.sourceJson));
    if (!source.ok) return null;
    const how = {
      running: "runs",
      completed: "is done",
      failed: "failed",
      interrupted: "was interrupted",
    }[run.state];
    return {
      channelId: run.channelId,
      source: source.source,
      text: `Background task ${how}: ${run.task}\n\n${run.result ?? ""}`.trim(),
      messageId: `delegation:${run.delegationId}`,
      internal: true,
      pinned: { sessionId: run.parentSessionId, delegationId: run.delegationId },
    };
  }

  /** Puts a result into its lane's inbox. Part of the caller's transaction. */
  function handIn(run: Delegation, nowMs: number): boolean {
    const wake = wakeOf(run);
    if (wake === null || !directory.routing.get(run.sessionKey)) {
      delegations.setDelivery(run.delegationId, "dropped");
      return false;
    }
    const { routing } = directory;
    enqueueInside({ inbox, routing }, run.sessionKey, wake, "internal", nowMs);
    delegations.setDelivery(run.delegationId, "handed");
    return true;
  }

  /** The end of a run: its rows, its record and its wake change together. */
  async function finish(id: string, result: TurnResult, fault: string | null): Promise<void> {
    const text = replyText(result.segments);
    const state: Exclude<DelegationState, "running"> =
      result.outcome === "completed"
        ? "completed"
        : result.outcome === "failed"
          ? "failed"
          : "interrupted";
    const told = [text, fault ?? result.error?.message ?? result.because ?? ""]
      .filter((part) => part !== "")
      .join("\n\n");
    const run = await db.write(() => {
      const nowMs = clock.nowMs();
      const open = delegations.get(id);
      if (!open || !delegations.end(id, state, told, nowMs)) return null;
      for (const row of resultRows(result))
        messages.append({
          sessionId: open.runSessionId,
          role: row.role,
          content: row.content,
          timestamp: nowMs,
          toolCalls: row.toolCalls ? JSON.stringify(row.toolCalls) : null,
          toolCallId: row.toolCallId,
          toolName: row.toolName,
          finishReason: row.finishReason,
        });
      if (result.usage) directory.incarnations.addUsage(open.runSessionId, result.usage);
      directory.incarnations.end(open.runSessionId, "agent_close", nowMs);
      // While the gateway stops, the result waits on disk for the next start.
      if (!stopping) handIn({ ...open, state, result: told }, nowMs);
      return open;
    });
    if (!run) return;
    bus.emit("session.changed", { key: run.sessionKey, urgent: true });
    if (!stopping) deps.wake(run.sessionKey);
  }

  async function work(run: Delegation, abort: AbortController): Promise<void> {
    let result: TurnResult | null = null;
    let fault: string | null = null;
    try {
      const runtime = deps.runtime(run.agentId);
      const agent = runtime.createAgent({ key: run.sessionKey, sessionId: run.runSessionId });
      try {
        const request = {
          turnId: asTurnId(randomBytes(16).toString("hex")),
          key: run.sessionKey,
          sessionId: run.runSessionId,
          system,
          history: [],
          text: run.task,
        };
        const watch = {
          onText: () => undefined,
          onTool: () => undefined,
          onFault: (thrown: unknown) => {
            log.warn("background.fault", { sessionKey: run.sessionKey }, thrown);
          },
        };
        result = (await runTurn(agent, request, abort.signal, deps.limits(), clock, watch)).result;
      } finally {
        void agent.release().catch(() => undefined); // a hung one is left behind
      }
    } catch (cause) {
      fault = toWire(cause).message;
    }
    await finish(run.delegationId, result ?? emptyFailure, fault);
  }

  /** @returns how many were running and are being stopped. */
  function stopWhere(
    fits: (run: { key: SessionKey; parent: SessionId; id: string }) => boolean,
    because: string,
  ): number {
    const why: CutShort = { outcome: "stopped", because, tell: false };
    let stopped = 0;
    for (const [id, run] of live)
      if (!run.abort.signal.aborted && fits({ ...run, id })) {
        run.abort.abort(why);
        stopped += 1;
      }
    return stopped;
  }

  return {
    /**
     * Begins a run beside the lane's conversation. Its record is on disk when this resolves.
     * @throws {SignalboxError} E_NOT_FOUND, E_BUSY while too many run, E_DRAINING.
     */
    async start(key: SessionKey, message: InboundMessage, task: string): Promise<Delegation> {
      if (stopping) throw new SignalboxError("E_DRAINING", "The gateway is stopping.");
      if (live.size >= maxRuns)
        throw new SignalboxError(
          "E_BUSY",
          `${maxRuns} background tasks run already; wait for one to end, or stop one.`,
        );
      const id = randomBytes(6).toString("hex");
      const acted = actedOn();
      const run = await db.write(() => {
        const nowMs = clock.nowMs();
        acted?.();
        directory.follow(key);
        const row = directory.routing.get(key);
        if (!row)
          throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
            field: "key",
            key,
          });
        const runSessionId = directory.maker.mint(nowMs);
        const entry = { ...freshEntry(key, runSessionId, null, nowMs), displayName: null };
        directory.maker.insertDelegate(entry, { id: row.sessionId, marker: "_delegate_from" });
        messages.append({
          sessionId: runSessionId,
          role: "user",
          content: task,
          timestamp: nowMs,
          senderName: message.source.userName,
        });
        delegations.insert({
          delegationId: id,
          sessionKey: key,
          parentSessionId: row.sessionId,
          runSessionId,
          channelId: message.channelId,
          sourceJson: JSON.stringify(sessionSourceToStored(message.source)),
          agentId: deps.chooseAgent(row),
          task,
          ownerBoot: deps.owner.bootId,
          ownerPid: deps.owner.pid,
          startedAt: nowMs,
        });
        return delegations.get(id);
      });
      if (!run) throw new SignalboxError("E_INTERNAL", "The task was not recorded.");
      const abort = new AbortController();
      const ended = work(run, abort)
        .catch((cause: unknown) => {
          log.error("background.unfinished", { sessionKey: key }, cause); // the next start ends it
        })
        .finally(() => live.delete(id));
      live.set(id, { key, parent: run.parentSessionId, abort, ended });
      bus.emit("session.changed", { key, urgent: false });
      return run;
    },

    /** Stops what was started from the lane or from the session (lifecycle 13.2). Idempotent. */
    stopFor: (key: SessionKey, sessionId: SessionId | null, because: string): number =>
      stopWhere((run) => run.key === key || run.parent === sessionId, because),
    /** Stops one; false where it does not run. */
    stopOne: (id: string, because: string): boolean =>
      stopWhere((run) => run.id === id, because) > 0,
    countRunning: (): number => live.size,

    /** At start-up: runs of a process that is gone were interrupted; results that were not handed in yet are. */
    async settleBoot(): Promise<void> {
      const keys = await db.write(() => {
        const nowMs = clock.nowMs();
        for (const run of delegations.running()) {
          const lost = "The gateway stopped before it was done.";
          delegations.end(run.delegationId, "interrupted", lost, nowMs);
          directory.incarnations.end(run.runSessionId, "agent_close", nowMs);
        }
        return delegations.pending().flatMap((run) => (handIn(run, nowMs) ? [run.sessionKey] : []));
      });
      for (const key of keys) deps.wake(key);
    },

    /** Interrupts all and waits for their records. */
    async stop(): Promise<void> {
      stopping = true;
      const ended = [...live.values()].map((run) => run.ended);
      stopWhere(() => true, "The gateway stopped.");
      await Promise.all(ended);
    },
  };
}

const emptyFailure: TurnResult = {
  outcome: "failed",
  segments: [],
  usage: null,
  model: null,
  finish: null,
  error: null,
  because: null,
  tell: false,
};
