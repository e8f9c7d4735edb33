import type { SessionId, SessionKey, TurnId } from "../contract/ids.ts";
import type { ProbeResult } from "../contract/domain.ts";

export interface ToolCall {
  id: string;
  name: string;
  /** Parsed arguments; a call whose arguments do not parse is never reported as one. */
  args: unknown;
}

/** What the model is shown of the past: whole rows only, tool calls always with their results. */
export interface HistoryMessage {
  role: "user" | "assistant" | "tool";
  text: string;
  toolCalls?: ToolCall[];
  /** For `tool` rows: which call this is the result of. */
  toolCallId?: string;
  toolName?: string;
}

export interface TurnRequest {
  turnId: TurnId;
  key: SessionKey;
  sessionId: SessionId;
  /** The session context section (lifecycle 9.2). */
  system: string;
  history: readonly HistoryMessage[];
  /** This turn's input, as the model is to see it. Empty for resumed turns, whose note is in `system`, and for wakes. */
  text: string;
  /** Lines of the gateway that stand before the text: data, no instruction (state-awareness 6.2). */
  systemEvents?: string;
  /** Nobody wrote: `systemEvents` alone began this turn. */
  wake?: boolean;
  /** The model to use instead of the runtime's own. */
  model?: string;
  /** Tools that the turn may call; absent: none. */
  tools?: ToolBox;
}

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  inputSchema: Readonly<Record<string, unknown>>;
}

/** The tools of one turn, bound to its session. */
export interface ToolBox {
  specs: readonly ToolSpec[];
  /** Never throws: what goes wrong is the result. Resolves at once when the signal fires. */
  call(
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<{ output: string; failed: boolean }>;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** What a running turn tells, in order. A turn ends with exactly one `end`, or by throwing. */
export type AgentEvent =
  | { type: "text"; delta: string }
  /** Hidden thought: a sign of life, never part of the reply. */
  | { type: "reasoning"; delta: string }
  | { type: "tool-call"; call: ToolCall }
  | { type: "tool-result"; callId: string; name: string; output: string; failed: boolean }
  /** Progress without content (keep-alive): resets the idle clock. */
  | { type: "alive" }
  /** What `steer` handed in has been put before the model: it is part of this turn from here on. */
  | { type: "steered"; inputId: number; text: string }
  /** `complete` = the provider's own end mark was seen. `interrupted` = the stream broke after text was shown. */
  | {
      type: "end";
      state: "complete" | "interrupted";
      finish: string | null;
      usage: Usage | null;
      model: string | null;
      reason?: string;
    };

/**
 * A live agent of one session, kept warm by the cache. One `run` at a time.
 *
 * `run` throws SignalboxError: E_AGENT_DOWN (no server), E_AGENT_MODEL (unknown model), E_AGENT_KEY (key refused),
 * E_AGENT_CONTEXT (too long), E_AGENT_STREAM (error inside the answer), E_AGENT_TIMEOUT (first token, idle or total),
 * E_AGENT_EMPTY (ended with nothing), E_AGENT_FAILED (anything else), E_TURN_STOPPED (the signal fired).
 */
export interface Agent {
  run(request: TurnRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /**
   * Hands text to the running turn, to be put in after the next tool result (lifecycle 12.3). Taken up only when a
   * `steered` event says so: a turn that ends before leaves the text to the next one.
   * @returns false where this turn cannot take any. Absent: this agent never can.
   */
  steer?(input: SteerInput): boolean;
  /** Bytes this agent keeps in memory for the session; 0 where it keeps none. */
  liveBytes(): number;
  /** Frees clients and memory; background processes survive (soft release, lifecycle 16.5). */
  release(): Promise<void>;
}

export interface SteerInput {
  /** The waiting message that it is; told back by `steered`. */
  inputId: number;
  /** As the model is to see it, sender's name included. */
  text: string;
}

export interface SummaryRequest {
  history: readonly HistoryMessage[];
  /** What the person wants kept in any case; null: nothing special. */
  focus: string | null;
}

export interface AgentRuntime {
  readonly id: string;
  readonly runtime: "practice" | "openai-compatible";
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly hasKey: boolean;
  createAgent(session: { key: SessionKey; sessionId: SessionId }): Agent;
  /**
   * Sums up a conversation in its own way (lifecycle 14); absent: it is asked for in an ordinary turn.
   * @throws {SignalboxError} as `run` does.
   */
  summarize?(request: SummaryRequest, signal: AbortSignal): Promise<string>;
  /** Never throws: the result says how it went. */
  probe(signal: AbortSignal): Promise<ProbeResult>;
}
