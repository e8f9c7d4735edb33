import type { InboundMessage } from "../channels/channel.ts";
import type { SessionId, SessionKey, TurnId } from "../contract/ids.ts";
import { toWire } from "../contract/errors.ts";
import { isRefusedByDisk } from "../state/database.ts";
import type { Database } from "../state/database.ts";
import { failpoint } from "../failpoint.ts";
import type { SteerInput } from "../agents/runtime.ts";
import { createAgentRun } from "./agent-run.ts";
import type { AgentRunDeps, Running } from "./agent-run.ts";
import { finishTurn } from "./turn-finish.ts";
import type { Finished, TurnFinishStores } from "./turn-finish.ts";
import type { CutShort } from "./turn-run.ts";
import type { TurnResult } from "./turn-result.ts";
import { startNextTurn } from "./turn-start.ts";
import type { StartedTurn } from "./turn-start.ts";
import { createSessionClaims } from "./session-claim.ts";
import type { SessionClaim } from "./session-claim.ts";
import type { TurnLeases } from "./turn-lease.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";

export interface LaneDeps extends AgentRunDeps {
  db: Database;
  stores: TurnFinishStores;
  bootId: string;
  chooseAgent(row: RoutingRow): string;
  /** What the model is shown of a message: in shared sessions with its sender's name (lifecycle 5). */
  shownText(message: InboundMessage): string;
  channel(channelId: string): { transcriptIsDelivery: boolean; autonomousLane: boolean };
  /** Owed in the same transaction as the start (a suspension's notice …). */
  onStarted(turn: StartedTurn): void;
  /** What else ends with a turn, in the same transaction as its end. */
  onEnding?(turn: StartedTurn, result: TurnResult, nowMs: number): void;
  /** Its agent gave no sign of life for too long: the turn ends, in this transaction. `replaced`: the agent did not. */
  onHung?(turn: StartedTurn, replaced: boolean): void;
  /** The lane's next item has nothing to say any more; it is dropped. */
  isStale?(key: SessionKey, message: InboundMessage): boolean;
  /** Something may be owed to the lane's chat. */
  deliver(key: SessionKey): void;
  /** A turn ended; counted by the registry, told to the operator where it failed. */
  onEnded(turn: StartedTurn, state: Finished["state"], result: TurnResult): void;
  maxConcurrent(): number | null;
  /** The result of a run beside the conversation came too late for it (lifecycle 13.3). */
  onWakeDropped(delegationId: string): void;
  /** Keeps two lanes that are in one session apart (lifecycle 8.4). */
  leases: TurnLeases;
}

interface Lane {
  /** Null between two turns of a busy lane. */
  running: Running | null;
  /** Settles, and never fails, once the latest start is on disk or refused. */
  starting: Promise<void> | null;
  /** Something arrived while the lane was busy: look again before the lane falls idle (lifecycle 12.2). */
  again: boolean;
}

/** Pause before a step that the disk refused is tried again, in ms. */
const diskRetryMs = 5_000;

export type Lanes = ReturnType<typeof createLanes>;

/**
 * Serves each lane by one turn at a time. What waits is in the inbox; a lane in memory is only the fact that somebody
 * serves it, claimed synchronously so that no lane ever has two turns (lifecycle 8.1, 20.1).
 */
export function createLanes(deps: LaneDeps) {
  const { db, stores, agents, bus, clock, log } = deps;
  const runAgent = createAgentRun(deps);
  const lanes = new Map<SessionKey, Lane>();
  let gate: "open" | "shut" = "shut";
  const claims = createSessionClaims({
    ...deps,
    readsTranscript: (id) => deps.channel(id).transcriptIsDelivery,
    onWakeDropped: (key, delegationId, because) => {
      log.info("wake.dropped", { sessionKey: key, delegation: delegationId, because });
      deps.onWakeDropped(delegationId);
    },
    onRefused: (key) => {
      bus.emit("messages.changed", { key });
      bus.emit("session.changed", { key, urgent: true });
      deps.deliver(key);
    },
  });
  const blocked = new Set<SessionKey>(); // wanted a turn while the cap was reached
  let paused = false;
  const held = new Map<SessionKey, number>(); // commands that have the lane to themselves

  function wake(key: SessionKey): void {
    const lane = lanes.get(key);
    if (lane) {
      lane.again = true;
      return;
    }
    if (!mayStart(key)) return; // the rows wait; opening looks at every lane, a hold's end at its own
    const cap = deps.maxConcurrent();
    if (cap !== null && lanes.size >= cap) {
      blocked.add(key);
      return;
    }
    const mine: Lane = { running: null, starting: null, again: false };
    lanes.set(key, mine);
    void serve(key, mine);
  }

  async function serve(key: SessionKey, lane: Lane): Promise<void> {
    try {
      do {
        lane.again = false;
        while (mayStart(key)) {
          const claim = await claims.claim(key);
          if (!claim) break;
          try {
            const begun = begin(key, claim);
            lane.starting = begun.then(settled, settled);
            const turn = await begun;
            if (turn === "moved") continue; // to another session, while it waited for this one
            if (!turn) break;
            failpoint("turn.started");
            claim.began(turn.sessionId);
            await run(turn, lane);
          } finally {
            claim.release();
          }
        }
      } while (wasWoken(lane) && mayStart(key));
    } catch (cause) {
      log.error("lane.failed", { sessionKey: key, code: toWire(cause).code }, cause);
      if (isRefusedByDisk(cause)) clock.after(diskRetryMs, () => wake(key)); // what waits still waits
    } finally {
      lanes.delete(key);
      bus.emit("session.changed", { key, urgent: true });
      if (lane.again) wake(key);
      const next = blocked.values().next();
      if (!next.done) {
        blocked.delete(next.value);
        wake(next.value);
      }
    }
  }

  const begin = (key: SessionKey, claim: SessionClaim): Promise<StartedTurn | "moved" | null> =>
    db.write(() => {
      if (!mayStart(key)) return null; // a command got hold of the lane meanwhile
      if (!claim.fits()) return "moved";
      const started = startNextTurn(stores, key, {
        bootId: deps.bootId,
        nowMs: clock.nowMs(),
        machine: clock.machine(),
        chooseAgent: (row) => deps.chooseAgent(row),
        shownText: (message) => deps.shownText(message),
      });
      if (started) deps.onStarted(started);
      failpoint("turn.start_uncommitted");
      if (started?.message.resume) failpoint("turn.resume_counted");
      return started;
    });

  const mayStart = (key: SessionKey): boolean => gate === "open" && !paused && !held.has(key);

  async function run(turn: StartedTurn, lane: Lane): Promise<void> {
    const { key } = turn;
    let settle = (): void => undefined;
    const running: Running = {
      turnId: turn.turnId,
      sessionId: turn.sessionId,
      startedAtMs: turn.startedAt,
      turn,
      activeAtMs: clock.monotonicMs(),
      cut: new AbortController(),
      text: "",
      tool: null,
      steer: null,
      ended: new Promise((resolve) => {
        settle = resolve;
      }),
    };
    lane.running = running;
    bus.emit("messages.appended", { key, ids: turn.messageIds });
    bus.emit("session.changed", { key, urgent: true });
    if (turn.replaced !== null) deps.deliver(key);
    try {
      const { result, abandoned } = await runAgent(turn, running);
      failpoint("turn.ran");
      if (abandoned) {
        log.warn("agent.abandoned", { sessionKey: key, agent: turn.agentId });
        agents.abandon(key);
      }
      agents.setFlushed(key, false);
      const finished = await finish(turn, result, abandoned);
      agents.setFlushed(key, true);
      failpoint("turn.finished");
      tell(turn, finished, result);
    } catch (cause) {
      if (!(cause instanceof LateResult))
        log.error("turn.unfinished", { sessionKey: key, code: toWire(cause).code }, cause);
    } finally {
      lane.running = null;
      settle();
    }
  }

  /** A result exists once: while the disk refuses it, it is kept and tried again, until the gateway stops. */
  async function finish(
    turn: StartedTurn,
    result: TurnResult,
    abandoned: boolean,
  ): Promise<Finished> {
    for (;;) {
      try {
        return await db.write(() => {
          const done = finishTurn(stores, turn, result, {
            nowMs: clock.nowMs(),
            ...deps.channel(turn.message.channelId),
          });
          if (!done) throw new LateResult();
          if (result.error?.code === "E_AGENT_TIMEOUT" && result.error.details["limit"] === "idle")
            deps.onHung?.(turn, abandoned);
          deps.onEnding?.(turn, result, clock.nowMs());
          failpoint("turn.finish_uncommitted");
          return done;
        });
      } catch (cause) {
        if (!isRefusedByDisk(cause) || gate === "shut") throw cause; // its marker stays: the next start takes it up
        log.error("turn.unsaved", { sessionKey: turn.key, code: toWire(cause).code }, cause);
        await new Promise<void>((resolve) => void clock.after(diskRetryMs, resolve));
      }
    }
  }

  function tell(turn: StartedTurn, finished: Finished, result: TurnResult): void {
    bus.emit("messages.appended", { key: turn.key, ids: finished.messageIds });
    bus.emit("turn.end", { key: turn.key, turnId: turn.turnId, outcome: finished.state });
    bus.emit("session.changed", { key: turn.key, urgent: true });
    deps.onEnded(turn, finished.state, result);
    if (finished.owes) deps.deliver(turn.key);
  }

  return {
    /** Serves the lane if something is next up and nobody serves it. */
    wake,
    /** The turn that runs now, with its text so far. */
    running(key: SessionKey): { turnId: TurnId; startedAtMs: number; text: string } | null {
      const running = lanes.get(key)?.running;
      return running
        ? { turnId: running.turnId, startedAtMs: running.startedAtMs, text: running.text }
        : null;
    },
    /** Why nothing of this lane starts now, in words; null where nothing holds it. */
    whyClosed(key: SessionKey): string | null {
      if (gate === "shut") return "the gateway is starting or stopping";
      if (paused) return "new turns are paused";
      return blocked.has(key) ? "as many turns run as are allowed" : null;
    },
    isBusy: (key: SessionKey): boolean => lanes.has(key),
    /** Every running turn with its agent's last sign of life. */
    watched: (): { turn: StartedTurn; activeAtMs: number }[] =>
      [...lanes.values()].flatMap(({ running }) => (running ? [running] : [])),
    /** Lanes in which a turn runs now. */
    runningKeys: (): SessionKey[] =>
      [...lanes].flatMap(([key, lane]) => (lane.running ? [key] : [])),
    /**
     * Keeps turns of this lane from starting until the returned function is called (lifecycle 18, command guard). What
     * arrives meanwhile waits. Holds nest.
     */
    hold(key: SessionKey): () => void {
      held.set(key, (held.get(key) ?? 0) + 1);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        const left = (held.get(key) ?? 1) - 1;
        if (left > 0) {
          held.set(key, left);
          return;
        }
        held.delete(key);
        if (stores.inbox.slot(key)) wake(key);
      };
    },
    /** Hands text to the running turn (lifecycle 12.3); false where none runs that can take it. */
    steer: (key: SessionKey, input: SteerInput): boolean =>
      lanes.get(key)?.running?.steer?.(input) === true,
    countRunning: (): number => [...lanes.values()].filter((lane) => lane.running !== null).length,
    /**
     * Cuts the running turn short and waits for its end, at most the grace of an agent. A turn that is on its way to
     * the disk is waited for and cut too. False where none ran, or only one of another session than `of`.
     */
    async cut(key: SessionKey, why: CutShort, of?: SessionId): Promise<boolean> {
      const lane = lanes.get(key);
      await lane?.starting;
      const running = lane?.running;
      if (!running || (of !== undefined && running.sessionId !== of)) return false;
      running.cut.abort(why);
      await running.ended;
      return true;
    },
    /** Lets turns start; everything that waits is looked at, oldest first. */
    open(): void {
      gate = "open";
      for (const key of stores.inbox.waitingLanes()) wake(key);
    },
    /** No new turn starts; running ones go on. */
    shut(): void {
      gate = "shut";
    },
    /** The operator's global stop for new turns (`/pause`). */
    setPaused(on: boolean): void {
      paused = on;
      if (!on) for (const key of stores.inbox.waitingLanes()) wake(key);
    },
    get paused(): boolean {
      return paused;
    },
    /** Resolves when no turn runs any more, after `budgetMs`, or when `hurry` fires; returns the lanes still at work. */
    async drain(budgetMs: number, hurry: AbortSignal): Promise<SessionKey[]> {
      await Promise.all([...lanes.values()].flatMap((lane) => lane.starting ?? [])); // turns already
      const busy = [...lanes.values()].flatMap((lane) =>
        lane.running ? [lane.running.ended] : [],
      );
      let cancel = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        const stopWaiting = clock.after(budgetMs, resolve);
        const onHurry = (): void => {
          resolve();
        };
        if (hurry.aborted) resolve();
        else hurry.addEventListener("abort", onHurry, { once: true });
        cancel = () => {
          stopWaiting();
          hurry.removeEventListener("abort", onHurry);
        };
      });
      await Promise.race([Promise.all(busy), over]);
      cancel();
      return [...lanes].flatMap(([key, lane]) => (lane.running ? [key] : []));
    },
  };
}

const settled = (): void => undefined;

/** Read through a call: it changes while the lane is served. */
const wasWoken = (lane: Lane): boolean => lane.again;

/** The turn was ended by somebody else; the transaction that would have ended it again is taken back. */
class LateResult extends Error {}
