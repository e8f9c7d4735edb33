import type {
  Acceptance,
  Channel,
  ChannelCapabilities,
  ChannelContext,
  InboundMessage,
  OutboundMessage,
  SendOutcome,
} from "../channels/channel.ts";
import { dmSource, inbound } from "./samples.ts";

export const delivered: SendOutcome = { kind: "delivered", remoteId: "r1" };

export interface ScriptedChannel extends Channel {
  /** Every send that reached it, oldest first. */
  readonly sent: OutboundMessage[];
  /** How it answers a send; delivered at first. */
  answer: (message: OutboundMessage, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;
  /** The gateway's side, while it is started. */
  context: ChannelContext | null;
  /** A person writes in a private chat. */
  post(text: string, part?: Partial<InboundMessage>): Promise<Acceptance>;
}

/** A channel in memory; the test plays the platform. */
export function scriptedChannel(
  id = "test",
  capabilities: Partial<ChannelCapabilities> = {},
): ScriptedChannel {
  const channel: ScriptedChannel = {
    id,
    kind: "telegram",
    account: "@test",
    address: null,
    capabilities: { idempotentSend: false, transcriptIsDelivery: false, ...capabilities },
    sent: [],
    answer: () => delivered,
    context: null,
    start(context) {
      channel.context = context;
      context.report("up");
      return Promise.resolve();
    },
    stop() {
      channel.context = null;
      return Promise.resolve();
    },
    async send(message, signal) {
      channel.sent.push(message);
      return channel.answer(message, signal);
    },
    post(text, part = {}) {
      if (channel.context === null) throw new Error("the channel is not started");
      return channel.context.accept(inbound(text, { channelId: id, source: dmSource(), ...part }));
    },
  };
  return channel;
}
