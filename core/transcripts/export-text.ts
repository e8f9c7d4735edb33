import type { ToolCall } from "../agents/runtime.ts";
import type { ExportedRow, ExportedSession } from "./export-rows.ts";
import { callsOf } from "./message-view.ts";

/** How one format is made: a head, each row, an end. Joined they are the file. */
export interface ExportFormat {
  readonly mediaType: string;
  readonly extension: string;
  head(session: ExportedSession): string;
  /** @param isFirst Whether no row stands before it. */
  row(row: ExportedRow, isFirst: boolean): string;
  tail(): string;
}

const iso = (atMs: number): string => new Date(atMs).toISOString();
const cutOf = (row: ExportedRow): string | null =>
  row.finishReason?.startsWith("cut:") === true ? row.finishReason.slice(4) : null;

/** A block that no text inside it can end: its fence is longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** For people: one heading a message, tool calls and their results as blocks. */
export const markdown: ExportFormat = {
  mediaType: "text/markdown; charset=utf-8",
  extension: "md",
  head(session) {
    const facts = [
      `Session: \`${session.sessionId}\``,
      ...(session.key === null ? [] : [`Lane: \`${session.key}\``]),
      `Started: ${iso(session.startedAtMs)}`,
      ...(session.endedAtMs === null
        ? []
        : [`Ended: ${iso(session.endedAtMs)} (${session.endReason ?? "unknown"})`]),
    ];
    return `# ${oneLine(session.title ?? "Conversation")}\n\n${facts.map((fact) => `- ${fact}\n`).join("")}`;
  },
  row(row) {
    if (row.role === "boundary") return `\n---\n\n*${iso(row.atMs)}: ${oneLine(row.content)}*\n`;
    const cut = cutOf(row);
    const who =
      row.role === "tool"
        ? `result of ${row.toolName ?? "a tool"}${row.finishReason === "failed" ? " (failed)" : ""}`
        : (row.from ?? row.role);
    const notes = [
      ...(cut === null ? [] : [cut]),
      ...(row.displayKind === "summary" ? ["summary of what was said before"] : []),
      ...(row.compacted === 1 ? ["summarised since"] : []),
    ];
    const heading = `## ${oneLine(who)}${notes.map((note) => `, ${note}`).join("")}`;
    const blocks = [
      ...(row.content === "" ? [] : [row.role === "tool" ? fenced(row.content) : row.content]),
      ...callsOf(row.toolCalls).map(
        (call) => `Calls \`${call.name}\`:\n\n${fenced(argsText(call), "json")}`,
      ),
    ];
    return `\n${heading}\n\n*${iso(row.atMs)}*\n${blocks.map((block) => `\n${block}\n`).join("")}`;
  },
  tail: () => "",
};

const argsText = (call: ToolCall): string => JSON.stringify(call.args ?? null, null, 2);

/** For programs: one object. */
export const json: ExportFormat = {
  mediaType: "application/json",
  extension: "json",
  head: (session) =>
    `{\n"session": ${JSON.stringify({
      ...session,
      startedAt: iso(session.startedAtMs),
      endedAt: session.endedAtMs === null ? null : iso(session.endedAtMs),
      startedAtMs: undefined,
      endedAtMs: undefined,
    })},\n"messages": [`,
  row: (row, isFirst) =>
    `${isFirst ? "" : ","}\n${JSON.stringify({
      id: row.id,
      role: row.role,
      at: iso(row.atMs),
      from: row.from,
      text: row.content,
      ...(row.toolCalls === null ? {} : { toolCalls: callsOf(row.toolCalls) }),
      ...(row.role === "tool"
        ? { toolCallId: row.toolCallId, toolName: row.toolName, outcome: row.finishReason }
        : {}),
      ...(cutOf(row) === null ? {} : { cut: cutOf(row) }),
      ...(row.displayKind === null ? {} : { kind: row.displayKind }),
      ...(row.compacted === 1 ? { summarised: true } : {}),
    })}`,
  tail: () => "\n]\n}\n",
};
