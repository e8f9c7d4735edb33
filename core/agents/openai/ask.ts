import type { LanguageModelUsage, ModelMessage } from "ai";
import type { AgentEvent, ToolCall, ToolSpec, Usage } from "../runtime.ts";
import { hungUpFault, sdkFault, type FaultScene } from "./faults.ts";
import type { StreamTimers } from "./stream-limits.ts";
import { newWire, wireFetch, type WireListener } from "./wire.ts";

type Sdk = typeof import("ai") & typeof import("@ai-sdk/openai-compatible");
let loaded: Promise<Sdk> | null = null;

/** Loaded with the first request: it takes about 200 ms, which start-up does not pay. */
function loadSdk(): Promise<Sdk> {
  loaded ??= Promise.all([import("ai"), import("@ai-sdk/openai-compatible")]).then(
    ([ai, provider]) => {
      globalThis.AI_SDK_LOG_WARNINGS = false; // it would write to the console
      return { ...ai, ...provider };
    },
  );
  return loaded;
}

export interface Question {
  baseUrl: string;
  model: string;
  scene: FaultScene;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolSpec[];
  fetchImpl: typeof fetch;
  timers: StreamTimers;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
}

export interface Answer {
  /** Text as the model wrote it. */
  text: string;
  /** The model thought, whether or not it said something. */
  thought: boolean;
  /** Calls whose arguments parse to an object; empty unless the message ended properly. */
  calls: ToolCall[];
  /** Calls were begun, whatever became of them. */
  called: boolean;
  usage: Usage | null;
  model: string | null;
  /** `cut` = the connection ended without the message's end. */
  ended: "properly" | "cut";
  finish: string | null;
  broke: string | null;
}

/**
 * Sends one request and emits text and reasoning as they come; calls are only returned.
 *
 * @throws {SignalboxError} E_AGENT_* for a refusal, a dead server or a fault inside the answer; text may have been
 *   emitted before.
 */
export async function ask(question: Question): Promise<Answer> {
  const sdk = await loadSdk();
  const { timers, emit } = question;
  const wire = newWire();
  const provider = sdk.createOpenAICompatible({
    name: "agent",
    baseURL: question.baseUrl,
    includeUsage: true,
    ...(question.scene.apiKey !== null && { apiKey: question.scene.apiKey }),
    fetch: wireFetch(question.fetchImpl, wire, listen(question), question.scene),
  });
  timers.request();
  const stream = sdk.streamText({
    model: provider.chatModel(question.model),
    messages: [...question.messages],
    // Without `execute`: a call ends the request, and the runtime answers it in the next one.
    ...(question.tools.length > 0 && {
      tools: Object.fromEntries(
        question.tools.map(({ name, description, inputSchema }) => [
          name,
          sdk.tool({ description, inputSchema: sdk.jsonSchema(inputSchema) }),
        ]),
      ),
    }),
    ...(question.system !== "" && { system: question.system }),
    maxRetries: 0, // whether a turn is tried again is decided where its transcript is
    abortSignal: question.signal,
    onError: () => {}, // told by `wire` and the stream; the default writes to the console
  });

  const answer = { text: "", thought: false, called: false, usage: null as Usage | null };
  let model: string | null = null;
  const calls: ToolCall[] = [];
  let sdkError: unknown = null;
  try {
    for await (const part of stream.fullStream)
      switch (part.type) {
        case "text-delta":
          timers.begun();
          answer.text += part.text;
          emit({ type: "text", delta: part.text });
          break;
        case "reasoning-delta":
          timers.begun();
          answer.thought = true;
          emit({ type: "reasoning", delta: part.text });
          break;
        case "tool-input-start":
          timers.begun();
          answer.called = true;
          break;
        case "tool-call": {
          const args = toArgs(part.input);
          if (args) calls.push({ id: part.toolCallId, name: part.toolName, args });
          break;
        }
        case "finish-step":
          answer.usage = toUsage(part.usage);
          model = part.response.modelId;
          break;
        case "error":
          sdkError ??= part.error;
          break;
        default: // starts and ends of parts say nothing that we need
      }
  } catch (thrown) {
    sdkError ??= thrown;
  }
  if (wire.fault) throw wire.fault;
  if (sdkError !== null && !wire.over) throw sdkFault(sdkError, wire.asked);
  if (wire.events === 0 && wire.broke !== null) throw hungUpFault(wire.broke);
  const properly = wire.finish !== null || wire.done || wire.events === 0;
  return {
    ...answer,
    model,
    calls: properly ? calls : [],
    ended: properly ? "properly" : "cut",
    finish: wire.finish,
    broke: wire.broke,
  };
}

function listen({ timers, emit }: Question): WireListener {
  return {
    bytes(silent) {
      timers.bytes();
      if (silent) emit({ type: "alive" });
    },
    finished(close) {
      timers.finished(close);
    },
  };
}

/** A call without arguments may have an empty string for them; anything else must be an object. */
function toArgs(input: unknown): object | null {
  if (input === "") return {};
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : null;
}

function toUsage(usage: LanguageModelUsage): Usage | null {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return null;
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
}
