import type { HistoryMessage } from "./runtime.ts";

/** Characters quoted of a message. */
const quoted = 160;

const excerpt = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  const points = [...line];
  return points.length <= quoted ? line : `${points.slice(0, quoted - 1).join("")}…`;
};

/** The practice agent's summary of a conversation: the same history always gives the same words. */
export function practiceSummary(history: readonly HistoryMessage[], focus: string): string {
  const said = history.filter((message) => message.role === "user");
  const answers = history.filter((message) => message.role === "assistant");
  const tools = history.filter((message) => message.role === "tool");
  const first = said[0];
  const last = said.at(-1);
  return [
    `${said.length} from people, ${answers.length} answers, ${tools.length} tool results.`,
    ...(first ? [`It began with: ${excerpt(first.text)}`] : []),
    ...(last && last !== first ? [`It ended with: ${excerpt(last.text)}`] : []),
    ...(focus === "" ? [] : [`In focus: ${excerpt(focus)}`]),
  ].join("\n");
}
