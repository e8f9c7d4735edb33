import { SignalboxError } from "../contract/errors.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import type { Acceptance, Channel, ChannelContext, SendOutcome } from "./channel.ts";

/** What a channel that was stopped answers to a send: nothing left this process. */
export const notRunning: SendOutcome = {
  kind: "rejected",
  retryable: true,
  code: "stopped",
  reason: "The channel is stopped.",
};

/** What a send answers whose signal fired before anything left. */
export const calledOff: SendOutcome = {
  kind: "rejected",
  retryable: true,
  code: "aborted",
  reason: "The send was called off before it began.",
};

/** A channel whose chats are read in the transcript itself: a committed reply is a delivered one. */
export function transcriptChannel(id: "local" | "simulator"): Channel & {
  post(source: SessionSource, text: string, messageId: string | null): Promise<Acceptance>;
} {
  let context: ChannelContext | null = null;
  return {
    id,
    kind: id,
    account: null,
    address: null,
    capabilities: { idempotentSend: true, transcriptIsDelivery: true },
    async start(given) {
      context = given;
      given.report("up");
    },
    async stop() {
      context = null;
    },
    async send(_message, signal) {
      if (context === null) return notRunning;
      return signal.aborted ? calledOff : { kind: "delivered", remoteId: null };
    },
    async post(source, text, messageId) {
      if (context === null)
        throw new SignalboxError("E_CHANNEL_DOWN", `The ${id} channel is stopped.`, {
          channelId: id,
        });
      return context.accept({ channelId: id, source, text, messageId });
    },
  };
}
