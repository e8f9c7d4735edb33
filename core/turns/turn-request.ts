import type { HistoryMessage } from "../agents/runtime.ts";
import type { InboundMessage } from "../channels/channel.ts";
import { resumeNote } from "../recovery/resume-note.ts";
import { assembleUserText, isSharedMultiUser } from "../sessions/isolation.ts";
import type { IsolationRules } from "../sessions/isolation.ts";
import { choosePinned } from "../sessions/prompt-pin.ts";
import type { PromptPin } from "../sessions/prompt-pin.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sentSection } from "../sessions/session-section.ts";
import type { SectionSurroundings } from "../sessions/session-section.ts";
import { historyOf } from "../transcripts/message-view.ts";
import type { StartedTurn } from "./turn-start.ts";

export interface RequestSurroundings extends SectionSurroundings {
  nowMs: number;
  /** Keeps the section that is sent for the turns that follow (lifecycle 9.3). */
  pin(pin: PromptPin): void;
}

const replacedNote =
  "Note: the session before this one was stopped by the operator. Nothing from it is known here; begin afresh.";

/** What an agent is shown for one turn: the session context (lifecycle 9.2), the past, and the text of now. */
export function turnRequest(
  { messages, pins }: SessionDirectory,
  turn: StartedTurn,
  surroundings: RequestSurroundings,
): { system: string; history: HistoryMessage[]; text: string } {
  const { message, sessionId } = turn;
  const rendered = sentSection(message.source, turn.row, surroundings);
  const { section, pins: isNew } = choosePinned({
    pin: pins.get(turn.key),
    sessionId,
    rendered: rendered.section,
    redacted: rendered.redacted,
    internal: message.internal === true || message.resume !== undefined,
  });
  if (isNew)
    surroundings.pin({
      sessionId,
      redacted: rendered.redacted,
      section,
      pinnedAtMs: surroundings.nowMs,
    });
  // The turn's own rows are in the transcript already: the past is what comes before them.
  const first = turn.messageIds[0] ?? Number.MAX_SAFE_INTEGER;
  const past = messages.live(turn.sessionId).filter((row) => row.id < first);
  return {
    system: [
      section,
      ...(turn.replaced === null ? [] : [replacedNote]),
      ...(turn.message.resume ? [resumeNote(turn.message.resume.reason)] : []),
    ].join("\n\n"),
    history: historyOf(past),
    text: shownText(turn.message, surroundings.isolation),
  };
}

/** What the model is shown of a message: in shared sessions with its sender's name (lifecycle 5). */
export const shownText = (message: InboundMessage, isolation: IsolationRules): string =>
  message.text === "" || message.internal === true
    ? message.text
    : assembleUserText(message.text, message.source, isSharedMultiUser(message.source, isolation));
