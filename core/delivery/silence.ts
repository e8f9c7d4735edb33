import { collapseBlank, trimBlank } from "../sessions/blank-text.ts";

const BRACKETED = ["[SILENT]", "[静默]", "[沉默]"] as const;
const MARKERS: ReadonlySet<string> = new Set([
  ...BRACKETED,
  "SILENT",
  "NO_REPLY",
  "NO REPLY",
  "静默",
  "沉默",
]);

const LONGEST = 64; // code points; longer text is prose, whatever stands at its edges

const PUNCTUATION = /^\p{P}$/u;

/** Square brackets are part of a marker: `[SILENT` must not turn into `SILENT`. */
const isEdgePunctuation = (character: string | undefined): boolean =>
  character !== undefined && character !== "[" && character !== "]" && PUNCTUATION.test(character);

function stripEdgePunctuation(points: readonly string[]): string {
  let start = 0;
  let end = points.length;
  while (start < end && isEdgePunctuation(points[start])) start++;
  while (end > start && isEdgePunctuation(points[end - 1])) end--;
  return points.slice(start, end).join("");
}

/** The spellings of a short text that may be a marker; none for blank text and for prose. */
function canonicalForms(text: string): readonly string[] {
  const trimmed = trimBlank(text);
  if (trimmed.length > LONGEST * 2) return []; // cheap way out for whole answers
  const points = Array.from(trimmed);
  if (points.length === 0 || points.length > LONGEST) return [];
  return [trimmed, stripEdgePunctuation(points)]
    .map((form) => collapseBlank(form.toUpperCase()))
    .filter((form) => form !== "");
}

/**
 * Whether a whole response means "I choose not to answer" (lifecycle 12.6).
 *
 * @returns False for blank text, which is the empty-response path, and for prose that mentions a marker.
 */
export const isSilence = (text: string): boolean =>
  canonicalForms(text).some((form) => MARKERS.has(form));

/** Whether streamed text may still become a marker, so that it is withheld for now (lifecycle 12.6). */
export const mayBecomeSilence = (text: string): boolean =>
  canonicalForms(text).some((form) => [...MARKERS].some((marker) => marker.startsWith(form)));

/**
 * The loose rule of autonomous lanes, scheduled jobs and webhooks (lifecycle 12.6): a marker alone on the first
 * or the last line, or a bracketed one that opens the text, whatever note goes with it.
 */
export function isAutonomousSilence(text: string): boolean {
  const trimmed = trimBlank(text);
  const lines = trimmed.split(/\r\n|\r|\n/);
  if (isSilence(lines[0] ?? "") || isSilence(lines.at(-1) ?? "") || isSilence(trimmed)) return true;
  const opening = trimmed.slice(0, 16).toUpperCase();
  return BRACKETED.some((marker) => opening.startsWith(marker));
}

export interface FinishedTurn {
  readonly text: string;
  readonly succeeded: boolean;
  /** The origin of the turn that ended the chain, not of the one that began it. */
  readonly internal: boolean;
  /** False where the channel said that nobody waits for an answer. */
  readonly expectsReply: boolean;
  /** Scheduled jobs and webhooks. */
  readonly autonomousLane: boolean;
}

export type ReplyVerdict = "deliver" | "suppress" | "silence-notice";

/**
 * What becomes of a finished turn's text (lifecycle 12.6). Suppressed text stays in the transcript.
 *
 * @returns `silence-notice` where a person asked and the model returned only a marker: they are told so.
 */
export function decideReply(turn: FinishedTurn): ReplyVerdict {
  if (!turn.succeeded) return "deliver";
  const nobodyWaits = turn.internal || !turn.expectsReply;
  if (nobodyWaits && turn.autonomousLane && isAutonomousSilence(turn.text)) return "suppress";
  if (!isSilence(turn.text)) return "deliver";
  return nobodyWaits ? "suppress" : "silence-notice";
}
