import type { ModelMessage } from "ai";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { ask, type Answer } from "./openai/ask.ts";
import { createEventQueue } from "./openai/event-queue.ts";
import {
  cutFault,
  emptyFault,
  modelFault,
  sdkFault,
  stoppedFault,
  timeoutFault,
  type FaultScene,
} from "./openai/faults.ts";
import { firstChatModel, listModels, probeServer, toBaseUrl } from "./openai/models.ts";
import { answeredCalls, toMessages } from "./openai/prompt.ts";
import {
  defaultLimits,
  startTimers,
  type StreamLimits,
  type StreamTimers,
} from "./openai/stream-limits.ts";
import type {
  Agent,
  AgentEvent,
  AgentRuntime,
  SteerInput,
  ToolBox,
  ToolCall,
  TurnRequest,
  Usage,
} from "./runtime.ts";

export interface OpenAiCompatibleOptions {
  id: string;
  /** `/v1` is added where it has no path. Credentials in it are dropped. */
  baseUrl: string;
  /** Null: the first chat model the server lists, asked once. */
  model: string | null;
  apiKey: string | null;
  clock: Clock;
  log: Log;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** Defaults in `StreamLimits`. */
  limits?: Partial<StreamLimits>;
}

/** How long a turn that has to find a model first waits for the list. */
const LIST_TIMEOUT_MS = 10_000;

/** One turn under way: what its requests need, and what has come of them so far. */
interface Talk {
  request: TurnRequest;
  model: string;
  timers: StreamTimers;
  signal: AbortSignal;
  emit(event: AgentEvent): void;
}

/** Most requests of one turn in which tools are offered; then the model has to say what it has. */
const MAX_ROUNDS = 24;

/**
 * Agents on any server that speaks OpenAI's chat completions, through the AI SDK, streaming. Nothing is retried
 * here. A call is run, answered, and put before the model in the next request. Where the turn has no tools a call is
 * answered with "no such tool", and the model gets one more request to say something else.
 */
export function createOpenAiCompatibleRuntime(options: OpenAiCompatibleOptions): AgentRuntime {
  const { clock } = options;
  const fetchImpl = options.fetch ?? ((input, init) => fetch(input, init));
  const limits: StreamLimits = { ...defaultLimits, ...options.limits };
  const baseUrl = toBaseUrl(options.baseUrl);
  const apiKey = options.apiKey === "" ? null : options.apiKey;
  const log = options.log.area("agents");
  const server = { baseUrl, apiKey, fetchImpl, clock };
  let found: string | null = null;

  async function modelToAsk(signal: AbortSignal): Promise<string> {
    const known = options.model ?? found;
    if (known !== null) return known;
    found = firstChatModel(await listModels(server, signal, LIST_TIMEOUT_MS));
    if (found === null) throw modelFault({ apiKey, model: null }, {});
    return found;
  }

  /** The whole turn; everything it has to tell goes through `emit`, the `end` included. */
  async function converse(
    request: TurnRequest,
    timers: StreamTimers,
    signal: AbortSignal,
    emit: Talk["emit"],
    takeSteered: () => SteerInput[],
  ) {
    const model = request.model ?? (await modelToAsk(signal));
    const talk: Talk = { request, model, timers, signal, emit };
    const messages = toMessages(request);
    let said = "";
    let usage: Usage | null = null;
    for (let round = 0, refusals = 0; ; round += 1) {
      const tools = round < MAX_ROUNDS ? request.tools : undefined;
      const answer = await putQuestion(talk, messages, tools, isBlank(said) ? "" : "\n\n");
      said += answer.text;
      usage = add(usage, answer.usage);
      if (answer.ended === "cut" || answer.calls.length === 0 || refusals > 0) {
        for (const call of answer.calls) refuseCall(call, emit);
        finish(talk, answer, said, usage);
        return;
      }
      timers.rest();
      const answered = [];
      for (const call of answer.calls)
        answered.push(tools ? await runCall(call, tools, talk) : refuseCall(call, emit));
      if (!tools) {
        refusals += 1;
        log.info("tool-call.refused", { agent: options.id, calls: answered.length });
      }
      messages.push(...answeredCalls(answer.text, answered));
      for (const input of takeSteered()) {
        messages.push({ role: "user", content: input.text });
        emit({ type: "steered", ...input });
      }
    }
  }

  /** `gap` goes before the first text, to set it off from what an earlier request of the turn said. */
  function putQuestion(
    talk: Talk,
    messages: readonly ModelMessage[],
    tools: ToolBox | undefined,
    gap: string,
  ): Promise<Answer> {
    const scene: FaultScene = { apiKey, model: talk.model };
    let before = gap;
    return ask({
      baseUrl,
      model: talk.model,
      scene,
      system: talk.request.system,
      messages,
      tools: tools?.specs ?? [],
      fetchImpl,
      timers: talk.timers,
      signal: talk.signal,
      emit(event) {
        if (event.type !== "text") {
          talk.emit(event);
          return;
        }
        talk.emit({ type: "text", delta: before + event.delta });
        before = "";
      },
    });
  }

  function createAgent(): Agent {
    let busy = false;
    let callsTools = false;
    let handedIn: SteerInput[] = [];
    return {
      async *run(request, signal) {
        if (busy)
          throw new SignalboxError("E_BUSY", "This agent is still in a turn; one runs at a time.");
        if (signal.aborted) throw stoppedFault();
        busy = true;
        callsTools = request.tools !== undefined;
        handedIn = [];
        const queue = createEventQueue<AgentEvent>();
        const abort = new AbortController();
        const stop = () => {
          queue.cut(stoppedFault());
          abort.abort();
        };
        signal.addEventListener("abort", stop, { once: true });
        const timers = startTimers(clock, limits, (which) => {
          queue.fail(timeoutFault(which));
          abort.abort();
        });
        const takeSteered = () => handedIn.splice(0);
        converse(request, timers, abort.signal, queue.push, takeSteered).then(
          queue.end,
          (thrown: unknown) => {
            const fault = sdkFault(thrown, false);
            if (fault.code === "E_AGENT_MODEL") found = null; // the server may have another one now
            queue.fail(fault);
          },
        );
        try {
          yield* queue;
        } finally {
          timers.stop();
          signal.removeEventListener("abort", stop);
          abort.abort();
          busy = false;
        }
      },
      steer(input) {
        if (!busy || !callsTools) return false;
        handedIn.push(input);
        return true;
      },
      liveBytes: () => 0, // each request carries its whole history; the server keeps the rest
      release: () => Promise.resolve(),
    };
  }

  return {
    id: options.id,
    runtime: "openai-compatible",
    baseUrl,
    model: options.model,
    hasKey: apiKey !== null,
    createAgent,
    probe: (signal) => probeServer(server, options.model, signal),
  };
}

/** Tells how the turn ended. @throws {SignalboxError} where nothing was said that a person could read. */
function finish(talk: Talk, last: Answer, said: string, usage: Usage | null): void {
  if (isBlank(said)) {
    if (last.ended === "cut") throw cutFault(last.broke ?? "ended early");
    throw emptyFault(last.called ? "tools" : last.thought ? "reasoning" : "nothing");
  }
  const model = last.model ?? talk.model;
  if (last.ended === "properly")
    talk.emit({ type: "end", state: "complete", finish: last.finish, usage, model });
  else
    talk.emit({
      type: "end",
      state: "interrupted",
      finish: null,
      usage,
      model,
      reason: "The connection to the agent's server was lost in the middle of the answer.",
    });
}

async function runCall(
  call: ToolCall,
  tools: ToolBox,
  { emit, signal }: Talk,
): Promise<{ call: ToolCall; output: string }> {
  emit({ type: "tool-call", call });
  const { output, failed } = await tools.call(call.name, call.args, signal);
  emit({ type: "tool-result", callId: call.id, name: call.name, output, failed });
  return { call, output };
}

function refuseCall(call: ToolCall, emit: Talk["emit"]): { call: ToolCall; output: string } {
  const output = `There is no tool named "${call.name}". Answer without tools.`;
  emit({ type: "tool-call", call });
  emit({ type: "tool-result", callId: call.id, name: call.name, output, failed: true });
  return { call, output };
}

function add(a: Usage | null, b: Usage | null): Usage | null {
  if (!a || !b) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
