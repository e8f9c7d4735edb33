import type { MessageRow, ToolUse } from "../contract/domain.ts";
import type { HistoryMessage, ToolCall } from "../agents/runtime.ts";
import type { StoredMessage } from "./message-store.ts";

/** Characters of a tool's output that a page carries. */
const toolTextLimit = 4_000;

/**
 * Stored rows as a person reads them: a tool's result is folded into the row that called it where both are on the
 * page; a result whose call is on an earlier page stands alone.
 */
export function messageRows(stored: readonly StoredMessage[]): MessageRow[] {
  const rows: MessageRow[] = [];
  const calls = new Map<string, ToolUse>();
  for (const message of stored) {
    if (message.role === "tool") {
      const call = message.toolCallId === null ? undefined : calls.get(message.toolCallId);
      const outcome =
        message.finishReason === "failed"
          ? "failed"
          : message.finishReason === "unknown"
            ? "unknown"
            : "ok";
      const output = message.text.slice(0, toolTextLimit);
      if (call) {
        Object.assign(call, { outcome, output, outputBytes: message.textBytes });
        continue;
      }
      rows.push({
        ...base(message, ""),
        tools: [
          {
            id: message.toolCallId ?? String(message.id),
            name: message.toolName ?? "tool",
            outcome,
            output,
            outputBytes: message.textBytes,
          },
        ],
      });
      continue;
    }
    const tools = callsOf(message.toolCalls).map((call) => ({
      id: call.id,
      name: call.name,
      outcome: "unknown" as const,
      output: "",
      outputBytes: 0,
    }));
    for (const tool of tools) calls.set(tool.id, tool);
    rows.push({ ...base(message, message.text), tools });
  }
  return rows;
}

const base = (message: StoredMessage, text: string): Omit<MessageRow, "tools"> => ({
  id: message.id,
  sessionId: message.sessionId,
  role: message.role,
  text,
  from: message.senderName,
  atMs: message.timestamp,
  turnId: message.turnId,
  cut: message.finishReason?.startsWith("cut:") === true ? message.finishReason.slice(4) : null,
  textBytes: message.textBytes,
  delivery: message.delivery as MessageRow["delivery"],
});

/** A stored list of tool calls; one that cannot be read is an empty list (lifecycle 3.8). */
function callsOf(json: string | null): ToolCall[] {
  if (json === null) return [];
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? (value as ToolCall[]) : [];
  } catch {
    return [];
  }
}

/**
 * Stored rows as an agent is shown them (lifecycle 3.8): bars left out, a summary told like a message, two user rows in a
 * row joined, a call without its result at the tail dropped, so that any provider accepts the list.
 */
export function historyOf(
  stored: readonly {
    role: string;
    displayKind?: string | null;
    content: string;
    toolCallId: string | null;
    toolCalls: string | null;
    toolName: string | null;
  }[],
): HistoryMessage[] {
  const history: HistoryMessage[] = [];
  const answered = new Set(
    stored.flatMap((row) =>
      row.role === "tool" && row.toolCallId !== null ? [row.toolCallId] : [],
    ),
  );
  for (const row of stored) {
    if (row.role === "user" || (row.role === "system" && row.displayKind === "summary")) {
      const last = history.at(-1);
      if (last?.role === "user") last.text = `${last.text}\n\n${row.content}`;
      else history.push({ role: "user", text: row.content });
    } else if (row.role === "assistant") {
      const toolCalls = callsOf(row.toolCalls).filter((call) => answered.has(call.id));
      if (row.content === "" && toolCalls.length === 0) continue;
      history.push({
        role: "assistant",
        text: row.content,
        ...(toolCalls.length > 0 ? { toolCalls } : {}),
      });
    } else if (row.role === "tool" && row.toolCallId !== null) {
      history.push({
        role: "tool",
        text: row.content,
        toolCallId: row.toolCallId,
        ...(row.toolName === null ? {} : { toolName: row.toolName }),
      });
    }
  }
  return history;
}
