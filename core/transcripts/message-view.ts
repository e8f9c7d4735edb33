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
  kind: message.displayKind,
  cut: message.finishReason?.startsWith("cut:") === true ? message.finishReason.slice(4) : null,
  textBytes: message.textBytes,
  delivery: message.delivery as MessageRow["delivery"],
});

/** A stored list of tool calls; what cannot be read is left out (lifecycle 3.8). */
export function callsOf(json: string | null): ToolCall[] {
  if (json === null) return [];
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter(isToolCall) : [];
  } catch {
    return [];
  }
}

const isToolCall = (value: unknown): value is ToolCall =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "name" in value &&
  typeof value.name === "string";

interface HistoryRow {
  role: string;
  displayKind?: string | null;
  content: string;
  toolCallId: string | null;
  toolCalls: string | null;
  toolName: string | null;
}

/**
 * Stored rows as an agent is shown them (lifecycle 3.8): bars left out, a summary told like a message, rows of one
 * speaker in a row joined, tool calls and results kept only in pairs, so that any provider accepts the list.
 */
export function historyOf(stored: readonly HistoryRow[]): HistoryMessage[] {
  const rows = stored.filter((row) => row.role !== "boundary");
  const history: HistoryMessage[] = [];
  for (const [index, row] of rows.entries()) {
    const last = history.at(-1);
    if (row.role === "user" || (row.role === "system" && row.displayKind === "summary")) {
      if (last?.role === "user") last.text = joined(last.text, row.content);
      else history.push({ role: "user", text: row.content });
    } else if (row.role === "assistant") {
      const pairs = answeredCalls(rows, index);
      if (row.content === "" && pairs.length === 0) continue;
      const told = last?.role === "assistant" ? last : { role: "assistant" as const, text: "" };
      if (told !== last) history.push(told);
      told.text = joined(told.text, row.content);
      if (pairs.length > 0) told.toolCalls = pairs.map(({ call }) => call);
      for (const { call, answer } of pairs)
        history.push({
          role: "tool",
          text: answer.content,
          toolCallId: call.id,
          ...(answer.toolName === null ? {} : { toolName: answer.toolName }),
        });
    }
  }
  return history;
}

const joined = (before: string, after: string): string =>
  before === "" || after === "" ? before + after : `${before}\n\n${after}`;

/** The calls of an assistant row whose result stands right behind it, each with that result. */
function answeredCalls(
  rows: readonly HistoryRow[],
  index: number,
): { call: ToolCall; answer: HistoryRow }[] {
  const answers = new Map<string, HistoryRow>();
  for (let at = index + 1; rows[at]?.role === "tool"; at += 1) {
    const row = rows[at];
    if (row && row.toolCallId !== null && !answers.has(row.toolCallId))
      answers.set(row.toolCallId, row);
  }
  return callsOf(rows[index]?.toolCalls ?? null).flatMap((call) => {
    const answer = answers.get(call.id);
    answers.delete(call.id);
    return answer ? [{ call, answer }] : [];
  });
}
