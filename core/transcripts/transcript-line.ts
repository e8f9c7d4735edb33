import { isJsonObject, own, scalarText } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import { timeFromStored, timeToStored } from "../sessions/stored-time.ts";
import type { NewMessage } from "./message-store.ts";

/** A transcript row without its session: what one line of `{session_id}.jsonl` holds (lifecycle 3.10). */
export type LineMessage = Omit<NewMessage, "sessionId">;

const roles: ReadonlySet<string> = new Set<NewMessage["role"]>([
  "user",
  "assistant",
  "tool",
  "system",
  "boundary",
]);

const parsed = (json: string | null | undefined): unknown => {
  try {
    return json == null ? null : (JSON.parse(json) as unknown);
  } catch {
    return null;
  }
};

/** One line, without its line break; members that say nothing are left out. */
export function lineOf(message: LineMessage): string {
  const members: [string, unknown][] = [
    ["role", message.role],
    ["content", message.content],
    ["timestamp", timeToStored(message.timestamp)],
    ["sender_name", message.senderName],
    ["turn_id", message.turnId],
    ["platform_message_id", message.platformMessageId],
    ["tool_calls", parsed(message.toolCalls)],
    ["tool_call_id", message.toolCallId],
    ["tool_name", message.toolName],
    ["finish_reason", message.finishReason],
    ["display_kind", message.displayKind],
    ["display_metadata", parsed(message.displayMetadata)],
    ["token_count", message.tokenCount],
    ["api_content", message.apiContent],
  ];
  return JSON.stringify(
    Object.fromEntries(members.filter(([, value]) => value !== null && value !== undefined)),
  );
}

/** Seconds are told from milliseconds by their size: as milliseconds this would be the year 1973. */
const lastSecond = 100_000_000_000;

/** A time as a line may give it: ISO, epoch seconds or epoch milliseconds. */
function lineTime(value: unknown): number | null {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
    return timeFromStored(value);
  return Math.round(value < lastSecond ? value * 1000 : value);
}

/**
 * Reads one line.
 *
 * @returns null where it is not a transcript row: half written, of another product, or no JSON.
 */
export function messageOfLine(text: string): LineMessage | null {
  const value = parsed(text);
  if (!isJsonObject(value) || Object.hasOwn(value, "type")) return null;
  const role = own(value, "role");
  const content = own(value, "content");
  const timestamp = lineTime(own(value, "timestamp"));
  if (typeof role !== "string" || content === undefined || timestamp === null) return null;
  const scalar = (name: string): string | null => scalarText(own(value, name));
  const calls = own(value, "tool_calls");
  const count = own(value, "token_count");
  return {
    role: (roles.has(role) ? role : "system") as NewMessage["role"],
    content:
      typeof content === "string" ? content : content === null ? "" : JSON.stringify(content),
    timestamp,
    senderName: scalar("sender_name"),
    turnId: scalar("turn_id"),
    platformMessageId: scalar("platform_message_id"),
    toolCalls: Array.isArray(calls) ? JSON.stringify(calls) : null,
    toolCallId: scalar("tool_call_id"),
    toolName: scalar("tool_name"),
    finishReason: scalar("finish_reason"),
    displayKind: scalar("display_kind"),
    displayMetadata: jsonText(value, "display_metadata"),
    tokenCount: typeof count === "number" ? Math.trunc(count) : null,
    apiContent: scalar("api_content"),
  };
}

function jsonText(value: JsonObject, name: string): string | null {
  const member = own(value, name);
  return member === undefined || member === null ? null : JSON.stringify(member);
}
