import type { SessionId } from "../contract/ids.ts";

/** The session context as it was last sent for a lane. */
export interface PromptPin {
  readonly sessionId: SessionId;
  /** Whether ids were hashed in it. */
  readonly redacted: boolean;
  readonly section: string;
  readonly pinnedAtMs: number;
}

/**
 * Which text a turn sends (lifecycle 9.3). The section is a pure function of its inputs, so a person's turn renders it anew
 * and gets the same bytes while nothing changed. An internal event's source lacks names: it reuses the pin, unless
 * redaction was switched since.
 *
 * @returns `pins`: whether the text is to be kept for the turns that follow.
 */
export function choosePinned(given: {
  pin: PromptPin | null;
  sessionId: SessionId;
  rendered: string;
  redacted: boolean;
  internal: boolean;
}): { section: string; pins: boolean } {
  const { pin, rendered } = given;
  const fits = pin?.sessionId === given.sessionId && pin.redacted === given.redacted;
  if (given.internal && fits) return { section: pin.section, pins: false };
  return { section: rendered, pins: !given.internal && !(fits && pin.section === rendered) };
}
