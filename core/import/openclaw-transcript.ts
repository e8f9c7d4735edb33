import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import { timeFromStored } from "../sessions/stored-time.ts";
import { readLines } from "../state/read-lines.ts";
import type { Breather } from "./breather.ts";
import { contentText, numberOf, objectOf, parsedJson, textOf } from "./content-text.ts";
import type { SourceMessage } from "./import-source.ts";

/** What a transcript file says of itself, found by one reading that keeps no text. */
export interface TranscriptOutline {
  /** From its first line; null where that is no session header. */
  id: string | null;
  startedAt: number | null;
  /** Name given in the session, the last one. */
  name: string | null;
  messages: number;
  /** Bytes at the end that are no whole line. */
  halfLineBytes: number;
  /** Lines in the middle that could not be read. */
  badLines: number;
  /** Entries that the conversation as it was last seen consists of; null where the file has no tree. */
  onPath: ReadonlySet<string> | null;
  /** Of the entries on the path, the first that is still sent to the agent; null where nothing was compacted. */
  keptFrom: string | null;
  /** The compaction that says so. */
  lastCompaction: string | null;
}

const spoken: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
]);

/** A line's entry; null for what is no JSON object. */
function entryOf(text: string | null): JsonObject | null {
  const value = parsedJson(text);
  return isJsonObject(value) ? value : null;
}

/** Reads a transcript once for its shape. Memory grows with the number of entries, not with what they say. */
export async function outlineOf(file: string, breathe: Breather): Promise<TranscriptOutline> {
  const parents = new Map<string, string | null>();
  const compactions: { id: string; keptFrom: string | null }[] = [];
  let last: string | null = null;
  const outline = {
    id: null as string | null,
    startedAt: null as number | null,
    name: null as string | null,
    messages: 0,
    halfLineBytes: 0,
    badLines: 0,
  };
  let first = true;
  for (const line of readLines(file)) {
    await breathe();
    const entry = entryOf(line.text);
    if (!entry) {
      if (line.ended) outline.badLines += line.text === "" ? 0 : 1;
      else outline.halfLineBytes = line.bytes;
      continue;
    }
    const type = textOf(entry, "type");
    if (first && type === "session") {
      outline.id = textOf(entry, "id");
      outline.startedAt = timeFromStored(own(entry, "timestamp"));
    }
    first = false;
    if (type === "session_info") outline.name = textOf(entry, "name") ?? outline.name;
    if (type === "message") outline.messages += 1;
    const id = textOf(entry, "id");
    if (id === null || type === "session") continue;
    parents.set(id, textOf(entry, "parentId"));
    last = id;
    if (type === "compaction")
      compactions.push({ id, keptFrom: textOf(entry, "firstKeptEntryId") });
  }
  const onPath = pathTo(last, parents);
  const compaction = compactions.findLast(({ id }) => onPath === null || onPath.has(id));
  return {
    ...outline,
    onPath,
    keptFrom: compaction?.keptFrom ?? null,
    lastCompaction: compaction?.id ?? null,
  };
}

/** Every entry between the newest and the root; null where entries name no parents, as older files do. */
function pathTo(
  leaf: string | null,
  parents: ReadonlyMap<string, string | null>,
): ReadonlySet<string> | null {
  if (leaf === null || [...parents.values()].every((parent) => parent === null)) return null;
  const path = new Set<string>();
  for (let at: string | null = leaf; at !== null && !path.has(at); at = parents.get(at) ?? null)
    path.add(at);
  return path;
}

/**
 * The rows of a transcript in the order of the file. Branches that were left are hidden like rewound rows, what was
 * compacted stays readable, the last summary stands for it (lifecycle 7.3).
 */
export async function* transcriptMessages(
  file: string,
  outline: TranscriptOutline,
  breathe: Breather,
): AsyncGenerator<SourceMessage> {
  let isKept = outline.lastCompaction === null;
  let number = 0;
  let lastAt = outline.startedAt ?? 0;
  for (const line of readLines(file)) {
    await breathe();
    number += 1;
    const entry = entryOf(line.text);
    const type = entry && textOf(entry, "type");
    if (!entry || type === null) continue;
    const id = textOf(entry, "id") ?? `line:${number}`;
    if (id === outline.keptFrom) isKept = true;
    if (!spoken.has(type)) continue;
    const atMs =
      numberOf(objectOf(entry, "message"), "timestamp") ??
      timeFromStored(own(entry, "timestamp")) ??
      lastAt;
    lastAt = atMs;
    const row = rowOf(type, entry);
    if (!row) continue;
    const isOnPath = outline.onPath?.has(id) ?? true;
    const isSummary = type === "compaction";
    const isActive = isOnPath && (isSummary ? id === outline.lastCompaction : isKept);
    yield {
      ref: id,
      timestamp: Math.trunc(atMs),
      ...row,
      active: isActive ? 1 : 0,
      compacted: isOnPath && !isActive ? 1 : 0,
    };
    // Without a mark of what was kept, everything behind the summary was.
    if (id === outline.lastCompaction) isKept = true;
  }
}

type Row = Omit<SourceMessage, "ref" | "timestamp" | "active" | "compacted">;

function rowOf(type: string, entry: JsonObject): Row | null {
  if (type === "message") return messageRow(objectOf(entry, "message"));
  if (type === "compaction")
    return { role: "system", content: textOf(entry, "summary") ?? "", displayKind: "summary" };
  if (type === "branch_summary")
    return { role: "user", content: textOf(entry, "summary") ?? "", displayKind: "internal" };
  return { role: "user", content: contentText(own(entry, "content")), displayKind: "internal" };
}

function messageRow(message: JsonObject): Row | null {
  const content = contentText(own(message, "content"));
  switch (textOf(message, "role")) {
    case "user":
      return { role: "user", content, senderName: textOf(message, "senderName") };
    case "assistant":
      return assistantRow(message, content);
    case "toolResult":
    case "tool":
      return {
        role: "tool",
        content,
        toolCallId: textOf(message, "toolCallId"),
        toolName: textOf(message, "toolName"),
        finishReason: own(message, "isError") === true ? "failed" : "ok",
      };
    case "bashExecution":
      return {
        role: "user",
        content: `$ ${textOf(message, "command") ?? ""}\n${textOf(message, "output") ?? ""}`,
        displayKind: "internal",
      };
    case null:
      return null;
    default:
      return { role: "user", content, displayKind: "internal" };
  }
}

function assistantRow(message: JsonObject, content: string): Row {
  const stop = textOf(message, "stopReason");
  const calls = toolCallsOf(own(message, "content"));
  const failure = textOf(message, "errorMessage");
  // An error is no reply: it is shown as a bar, and no agent reads it (lifecycle 11.3).
  if (stop === "error" && content === "" && calls.length === 0)
    return { role: "boundary", content: failure ?? "The turn failed.", displayKind: "failed" };
  return {
    role: "assistant",
    content,
    toolCalls: calls.length === 0 ? null : JSON.stringify(calls),
    finishReason:
      stop === "aborted" || stop === "error"
        ? `cut:${stop === "aborted" ? "stopped" : "failed"}`
        : stop,
  };
}

function toolCallsOf(content: unknown): { id: string; name: string; args: unknown }[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    if (!isJsonObject(part) || textOf(part, "type") !== "toolCall") return [];
    const id = textOf(part, "id");
    const name = textOf(part, "name");
    return id === null || name === null ? [] : [{ id, name, args: own(part, "arguments") ?? {} }];
  });
}
