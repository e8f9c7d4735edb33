import { stuckThreshold } from "./boot-decision.ts";

/** What a person is told whose turn is not taken up again. Shown in the chat and as a bar in the transcript. */
export const givenUp = {
  stale:
    "The gateway was stopped while it worked on this, too long ago to go on by itself. Send a message to continue.",
  suspended:
    "The gateway was stopped while it worked on this, and the session was suspended meanwhile. It was given up.",
  ended:
    "The gateway was stopped while it worked on this, and the conversation has been ended since. It was given up.",
  stuck: `This conversation was suspended: the gateway was stopped ${stuckThreshold} times in a row while working on it. Its history is kept; the next message starts fresh, and /resume goes back.`,
  unreadable:
    "This message could not be answered. The gateway can no longer read it; send it again.",
} as const;
