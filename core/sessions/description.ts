import { firstPresent, present } from "./presence.ts";
import type { SessionSource } from "./session-source.ts";

/** How ids without a name are shown; the prompt's redacted variant passes hashes (lifecycle 9.4). */
export interface IdSpelling {
  user(id: string): string;
  chat(id: string): string;
}

const RAW: IdSpelling = { user: (id) => id, chat: (id) => id };

/** The description without its thread suffix (lifecycle 1.4, 9.4). */
export function describePlace(source: SessionSource, ids: IdSpelling = RAW): string {
  if (source.platform === "local") return "CLI terminal";
  if (source.chatType === "dm") {
    const id = present(source.userId);
    return `DM with ${firstPresent(source.userName, id === null ? null : ids.user(id)) ?? "user"}`;
  }
  const place = firstPresent(
    source.chatName,
    source.chatId === "" ? null : ids.chat(source.chatId),
  );
  const isNamedKind = source.chatType === "group" || source.chatType === "channel";
  return `${isNamedKind ? `${source.chatType}: ` : ""}${place ?? ""}`;
}

/** Human summary of a source (lifecycle 1.4). For eyes only: nothing routes by it. */
export function describeSource(source: SessionSource): string {
  const thread = source.platform === "local" ? null : present(source.threadId);
  return `${describePlace(source)}${thread === null ? "" : `, thread: ${thread}`}`;
}
