import type { ToolCall, Usage } from "../agents/runtime.ts";
import type { WireError } from "../contract/errors.ts";

/** What a turn produced, in order: text, and tool calls with their results. */
export type Segment =
  | { kind: "text"; text: string }
  /** A person's message that was put into the running turn (lifecycle 12.3). */
  | { kind: "steer"; inputId: number; text: string }
  | { kind: "tool"; call: ToolCall; output: string; failed: boolean; done: boolean };

export interface TurnResult {
  /** `interrupted`: the provider's stream broke. `parked`: the gateway stops; the turn is taken up at the next start. */
  outcome: "completed" | "failed" | "stopped" | "interrupted" | "parked";
  segments: Segment[];
  usage: Usage | null;
  model: string | null;
  finish: string | null;
  error: WireError | null;
  /** Why an unfinished turn ended, as shown: `stopped by panel`, `connection lost`. */
  because: string | null;
  /** Of a stopped turn: whether the person has still to be told. */
  tell: boolean;
}

/** A transcript row to be, without its place. */
export interface ResultRow {
  role: "assistant" | "tool" | "user";
  /** The message of a person that it is, where the turn was steered by one. */
  inputId: number | null;
  content: string;
  toolCalls: ToolCall[] | null;
  toolCallId: string | null;
  toolName: string | null;
  finishReason: string | null;
}

/**
 * The rows of a result: each assistant row carries the calls made right after its text, and every call is followed by
 * its result. A call that never got one is closed as "outcome unknown", so that the history stays valid for the next
 * request (field need 5).
 */
export function resultRows(result: TurnResult): ResultRow[] {
  const rows: ResultRow[] = [];
  let open: ResultRow | null = null;
  let waiting: ResultRow[] = [];
  const flush = (): void => {
    if (open) rows.push(open);
    rows.push(...waiting);
    open = null;
    waiting = [];
  };
  for (const segment of result.segments) {
    if (segment.kind === "text") {
      if (segment.text === "") continue;
      flush();
      open = assistantRow(segment.text);
    } else if (segment.kind === "steer") {
      flush();
      rows.push({ ...assistantRow(segment.text), role: "user", inputId: segment.inputId });
    } else {
      open ??= assistantRow("");
      open.toolCalls = [...(open.toolCalls ?? []), segment.call];
      waiting.push({
        role: "tool",
        inputId: null,
        content: segment.done
          ? segment.output
          : "Outcome unknown: the turn ended before the tool answered.",
        toolCalls: null,
        toolCallId: segment.call.id,
        toolName: segment.call.name,
        finishReason: segment.done ? (segment.failed ? "failed" : "ok") : "unknown",
      });
    }
  }
  flush();
  const last = rows.findLast((row) => row.role === "assistant");
  if (last)
    last.finishReason =
      result.outcome === "completed" ? (result.finish ?? "stop") : `cut:${result.outcome}`;
  return rows;
}

const assistantRow = (content: string): ResultRow => ({
  role: "assistant",
  inputId: null,
  content,
  toolCalls: null,
  toolCallId: null,
  toolName: null,
  finishReason: null,
});

/** The text that the person gets: what the agent said last. `""` where it said nothing. */
export function replyText(segments: readonly Segment[]): string {
  const last = segments.findLast(
    (segment) => segment.kind === "text" && segment.text.trim() !== "",
  );
  return last?.kind === "text" ? last.text.trim() : "";
}
