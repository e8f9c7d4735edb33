import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import type { HistoryMessage, ToolCall, TurnRequest } from "../runtime.ts";

/**
 * The messages of a request, without the system section.
 *
 * Servers refuse a call without its result and a result without its call, so either is left out here whatever the
 * transcript holds; blank assistant rows too. A resumed turn has no text of its own: where nothing waits for an
 * answer, `Continue.` asks for one, because chat templates want a person or a tool to have spoken last.
 */
export function toMessages(request: TurnRequest): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const { history } = request;
  for (const [at, row] of history.entries()) {
    if (row.role === "user") messages.push({ role: "user", content: row.text });
    else if (row.role === "assistant") messages.push(...spoken(row, resultsAfter(history, at)));
  }
  const now = [request.systemEvents ?? "", request.text].filter((part) => part !== "").join("\n\n");
  if (now !== "") messages.push({ role: "user", content: now });
  else if (messages.at(-1)?.role !== "user" && messages.at(-1)?.role !== "tool")
    messages.push({ role: "user", content: "Continue." });
  return messages;
}

/** An assistant message with calls, and the results it got, as a server wants them for the next request. */
export function answeredCalls(
  text: string,
  answered: readonly { call: ToolCall; output: string }[],
): [AssistantModelMessage, ToolModelMessage] {
  return [
    {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...answered.map(({ call }) => ({
          type: "tool-call" as const,
          toolCallId: call.id,
          toolName: call.name,
          input: call.args,
        })),
      ],
    },
    {
      role: "tool",
      content: answered.map(({ call, output }) => ({
        type: "tool-result" as const,
        toolCallId: call.id,
        toolName: call.name,
        output: { type: "text" as const, value: output },
      })),
    },
  ];
}

function spoken(row: HistoryMessage, results: ReadonlyMap<string, string>): ModelMessage[] {
  const answered = (row.toolCalls ?? []).flatMap((call) => {
    const output = results.get(call.id);
    return output === undefined ? [] : [{ call, output }];
  });
  if (answered.length > 0) return answeredCalls(row.text, answered);
  return row.text.trim() === "" ? [] : [{ role: "assistant", content: row.text }];
}

/** Results stand right after the message whose calls they answer. */
function resultsAfter(history: readonly HistoryMessage[], at: number): Map<string, string> {
  const results = new Map<string, string>();
  for (let next = at + 1; history[next]?.role === "tool"; next++) {
    const row = history[next];
    if (row?.toolCallId !== undefined) results.set(row.toolCallId, row.text);
  }
  return results;
}
