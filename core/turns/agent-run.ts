import type { AgentCache } from "../agents/agent-cache.ts";
import type { AgentRuntime, SteerInput, TurnRequest } from "../agents/runtime.ts";
import type { Clock } from "../clock.ts";
import type { SessionId, TurnId } from "../contract/ids.ts";
import { toWire } from "../contract/errors.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { runTurn } from "./turn-run.ts";
import type { RunLimits } from "./turn-run.ts";
import type { TurnResult } from "./turn-result.ts";
import type { StartedTurn } from "./turn-start.ts";

/** A turn that runs, as others may look at it and act on it. */
export interface Running {
  turnId: TurnId;
  sessionId: SessionId;
  startedAtMs: number;
  turn: StartedTurn;
  /** The agent's last sign of life, on the monotonic clock. */
  activeAtMs: number;
  /** The person's text that started it; empty for machinery. */
  cut: AbortController;
  text: string;
  tool: string | null;
  /** Puts text into the turn; null before its agent is there. */
  steer: ((input: SteerInput) => boolean) | null;
  ended: Promise<void>;
}

export interface AgentRunDeps {
  agents: AgentCache;
  bus: Bus;
  clock: Clock;
  log: Log;
  limits(): RunLimits;
  /** @throws {SignalboxError} E_AGENT_UNKNOWN when it has been removed meanwhile. */
  runtime(agentId: string): AgentRuntime;
  /** What the agent is shown: read after the start is on disk. */
  request(turn: StartedTurn): Omit<TurnRequest, "turnId" | "key" | "sessionId">;
}

/** Runs a turn on its lane's agent and tells what it says as it says it. Never throws: a failure is a result. */
export function createAgentRun(deps: AgentRunDeps) {
  const { agents, bus, clock, log } = deps;
  return async function runAgent(
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
    const { agent } = lease;
    running.steer = (input) => agent.steer?.(input) === true;
    try {
      return await runTurn(agent, request, running.cut.signal, deps.limits(), clock, {
        onText(delta) {
          bus.emit("turn.text", {
            key: turn.key,
            turnId: turn.turnId,
            from: running.text.length,
            text: delta,
            tool: null,
          });
          running.text += delta;
          failpoint("turn.first_text");
          running.tool = null;
        },
        onAlive() {
          running.activeAtMs = clock.monotonicMs();
        },
        onFault(cause) {
          log.error("agent.failed", { sessionKey: turn.key, agent: turn.agentId }, cause);
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
      running.steer = null;
      lease.done();
    }
  };
}
