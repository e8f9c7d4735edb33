import type Sqlite from "better-sqlite3";
import { isJsonObject } from "../sessions/stored-json.ts";
import { contentText, objectOf, parsedJson, textOf } from "./content-text.ts";
import type { SourceMessage } from "./import-source.ts";

/** A row of another build's table: its columns are known only when it is open. Values as SQLite gives them. */
export type LooseRow = Readonly<Record<string, string | number | null | Buffer | undefined>>;

export const textIn = (row: LooseRow, name: string): string | null => {
  const value = row[name];
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
};

export const numberIn = (row: LooseRow, name: string): number => {
  const value = row[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
};

/** Epoch seconds, as that build stores them, in ms; null where there is no time. */
export const timeIn = (row: LooseRow, name: string): number | null => {
  const value = row[name];
  return typeof value === "number" && Number.isFinite(value) && value > 0
    ? Math.round(value * 1000)
    : null;
};

/** Those of `wanted` that the table has, for a SELECT; older builds lack some. */
export function columnsIn(
  sql: Sqlite.Database,
  table: string,
  wanted: readonly string[],
): string[] {
  const there = new Set(
    (sql.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name),
  );
  return wanted.filter((name) => there.has(name));
}

export const messageColumns = [
  "id",
  "role",
  "content",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "timestamp",
  "token_count",
  "finish_reason",
  "platform_message_id",
  "active",
  "compacted",
  "_compressed_summary",
] as const;

/** Lists of parts are stored behind this mark. */
const jsonMark = "\u0000json:";

const contentOf = (stored: string): string =>
  stored.startsWith(jsonMark)
    ? contentText(parsedJson(stored.slice(jsonMark.length)) ?? stored.slice(jsonMark.length))
    : stored;

/** Calls in the provider's shape, as ours; arguments that do not parse are kept as the text they are. */
function callsOf(stored: string | null): string | null {
  const list = parsedJson(stored);
  if (!Array.isArray(list)) return null;
  const calls = list.flatMap((item: unknown) => {
    if (!isJsonObject(item)) return [];
    const called = objectOf(item, "function");
    const name = textOf(called, "name") ?? textOf(item, "name");
    const id = textOf(item, "id") ?? textOf(item, "call_id");
    if (name === null || id === null) return [];
    const text = textOf(called, "arguments");
    return [{ id, name, args: parsedJson(text) ?? text ?? {} }];
  });
  return calls.length === 0 ? null : JSON.stringify(calls);
}

const roles: Readonly<Record<string, SourceMessage["role"]>> = {
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
  system: "system",
};

/**
 * A stored row as ours (lifecycle 7.3).
 *
 * @returns null for rows that are no message but that build's own notes.
 */
export function messageOfRow(row: LooseRow): SourceMessage | null {
  const role = roles[textIn(row, "role") ?? ""];
  if (role === undefined) return null;
  const isSummary = numberIn(row, "_compressed_summary") === 1;
  const finish = textIn(row, "finish_reason");
  return {
    ref: String(row["id"]),
    role: isSummary ? "system" : role,
    content: contentOf(textIn(row, "content") ?? ""),
    timestamp: timeIn(row, "timestamp") ?? 0,
    toolCallId: textIn(row, "tool_call_id"),
    toolCalls: callsOf(textIn(row, "tool_calls")),
    toolName: textIn(row, "tool_name"),
    // A tool's row says by it how the call went; that build does not record that.
    finishReason: role === "tool" ? null : finish,
    platformMessageId: textIn(row, "platform_message_id"),
    tokenCount: row["token_count"] == null ? null : Math.trunc(numberIn(row, "token_count")),
    displayKind: isSummary ? "summary" : null,
    active: row["active"] === 0 ? 0 : 1,
    compacted: row["compacted"] === 1 ? 1 : 0,
  };
}
