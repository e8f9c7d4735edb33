import { createChildRuns } from "../agents/delegations/child-runs.ts";
import type { ToolBox, TurnRequest } from "../agents/runtime.ts";
import type { InboundMessage } from "../channels/channel.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { goalSection } from "../goals/goal.ts";
import { actorOfMessage } from "../journal/actor-of-message.ts";
import { agentOf } from "../journal/agent-key.ts";
import { renderedLines } from "../journal/notice-text.ts";
import { humanMessage } from "../journal/producers.ts";
import type { Chain } from "../journal/relay.ts";
import { createRelays } from "../journal/relays.ts";
import { retentionMs } from "../journal/retention.ts";
import { createUpkeep } from "../journal/upkeep.ts";
import { createWaker } from "../journal/waker.ts";
import { journalView } from "../served/journal-view.ts";
import { modelOfLane } from "../sessions/model-of-lane.ts";
import { createSessionSends } from "../tools/session-sends.ts";
import type { Requester } from "../tools/tool.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { TurnResult } from "../turns/turn-result.ts";
import type { StartedTurn } from "../turns/turn-start.ts";
import type { Base } from "./base.ts";
import { watchToasts } from "./watch-toasts.ts";

type Shown = Pick<TurnRequest, "system" | "history" | "text">;

export type Awareness = ReturnType<typeof createAwareness>;

/** What a session is told beside its message, as lines of the gateway. */
function provenanceLine({ provenance }: InboundMessage): string | null {
  if (provenance?.kind === "inter_session")
    return `The following message comes from the agent of session "${provenance.from ?? "unknown"}", not from a person.`;
  if (provenance?.kind === "wake")
    return "Nobody wrote. Reconcile where it matters; answer NO_REPLY where nothing needs to be said.";
  return null;
}

/** Whether the agent was before its model: then the notices it was shown count as read (state-awareness 6.2). */
const wasSeen = (result: TurnResult): boolean =>
  result.outcome === "completed" ||
  result.outcome === "interrupted" ||
  result.segments.length > 0 ||
  result.usage !== null;

/** Signals, notices, wakes, relays and child runs, joined to the way of a message. */
export function createAwareness(base: Base, parts: { lanes(): Lanes }) {
  const { db, stores, clock, config, bus, openLog } = base;
  const { journal, goals, directory, inbox, parentage } = stores;
  const log = openLog.log.area("journal");
  const chains = new Map<string, Chain>();
  const afterEnd = new Map<string, () => void>();

  const relays = createRelays({
    store: stores.relays,
    journal,
    limits: () => {
      const { max_hops, max_per_chain, max_per_pair, window_hours } = config.value.tools.relays;
      return {
        maxHops: max_hops,
        maxPerChain: max_per_chain,
        maxPerPair: max_per_pair,
        windowMs: window_hours * 3_600_000,
      };
    },
    stopped: (from, to) => {
      base.raise({
        kind: "needs_you",
        title: "Agents were stopped from writing to each other",
        body: `${from} may not write to ${to} any more until a person speaks in one of them.`,
        link: `/sessions/${encodeURIComponent(to)}`,
        group: `relay:${from}:${to}`,
      });
    },
  });
  const childRuns = createChildRuns({
    db,
    directory,
    inbox,
    runs: stores.childRuns,
    journal,
    parentage,
    clock,
    log,
    lanes: () => parts.lanes(),
    changed: (run) => {
      bus.emit("child.changed", { runId: run.runId });
      bus.emit("session.changed", { key: asSessionKey(run.childKey), urgent: true });
      bus.emit("session.changed", { key: asSessionKey(run.requesterKey), urgent: true });
    },
  });
  const sends = createSessionSends({
    db,
    directory,
    inbox,
    sends: stores.sends,
    journal,
    clock,
    lanes: () => parts.lanes(),
  });
  const waker = createWaker({
    db,
    routing: directory.routing,
    inbox,
    journal,
    clock,
    log,
    wakeLane: (key) => {
      parts.lanes().wake(key);
      bus.emit("session.changed", { key, urgent: false });
    },
    mayWake: (chain) => relays.mayWake(chain),
  });
  const upkeep = createUpkeep({
    db,
    journal,
    retention: stores.retention,
    clock,
    log,
    exists: (watcher) => directory.routing.get(asSessionKey(watcher)) !== undefined,
    forgetMore: (nowMs) => {
      relays.forget(nowMs);
      sends.forget(nowMs - retentionMs);
    },
  });
  const toasts = watchToasts(base);
  const view = journalView({ journal, routing: directory.routing }, () => clock.nowMs());

  const unlisten = journal.listen({
    committed(batch) {
      if (batch.events.length > 0) {
        bus.emit("journal.appended", { events: batch.events, missed: batch.missed });
        upkeep.considerPass();
      }
      for (const change of batch.notices) {
        bus.emit("watch.changed", change);
        toasts.noticed(change, batch.events.at(-1)?.summary ?? null);
        if (change.opened) waker.want(change.watcher);
      }
    },
    failed(what, cause) {
      log.warn("journal.failed", { what }, cause);
      toasts.failed();
    },
  });

  /** The chain of a turn that runs now; a new one where it is not known. */
  const chainOf = (turnId: string): Chain => chains.get(turnId) ?? { id: turnId, hops: 0 };

  return {
    relays,
    childRuns,
    sends,
    waker,
    upkeep,
    view,
    chainOf,

    /** A message was accepted. Part of the transaction that stores it; never throws. */
    accepted(key: SessionKey, message: InboundMessage, nowMs: number): void {
      const actor = actorOfMessage(message);
      if (actor.type !== "human") return;
      journal.step("human_message", undefined, () => {
        relays.heard(key, nowMs);
        const agentId = agentOf(key);
        const event = humanMessage(
          { sessionKey: key, sessionId: directory.routing.get(key)?.sessionId ?? null, agentId },
          {
            actor,
            channel: message.source.platform,
            lineage: parentage.get(key),
            isWatched: journal.isWatched({ key, agentId }),
          },
        );
        if (event) journal.record(event, nowMs);
      });
    },

    /** Whether the next item of a lane has nothing to say any more. */
    isStale: (key: SessionKey, message: InboundMessage): boolean => waker.isStale(key, message),

    /** Part of the start's transaction: what waits is shown to this turn. */
    turnStarted(turn: StartedTurn): void {
      const { key, turnId, message, startedAt } = turn;
      const shown = journal.take(key, turnId);
      if (shown.length > 0)
        turn.messageIds.push(
          directory.messages.append({
            sessionId: turn.sessionId,
            role: "boundary",
            content: shown.map((line) => line.text).join("\n"),
            timestamp: startedAt,
            turnId,
            displayKind: "notice",
          }),
        );
      const chain = relays.chainOfTurn({
        turnId,
        chain: message.provenance?.chain ?? null,
        resumes: message.resume?.turnId ?? null,
      });
      relays.keepChain(turnId, chain, startedAt);
      chains.set(turnId, chain);
      childRuns.turnStarted(turn);
      sends.turnStarted(turn);
      waker.settled(key);
    },

    /** The turn's request with what stands beside the message: lines that wait, the goal, tools, the lane's model. */
    shown(
      turn: StartedTurn,
      request: Shown,
      toolsFor: (requester: Requester) => ToolBox,
    ): Shown & Partial<Pick<TurnRequest, "systemEvents" | "wake" | "tools" | "model">> {
      const { key, turnId } = turn;
      const line = provenanceLine(turn.message);
      const lines = [
        ...journal.lines.takenBy(turnId),
        ...(line === null ? [] : [{ text: line, queuedAt: turn.startedAt }]),
      ];
      const goal = goalSection(goals.get(key));
      const model = modelOfLane(turn.row);
      return {
        ...request,
        system: goal === null ? request.system : `${request.system}\n\n${goal}`,
        ...(lines.length === 0 ? {} : { systemEvents: renderedLines(lines) }),
        ...(turn.message.provenance?.kind === "wake" ? { wake: true } : {}),
        ...(model === null ? {} : { model }),
        tools: toolsFor({ key, isClient: false, chain: () => chainOf(turnId) }),
      };
    },

    /** Stops the open child runs of a session; returns how many. Their ends are told by themselves. */
    stopChildren(key: string, because: string): number {
      const open = stores.childRuns.openOf(key).length;
      if (open > 0)
        childRuns.stopFor(key, because).catch((cause: unknown) => {
          log.error("children.stop_failed", { sessionKey: key }, cause);
        });
      return open;
    },

    /** Part of the end's transaction. */
    turnEnding(turn: StartedTurn, result: TurnResult, nowMs: number): void {
      const { key, turnId } = turn;
      const shown = journal.lines.takenBy(turnId);
      const seen = result.outcome !== "parked" && wasSeen(result);
      if (seen) journal.acknowledge(key, shown, nowMs);
      else journal.putBack(shown, nowMs);
      const tellSenders = sends.turnEnding(turn, result, nowMs);
      const runId = childRuns.turnEnding(turn, result, nowMs);
      journal.step("goal_of_turn", undefined, () => {
        const { usage } = result;
        if (usage) goals.charge(key, usage.inputTokens + usage.outputTokens, nowMs);
        if (result.outcome === "failed")
          goals.stall(key, result.error?.message ?? "The turn failed.", nowMs);
      });
      afterEnd.set(turnId, () => {
        tellSenders();
        if (runId !== null) childRuns.settle(runId);
        if (seen) waker.told(key);
        else if (shown.length > 0 && result.outcome === "failed") waker.retry(key);
      });
    },
    /** After the end is on disk. */
    turnEnded({ turnId }: StartedTurn): void {
      chains.delete(turnId);
      const then = afterEnd.get(turnId);
      afterEnd.delete(turnId);
      then?.();
    },

    /** Before any turn starts: what dead turns were shown waits again, those who waited for answers are gone. */
    recover(): void {
      db.writeNow(() => {
        journal.recoverTaken(clock.nowMs());
        stores.sends.leaveAll();
      });
    },
    /** Once turns may start. The scans run beside them. */
    async start(): Promise<void> {
      await childRuns.settleBoot();
      void upkeep
        .replay()
        .then(() => {
          waker.open();
          return upkeep.retain();
        })
        .catch((cause: unknown) => {
          log.warn("startup_scan.failed", {}, cause);
          waker.open();
        });
    },
    async stop(): Promise<void> {
      waker.close();
      childRuns.close();
      toasts.close();
      await upkeep.close();
    },
    close(): void {
      unlisten();
    },
  };
}
