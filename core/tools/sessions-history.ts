import { z } from "zod";
import { asSessionId } from "../contract/ids.ts";
import type { StoredMessage } from "../transcripts/message-store.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import { redactedSecrets } from "./secret-text.ts";
import { tool } from "./tool.ts";
import type { Tool } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

/** Bounds of one answer (state-awareness 10.3). */
const resultBytes = 80 * 1024;
const textChars = 4_000;
const pendingBytes = 4 * 1024;
const mostRows = 500;
const tooLarge = "[sessions_history omitted: message too large]";

const input = z.object({
  sessionKey: z.string().min(1).max(2048),
  limit: z.number().int().positive().optional().describe("Default 100."),
  offset: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Messages to leave out at the new end; 0 asks for paging data."),
  includeTools: z.boolean().optional(),
  messageId: z.string().max(64).optional().describe("Only messages up to this one."),
  sessionId: z
    .string()
    .max(256)
    .optional()
    .describe("An earlier session of the same key; with messageId."),
  pendingBefore: z.string().max(64).optional(),
});

interface Shown {
  id: string;
  role: string;
  text: string;
  timestamp: number;
  from?: string;
  tool?: string;
}

/** Messages of a session, oldest first, in bounded size (state-awareness 10.3). */
export function sessionsHistoryTool(deps: ToolDeps): Tool {
  const { directory, inbox, finder } = deps;

  function shown(message: StoredMessage): { row: Shown; cut: boolean; redacted: boolean } {
    const { text: clean, redacted } = redactedSecrets(message.text);
    const cut = clean.length > textChars;
    return {
      row: {
        id: String(message.id),
        role: message.role,
        text: cut ? `${clean.slice(0, textChars)}… [cut at ${textChars} characters]` : clean,
        timestamp: message.timestamp,
        ...(message.senderName === null ? {} : { from: message.senderName }),
        ...(message.toolName === null ? {} : { tool: message.toolName }),
      },
      cut,
      redacted,
    };
  }

  function pending(key: string, before: number | null) {
    const row = finder.find(key, key);
    const waiting = row ? inbox.waiting(row.sessionKey) : [];
    const items: { id: string; state: "queued"; preview: string; acceptedAt: number }[] = [];
    let bytes = 0;
    let next: number | null = null;
    for (const item of waiting.toReversed()) {
      if (before !== null && item.seq >= before) continue;
      const preview = redactedSecrets(decodeInbound(item.eventJson).text).text.slice(0, 280);
      bytes += Buffer.byteLength(preview);
      if (bytes > pendingBytes) {
        next = items.length === 0 ? item.seq : Number(items.at(-1)?.id);
        break;
      }
      items.push({ id: String(item.seq), state: "queued", preview, acceptedAt: item.acceptedAt });
    }
    return {
      items: items.toReversed(),
      total: waiting.length,
      ...(next === null ? {} : { nextBefore: String(next) }),
    };
  }

  return tool({
    name: "sessions_history",
    title: "Session history",
    description:
      "What was said in a session, oldest first, the newest part of it. Read this after a history gap, or before you write into a session that you do not know.",
    reads: true,
    input,
    run(requester, args) {
      const found = finder.mustFind(requester.key, args.sessionKey);
      const key = found.sessionKey;
      const id =
        args.sessionId === undefined || args.messageId === undefined
          ? found.sessionId
          : asSessionId(args.sessionId);
      const belongs = directory.incarnations.get(id)?.sessionKey === key || id === found.sessionId;
      const limit = Math.min(args.limit ?? 100, mostRows);
      const offset = args.offset ?? 0;
      const upTo = args.messageId === undefined ? null : Number(args.messageId);
      const isThere =
        upTo === null ||
        (Number.isSafeInteger(upTo) && belongs && directory.messages.get(upTo)?.sessionId === id);
      const spoken = (message: StoredMessage): boolean =>
        message.role === "user" ||
        message.role === "assistant" ||
        (args.includeTools === true && message.role === "tool");
      // A missing message gives nothing, never the newest ones in its place.
      const newest = upTo === null ? Number.MAX_SAFE_INTEGER : upTo + 1;
      const rows = isThere && belongs ? directory.messages.page(id, newest, mostRows + offset) : [];
      const told = rows.filter(
        (message) => spoken(message) && (message.text !== "" || message.role === "tool"),
      );
      const wanted = told.slice(Math.max(0, told.length - offset - limit), told.length - offset);
      const messages: Shown[] = [];
      let bytes = 0;
      let contentTruncated = false;
      let contentRedacted = false;
      for (const message of wanted.toReversed()) {
        const { row, cut, redacted } = shown(message);
        const size = Buffer.byteLength(JSON.stringify(row));
        const fits = bytes + size <= resultBytes;
        if (!fits && messages.length > 0) break;
        messages.push(fits ? row : { ...row, text: tooLarge });
        bytes += fits ? size : Buffer.byteLength(tooLarge);
        contentTruncated ||= cut || !fits;
        contentRedacted ||= redacted;
      }
      const droppedMessages = wanted.length - messages.length;
      const hasMore = told.length - offset > messages.length || rows.length === mostRows + offset;
      const before = args.pendingBefore === undefined ? null : Number(args.pendingBefore);
      return {
        result: {
          sessionKey: key,
          sessionId: id,
          messages: messages.toReversed(),
          truncated: hasMore,
          droppedMessages,
          contentTruncated,
          contentRedacted,
          bytes,
          ...(args.offset === undefined
            ? {}
            : { offset, hasMore, ...(hasMore ? { nextOffset: offset + messages.length } : {}) }),
          pendingInputs: pending(key, Number.isSafeInteger(before) ? before : null),
        },
      };
    },
  });
}
