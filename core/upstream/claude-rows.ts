import { isJsonObject } from "../sessions/stored-json.ts";
import { normalisedText } from "./catalog.ts";

/** A scan reads at most this much at once (state-awareness 14.7). */
export const windowBytes = 1_048_576;

export interface ClaudeRead {
  humanTurns: number;
  /** Bytes up to and including the last line feed read. */
  consumed: number;
  /** Epoch ms of the newest counted row; null where none was counted. */
  occurredAtMs: number | null;
}

const flags = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain"];
const machinery = "[Inter-session message]";

/**
 * Counts the prompts that people typed in a piece of a Claude session file. Only whole lines count; those that cannot
 * be read are passed over.
 * @param fileTimeMs Stands in for rows without a time.
 * @returns null where the piece holds no whole line.
 */
export function readClaudeRows(
  piece: Buffer,
  ownTexts: readonly string[],
  fileTimeMs: number,
): ClaudeRead | null {
  const end = piece.lastIndexOf(0x0a);
  if (end < 0) return null;
  const own = new Set(ownTexts);
  let humanTurns = 0;
  let occurredAtMs: number | null = null;
  for (const line of piece.subarray(0, end).toString("utf8").split("\n")) {
    const row = parsed(line);
    if (row === null || !isHumanPrompt(row, own)) continue;
    humanTurns += 1;
    const stamp = row["timestamp"];
    const at = typeof stamp === "string" ? Date.parse(stamp) : Number.NaN;
    occurredAtMs = Math.max(occurredAtMs ?? 0, Number.isNaN(at) ? fileTimeMs : at);
  }
  return { humanTurns, consumed: end + 1, occurredAtMs };
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** By what the row is, not by its words, as far as rows say it. */
function isHumanPrompt(row: Record<string, unknown>, own: ReadonlySet<string>): boolean {
  const { message } = row;
  if (row["type"] !== "user" || !isJsonObject(message) || message["role"] !== "user") return false;
  if (flags.some((flag) => row[flag] === true)) return false;
  const { content } = message;
  const blocks: readonly unknown[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : Array.isArray(content)
        ? content
        : [];
  if (blocks.some((block) => isJsonObject(block) && block["type"] === "tool_result")) return false;
  const texts = blocks.flatMap((block) =>
    isJsonObject(block) && block["type"] === "text" && typeof block["text"] === "string"
      ? [block["text"]]
      : [],
  );
  const first = texts.find((text) => text.trim() !== "");
  if (first === undefined || first.trimStart().startsWith(machinery)) return false;
  return !own.has(normalisedText(first));
}
