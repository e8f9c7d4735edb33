import { SignalboxError } from "../../contract/errors.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import { minMessages } from "../../transcripts/compaction-plan.ts";
import type { Command, CompressScope } from "../command-parse.ts";
import type { CompressActs, CompressionWish } from "../compress-acts.ts";
import type { LaneActs } from "../lane-acts.ts";
import type { TranscriptActs } from "../transcript-acts.ts";
import { counted } from "./asked.ts";
import type { Asked } from "./asked.ts";

export interface ConversationCommandDeps {
  directory: SessionDirectory;
  acts: LaneActs;
  transcripts: TranscriptActs;
  compression: CompressActs;
  /** Ends when a summary takes long enough that the person should hear something first. */
  patience(): Promise<void>;
  /** Tells the chat something later than the command's own answer. */
  tellLater(asked: Asked, line: string): Promise<void>;
}

/** Characters of an undone text that are echoed (lifecycle 18). */
const echoLength = 200;

const excerpt = (text: string): string => {
  const points = [...text];
  return points.length <= echoLength ? text : `${points.slice(0, echoLength).join("")}…`;
};

/** What a destructive command will do, as a question. */
export function destructiveQuestion(
  directory: SessionDirectory,
  asked: Asked,
  command: Command,
): string {
  const row = directory.routing.get(asked.key);
  if (command.name === "undo")
    return `Take ${command.turns === 1 ? "the last turn" : `the last ${command.turns} turns`} out of this conversation?`;
  return `End this conversation (${counted(row?.messageCount ?? 0, "message")}) and start a fresh one? The old one stays readable.`;
}

/** `/new`, `/reset`, `/undo`, `/retry`, `/branch`, `/title`, `/compress` (lifecycle 18). */
export function conversationCommands(deps: ConversationCommandDeps) {
  const { directory, acts, transcripts, compression } = deps;

  const wishOf = (scope: CompressScope): CompressionWish =>
    scope.kind === "here"
      ? { focus: null, keepExchanges: scope.keepExchanges, mode: null }
      : { focus: scope.focus, keepExchanges: 0, mode: null };

  function preview(asked: Asked, wish: CompressionWish): string {
    const seen = compression.preview(asked.key, wish);
    if (seen.state !== "compact") return nothingToCompress(seen.state, seen.messages);
    return [
      `${counted(seen.archived, "message")} (${seen.characters} characters) would become a summary, ${seen.kept} would stay.`,
      `From: ${excerpt(seen.firstText)}`,
      `To: ${excerpt(seen.lastText)}`,
      seen.mode === "rotation"
        ? "The conversation would go on in a new session; this one stays readable."
        : "The summarised messages stay readable and can be searched.",
    ].join("\n");
  }

  async function compressNow(asked: Asked, wish: CompressionWish): Promise<string> {
    const done = await compression.compress(asked.key, asked.actor, wish);
    if (done.state !== "compressed") return nothingToCompress(done.state, done.messages);
    return `Compressed: ${counted(done.archived, "message")} became a summary, ${done.kept} stayed.`;
  }

  async function compress(asked: Asked, wish: CompressionWish): Promise<string> {
    const result = compressNow(asked, wish);
    const waited = Symbol("waited");
    const first = await Promise.race([result, deps.patience().then(() => waited)]);
    if (typeof first === "string") return first;
    void result
      .catch((cause: unknown) => failureLine(cause))
      .then((line) => deps.tellLater(asked, line));
    return "Summarising. You will be told when it is done; what you write meanwhile waits.";
  }

  return {
    async startOver(asked: Asked, title: string | null): Promise<string> {
      const done = await acts.reset(asked.key, asked.actor, title, asked.inputId);
      return [
        "A fresh conversation.",
        ...(done.titleTaken ? [`It has no title: another session is called “${title}”.`] : []),
        ...(done.dropped > 0
          ? [
              `${counted(done.dropped, "waiting message")} ${done.dropped === 1 ? "was" : "were"} dropped.`,
            ]
          : []),
      ].join(" ");
    },

    async undo(asked: Asked, turns: number): Promise<string> {
      const undone = await transcripts.undo(asked.key, asked.actor, turns);
      if (undone.turns === 0) return "There is nothing to undo.";
      return `Undid ${counted(undone.turns, "turn")} (${counted(undone.rows, "message")}): ${excerpt(undone.text)}`;
    },

    async retry(asked: Asked): Promise<string> {
      const { text } = await transcripts.retry(asked.key, asked.actor, asked.message);
      return `Trying again: ${excerpt(text)}`;
    },

    async branch(asked: Asked, title: string | null): Promise<string> {
      const done = await transcripts.branch(asked.key, asked.actor, title);
      const own = directory.incarnations.get(done.row.sessionId)?.title ?? null;
      return [
        own === null ? "Branched: this is a copy now." : `Branched: this is “${own}” now.`,
        ...(done.titleTaken ? [`It has no title: another session is called “${title}”.`] : []),
        `The original is ${done.from}; /resume goes back to it.`,
      ].join(" ");
    },

    async title(asked: Asked, title: string | null): Promise<string> {
      const id = directory.routing.get(asked.key)?.sessionId;
      if (title !== null) {
        if ([...title].length > 120)
          throw new SignalboxError("E_INPUT", "A title has at most 120 characters.");
        await acts.setTitle(asked.key, asked.actor, title);
        return `This session is called “${title}” now.`;
      }
      const own = id === undefined ? null : (directory.incarnations.get(id)?.title ?? null);
      return own === null ? "This session has no title; /title <text> gives it one." : `“${own}”`;
    },

    compress: (asked: Asked, scope: CompressScope, isPreview: boolean): Promise<string> =>
      isPreview ? Promise.resolve(preview(asked, wishOf(scope))) : compress(asked, wishOf(scope)),
  };
}

const nothingToCompress = (why: "too_short" | "nothing_older", messages: number): string =>
  why === "too_short"
    ? `Nothing to compress: the conversation has ${counted(messages, "message")}, and it takes ${minMessages}.`
    : "Nothing to compress: all of it would be kept.";

const failureLine = (cause: unknown): string =>
  cause instanceof SignalboxError
    ? `Not compressed, and nothing was changed: ${cause.message}`
    : "Not compressed, and nothing was changed; the gateway's log says why.";
