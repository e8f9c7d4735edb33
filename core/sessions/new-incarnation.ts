import { randomBytes } from "node:crypto";
import type { SessionId } from "../contract/ids.ts";
import type { MessageStore } from "../transcripts/message-store.ts";
import type { LineageMarker } from "./compression-tip.ts";
import type { IncarnationStore } from "./incarnation-store.ts";
import { firstPresent } from "./presence.ts";
import type { SessionEntry } from "./session-entry.ts";
import { mintSessionId } from "./session-id.ts";
import { sessionSourceToStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

export interface Parent {
  id: SessionId;
  /** Null: the same conversation goes on (compression). */
  marker: LineageMarker | null;
}

export type IncarnationMaker = ReturnType<typeof incarnationMaker>;

/** How incarnations begin. Callers bring the transaction. */
export function incarnationMaker(incarnations: IncarnationStore, messages: MessageStore) {
  return {
    mint: (nowMs: number): SessionId =>
      mintSessionId(nowMs, (count) => randomBytes(count), incarnations.exists),

    /** The row of a new incarnation: routing identity and parent in one insert (lifecycle 3.3). */
    insert(
      entry: SessionEntry,
      source: SessionSource | null,
      parent: Parent | null,
      title: string | null,
    ): void {
      incarnations.insert({
        id: entry.sessionId,
        source: source?.platform ?? entry.platform ?? "local",
        sessionKey: entry.sessionKey,
        userId: firstPresent(source?.userIdAlt, source?.userId),
        chatId: source?.chatId ?? null,
        chatType: source?.chatType ?? entry.chatType,
        threadId: source?.threadId ?? null,
        displayName: entry.displayName,
        originJson: source === null ? null : JSON.stringify(sessionSourceToStored(source)),
        parentSessionId: parent?.id ?? null,
        modelConfig: parent?.marker ? JSON.stringify({ [parent.marker]: parent.id }) : null,
        startedAt: entry.createdAtMs,
        title,
      });
    },

    /** The row of a run beside a conversation: in no chat, and never taken for a conversation of its lane. */
    insertDelegate(entry: SessionEntry, parent: Parent & { marker: "_delegate_from" }): void {
      incarnations.insert({
        id: entry.sessionId,
        source: "background",
        sessionKey: entry.sessionKey,
        userId: null,
        chatId: null,
        chatType: null,
        threadId: null,
        displayName: null,
        originJson: null,
        parentSessionId: parent.id,
        modelConfig: JSON.stringify({ [parent.marker]: parent.id }),
        startedAt: entry.createdAtMs,
        title: null,
      });
    },

    /** A bar in a transcript: shown to people, never sent to an agent. Returns its row's id. */
    mark(
      id: SessionId,
      kind: string,
      text: string,
      atMs: number,
      about: Record<string, unknown> | null = null,
    ): number {
      return messages.append({
        sessionId: id,
        role: "boundary",
        content: text,
        timestamp: atMs,
        displayKind: kind,
        displayMetadata: about === null ? null : JSON.stringify(about),
      });
    },
  };
}
