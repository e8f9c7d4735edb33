import type { AgentEvent, AgentRuntime, TurnRequest } from "../agents/runtime.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";

/** One turn of a scripted agent, from its side; the test decides how it goes on. */
export interface Run {
  readonly key: SessionKey;
  readonly request: TurnRequest;
  readonly signal: AbortSignal;
  /** False once it has ended, by itself or because it was left behind. */
  readonly live: boolean;
  say(text: string): void;
  emit(event: AgentEvent): void;
  /** Says this and ends, as an agent that is done does. */
  answer(text: string): void;
  fail(thrown: unknown): void;
}

export interface ScriptedAgent {
  runtime: AgentRuntime;
  /** Every turn that was begun, oldest first. */
  runs: Run[];
  /** Those that go on now. */
  live(): Run[];
  /** Agents that were built, and those of them that were released. */
  readonly built: number;
  readonly released: number;
  /** From now on turns that are stopped go on as if they had not noticed. */
  deaf: boolean;
}

const complete: AgentEvent = {
  type: "end",
  state: "complete",
  finish: "stop",
  usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
  model: "scripted",
};

/** An agent whose turns do what the test says, when it says so; it heeds its abort signal. */
export function scriptedAgent(id = "scripted"): ScriptedAgent {
  let built = 0;
  let released = 0;
  const made: ScriptedAgent = {
    runs: [],
    live: () => made.runs.filter((run) => run.live),
    get built() {
      return built;
    },
    get released() {
      return released;
    },
    deaf: false,
    runtime: {
      id,
      runtime: "practice",
      baseUrl: null,
      model: "scripted",
      hasKey: false,
      probe: () => Promise.reject(new Error("nobody probes this one")),
      createAgent() {
        built += 1;
        return {
          run: (request, signal) => begin(request, signal),
          liveBytes: () => 0,
          release() {
            released += 1;
            return Promise.resolve();
          },
        };
      },
    },
  };

  async function* begin(request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const waiting: (() => AgentEvent)[] = [];
    let wake = (): void => undefined;
    let live = true;
    const push = (step: () => AgentEvent): void => {
      waiting.push(step);
      wake();
    };
    const emit = (event: AgentEvent): void => {
      push(() => event);
    };
    const run: Run = {
      key: request.key,
      request,
      signal,
      get live() {
        return live;
      },
      say: (delta) => {
        emit({ type: "text", delta });
      },
      emit,
      answer(text) {
        if (text !== "") run.say(text);
        emit(complete);
      },
      fail(thrown) {
        push(() => {
          throw thrown;
        });
      },
    };
    made.runs.push(run);
    signal.addEventListener("abort", () => {
      if (!made.deaf) run.fail(new SignalboxError("E_TURN_STOPPED", "The turn was stopped."));
    });
    try {
      for (;;) {
        const step = waiting.shift();
        if (step) yield step();
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      live = false;
    }
  }
  return made;
}
