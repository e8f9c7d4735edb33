import type { AgentCache } from "../agents/agent-cache.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey, TurnId } from "../contract/ids.ts";
import { toWire } from "../contract/errors.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import type { Database } from "../state/database.ts";
import { failpoint } from "../failpoint.ts";
import { readMachine } from "../recovery/machine.ts";
import { finishTurn } from "./turn-finish.ts";
import type { Finished, TurnFinishStores } from "./turn-finish.ts";
import { runTurn } from "./turn-run.ts";
import type { CutShort, RunLimits } from "./turn-run.ts";
import type { TurnResult } from "./turn-result.ts";
import { startNextTurn } from "./turn-start.ts";
import type { StartedTurn } from "./turn-start.ts";
import type { AgentRuntime, HistoryMessage, TurnRequest } from "../agents/runtime.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";

export interface LaneDeps {
  db: Database;
  stores: TurnFinishStores;
  agents: AgentCache;
  bus: Bus;
  clock: Clock;
  log: Log;
  bootId: string;
  limits(): RunLimits;
  chooseAgent(row: RoutingRow): string;
  /** @throws {SignalboxError} E_AGENT_UNKNOWN when it has been removed meanwhile. */
  runtime(agentId: string): AgentRuntime;
  /** What the agent is shown: read after the start is on disk. */
  request(turn: StartedTurn): { system: string; history: HistoryMessage[]; text: string };
  channel(channelId: string): { transcriptIsDelivery: boolean; autonomousLane: boolean };
  /** Owed in the same transaction as the start (a suspension's notice …). */
  onStarted(turn: StartedTurn): void;
  /** Something may be owed to the lane's chat. */
  deliver(key: SessionKey): void;
  /** A turn ended; counted by the registry, told to the operator where it failed. */
  onEnded(turn: StartedTurn, state: Finished["state"], result: TurnResult): void;
  maxConcurrent(): number | null;
}

interface Running {
  turnId: TurnId;
  startedAtMs: number;
  /** The person's text that started it; empty for machinery. */
  cut: AbortController;
  text: string;
  tool: string | null;
  ended: Promise<void>;
}

interface Lane {
  /** Null between two turns of a busy lane. */
  running: Running | null;
  /** Something arrived while the lane was busy: look again before the lane falls idle (lifecycle 12.2). */
  again: boolean;
}

export type Lanes = ReturnType<typeof createLanes>;

/**
 * Serves each lane by one turn at a time. What waits is in the inbox; a lane in memory is only the fact that somebody
 * serves it, claimed synchronously so that no lane ever has two turns (lifecycle 8.1, 20.1).
 */
export function createLanes(deps: LaneDeps) {
  const { db, stores, agents, bus, clock, log } = deps;
  const lanes = new Map<SessionKey, Lane>();
  let gate: "open" | "shut" = "shut";
  const blocked = new Set<SessionKey>(); // wanted a turn while the cap was reached
  let paused = false;

  function wake(key: SessionKey): void {
    const lane = lanes.get(key);
    if (lane) {
      lane.again = true;
      return;
    }
    if (gate === "shut" || paused) return; // the rows wait; opening looks at every lane
    const cap = deps.maxConcurrent();
    if (cap !== null && lanes.size >= cap) {
      blocked.add(key);
      return;
    }
    const mine: Lane = { running: null, again: false };
    lanes.set(key, mine);
    void serve(key, mine);
  }

  async function serve(key: SessionKey, lane: Lane): Promise<void> {
    try {
      do {
        lane.again = false;
        while (mayStart()) {
          const turn = await db.write(() => {
            const started = startNextTurn(stores, key, {
              bootId: deps.bootId,
              nowMs: clock.nowMs(),
              machine: readMachine(),
              chooseAgent: deps.chooseAgent,
            });
            if (started) deps.onStarted(started);
            return started;
          });
          if (!turn) break;
          failpoint("turn.started");
          await run(turn, lane);
        }
      } while (lane.again && mayStart());
    } catch (cause) {
      log.error("lane.failed", { sessionKey: key, code: toWire(cause).code }, cause);
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

  const mayStart = (): boolean => gate === "open" && !paused;

  async function run(turn: StartedTurn, lane: Lane): Promise<void> {
    const { key } = turn;
    let settle = (): void => undefined;
    const running: Running = {
      turnId: turn.turnId,
      startedAtMs: turn.startedAt,
      cut: new AbortController(),
      text: "",
      tool: null,
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
      const finished = await db.write(() => {
        const done = finishTurn(stores, turn, result, {
          nowMs: clock.nowMs(),
          ...deps.channel(turn.message.channelId),
        });
        if (!done) throw new LateResult();
        return done;
      });
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

  async function runAgent(
    turn: StartedTurn,
    running: Running,
  ): Promise<{ result: TurnResult; abandoned: boolean }> {
    const failed = (cause: unknown): { result: TurnResult; abandoned: boolean } => ({
      result: {
        outcome: "failed",
        segments: [],
        usage: null,
        model: null,
        finish: null,
        error: toWire(cause),
        because: null,
        tell: false,
      },
      abandoned: false,
    });
    let request: TurnRequest;
    let lease;
    try {
      request = {
        turnId: turn.turnId,
        key: turn.key,
        sessionId: turn.sessionId,
        ...deps.request(turn),
      };
      lease = agents.acquire(
        { key: turn.key, sessionId: turn.sessionId },
        deps.runtime(turn.agentId),
      );
    } catch (cause) {
      return failed(cause);
    }
    try {
      return await runTurn(lease.agent, request, running.cut.signal, deps.limits(), clock, {
        onText(delta) {
          bus.emit("turn.text", {
            key: turn.key,
            turnId: turn.turnId,
            from: running.text.length,
            text: delta,
            tool: null,
          });
          running.text += delta;
          running.tool = null;
        },
        onTool(name) {
          running.tool = name;
          bus.emit("turn.text", {
            key: turn.key,
            turnId: turn.turnId,
            from: running.text.length,
            text: "",
            tool: name,
          });
        },
      });
    } finally {
      lease.done();
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
    countRunning: (): number => [...lanes.values()].filter((lane) => lane.running !== null).length,
    /** Cuts the running turn short and waits for its end, at most the grace of an agent. False where none ran. */
    async cut(key: SessionKey, why: CutShort): Promise<boolean> {
      const running = lanes.get(key)?.running;
      if (!running) return false;
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
    /** Resolves when no turn runs any more, or after `budgetMs`; returns the lanes that are still at work. */
    async drain(budgetMs: number): Promise<SessionKey[]> {
      const busy = [...lanes.values()].flatMap((lane) =>
        lane.running ? [lane.running.ended] : [],
      );
      let cancel = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        cancel = clock.after(budgetMs, resolve);
      });
      await Promise.race([Promise.all(busy), over]);
      cancel();
      return [...lanes].flatMap(([key, lane]) => (lane.running ? [key] : []));
    },
  };
}

/** The turn was ended by somebody else; the transaction that would have ended it again is taken back. */
class LateResult extends Error {}
