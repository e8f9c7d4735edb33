import type { Agent, AgentEvent, TurnRequest, Usage } from "../agents/runtime.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { Segment, TurnResult } from "./turn-result.ts";

export interface RunLimits {
  /** Longest silence of an agent, in ms; 0 = none (`agent.gateway_timeout`). */
  idleMs: number;
  /** How long an agent may take to notice that it was stopped before the runner walks away from it. */
  graceMs: number;
}

export interface RunWatch {
  onText(delta: string): void;
  onTool(name: string): void;
  /** Any event at all: the agent is alive. */
  onAlive?(): void;
  /** What an agent threw, for the log: the result tells a person no inner detail. */
  onFault(thrown: unknown): void;
}

/** Why a run was cut short; the reason of the abort signal. */
export interface CutShort {
  outcome: "stopped" | "parked";
  /** Shown as a bar in the transcript; of a parked turn, the reason to resume (lifecycle 10.5). */
  because: string;
  /** Whether the person has to be told: not where the person's own command or next message did it. */
  tell: boolean;
}

const waited = Symbol("waited");

/**
 * Runs one turn of an agent to its end. Never throws: failures are results. An agent that ignores its abort signal is
 * left behind after `graceMs`; `abandoned` then tells the caller to replace it.
 */
export async function runTurn(
  agent: Agent,
  request: TurnRequest,
  cut: AbortSignal,
  limits: RunLimits,
  clock: Clock,
  watch: RunWatch,
): Promise<{ result: TurnResult; abandoned: boolean }> {
  const segments: Segment[] = [];
  let usage: Usage | null = null;
  let model: string | null = null;
  let finish: string | null = null;
  const inner = new AbortController();
  const idle = idleTimer(clock, limits.idleMs, () => {
    inner.abort();
  });
  const ended = (outcome: TurnResult["outcome"], more: Partial<TurnResult> = {}): TurnResult => ({
    outcome,
    segments,
    usage,
    model,
    finish,
    error: null,
    because: null,
    tell: false,
    ...more,
  });
  const shortened = (): TurnResult => {
    if (cut.aborted) {
      const { outcome, ...why } = cut.reason as CutShort;
      return ended(outcome, why);
    }
    return ended("failed", {
      error: toWire(
        new SignalboxError(
          "E_AGENT_TIMEOUT",
          `The agent gave no sign of life for ${Math.round(limits.idleMs / 1000)} s.`,
          { limit: "idle" },
        ),
      ),
    });
  };
  const onCut = (): void => {
    inner.abort(cut.reason);
  };
  if (cut.aborted) onCut();
  else cut.addEventListener("abort", onCut, { once: true });

  let endGrace = (): void => undefined;
  const aborted = new Promise<typeof waited>((resolve) => {
    const startGrace = (): void => {
      endGrace = clock.after(limits.graceMs, () => {
        resolve(waited);
      });
    };
    if (inner.signal.aborted) startGrace();
    else inner.signal.addEventListener("abort", startGrace, { once: true });
  });

  let iterator: AsyncIterator<AgentEvent> | null = null;
  try {
    iterator = agent.run(request, inner.signal)[Symbol.asyncIterator]();
    for (;;) {
      const step = await Promise.race([iterator.next(), aborted]);
      if (step === waited) return { result: shortened(), abandoned: true };
      if (inner.signal.aborted) {
        void iterator.return?.().catch(() => undefined); // its end no longer matters
        return { result: shortened(), abandoned: false };
      }
      if (step.done === true)
        return {
          result: ended("failed", {
            error: toWire(
              new SignalboxError("E_AGENT_EMPTY", "The agent ended without an answer."),
            ),
          }),
          abandoned: false,
        };
      idle.touch();
      watch.onAlive?.();
      const event = step.value;
      switch (event.type) {
        case "text": {
          const last = segments.at(-1);
          if (last?.kind === "text") last.text += event.delta;
          else segments.push({ kind: "text", text: event.delta });
          watch.onText(event.delta);
          break;
        }
        case "tool-call":
          segments.push({ kind: "tool", call: event.call, output: "", failed: false, done: false });
          watch.onTool(event.call.name);
          break;
        case "tool-result": {
          const call = segments.find(
            (segment) =>
              segment.kind === "tool" && segment.call.id === event.callId && !segment.done,
          );
          if (call?.kind === "tool")
            Object.assign(call, { output: event.output, failed: event.failed, done: true });
          break;
        }
        case "steered":
          segments.push({ kind: "steer", inputId: event.inputId, text: event.text });
          break;
        case "reasoning":
        case "alive":
          break;
        case "end":
          usage = event.usage;
          model = event.model;
          finish = event.finish;
          return {
            result:
              event.state === "complete"
                ? ended("completed")
                : ended("interrupted", {
                    because: event.reason ?? "The connection to the agent broke.",
                  }),
            abandoned: !(await leaves(iterator, limits.graceMs, clock)),
          };
      }
    }
  } catch (thrown) {
    if (inner.signal.aborted) return { result: shortened(), abandoned: false };
    watch.onFault(thrown);
    return { result: ended("failed", { error: toAgentError(thrown) }), abandoned: false };
  } finally {
    idle.cancel();
    endGrace();
    cut.removeEventListener("abort", onCut);
  }
}

/**
 * Lets an agent that has answered leave its turn; how it does so no longer matters.
 * @returns false where it does not even leave: it is as good as hung.
 */
async function leaves(
  iterator: AsyncIterator<AgentEvent>,
  graceMs: number,
  clock: Clock,
): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(graceMs, () => {
      resolve(false);
    });
  });
  const left = Promise.resolve(iterator.return?.()).then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([left, late]);
  cancel();
  return inTime;
}

function toAgentError(thrown: unknown) {
  const wire = toWire(thrown);
  return wire.code === "E_INTERNAL"
    ? {
        ...wire,
        code: "E_AGENT_FAILED" as const,
        message: "The agent failed; the gateway's log says how.",
      }
    : wire;
}

function idleTimer(
  clock: Clock,
  ms: number,
  onIdle: () => void,
): { touch(): void; cancel(): void } {
  if (ms <= 0) return { touch() {}, cancel() {} };
  let lastMs = clock.monotonicMs();
  let cancel = clock.after(ms, check);
  function check(): void {
    const left = lastMs + ms - clock.monotonicMs();
    if (left <= 0) onIdle();
    else cancel = clock.after(left, check); // one timer a turn, not one a token
  }
  return {
    touch() {
      lastMs = clock.monotonicMs();
    },
    cancel() {
      cancel();
    },
  };
}
