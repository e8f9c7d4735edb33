import type { InboundMessage } from "../channels/channel.ts";
import { toWire } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { nextMessageFate } from "../sessions/session-state.ts";
import type { ParsedText } from "./command-parse.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { LaneActs } from "./lane-acts.ts";

export interface CommandDeps {
  directory: SessionDirectory;
  inbox: InboxStore;
  acts: LaneActs;
  /** Puts a message into the lane as if it had just arrived, never merged. */
  enqueue(message: InboundMessage): Promise<void>;
}

/** Acts on a command typed into a chat (lifecycle 18) and returns the line that answers it. */
export function createCommands(deps: CommandDeps) {
  return async (
    parsed: Exclude<ParsedText, { kind: "text" }>,
    message: InboundMessage,
    key: SessionKey,
  ): Promise<string> => {
    if (parsed.kind === "unknown") return `There is no command /${parsed.name}.`;
    if (parsed.kind === "misused") return parsed.problem;
    const { command } = parsed;
    const actor = message.channelId;
    try {
      switch (command.name) {
        case "new":
        case "reset": {
          const { dropped } = await deps.acts.reset(key, actor, command.title);
          return `A fresh conversation.${dropped > 0 ? ` ${dropped} waiting message${dropped === 1 ? " was" : "s were"} dropped.` : ""}`;
        }
        case "stop":
          return (await deps.acts.stop(key, actor)).message;
        case "queue": {
          if (command.text === "") return "Usage: /queue <message>";
          await deps.enqueue({ ...message, text: command.text, messageId: null });
          const { depth } = deps.inbox.depth(key);
          return depth > 1 ? `Queued as number ${depth}.` : "Queued.";
        }
        case "status":
          return statusText(deps, key);
        default:
          return `/${command.name} cannot be used here.`;
      }
    } catch (cause) {
      return toWire(cause).message;
    }
  };
}

function statusText({ directory, inbox }: CommandDeps, key: SessionKey): string {
  const row = directory.routing.get(key);
  if (!row) return "No conversation yet.";
  const totals = directory.incarnations.get(row.sessionId);
  const { fate, because } = nextMessageFate({
    suspended: row.suspended === 1,
    suspendReason: row.suspendReason,
    resumePending: row.resumePending === 1,
  });
  return [
    `Session ${row.sessionId}${totals?.title ? ` (${totals.title})` : ""}`,
    `Lane ${key}`,
    `State: ${row.state}${inbox.depth(key).depth > 0 ? `, ${inbox.depth(key).depth} waiting` : ""}`,
    `Tokens: ${totals?.inputTokens ?? 0} in, ${totals?.outputTokens ?? 0} out`,
    `Next message: ${fate.replaceAll("_", " ")}${because === null ? "" : ` (${because})`}`,
  ].join("\n");
}
