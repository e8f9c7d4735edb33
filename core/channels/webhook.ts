import type { WebhookConfig } from "../config/schema.ts";
import type { Channel, ChannelContext, OutboundMessage } from "./channel.ts";
import type { HookHandler } from "./hook.ts";
import { calledOff, notRunning } from "./transcript-channel.ts";
import { hookHandler } from "./webhook-in.ts";
import { splitText } from "./split-text.ts";
import { postHook } from "./webhook-out.ts";
import { signatureHeaders } from "./webhook-signature.ts";

export interface WebhookChannel extends Channel {
  readonly name: string;
  /** Mounted by the server at `POST /hooks/<name>`; answers 503 while the channel is stopped. */
  readonly handler: HookHandler;
}

/** The id of a hook's channel, by the hook's name. */
export const webhookChannelId = (name: string): string => `webhook:${name}`;

/**
 * One configured hook: signed HTTP in, and out where an address is set. Without one it is a one-way
 * hook, whose replies are read in the transcript.
 */
export function webhookChannel(name: string, config: WebhookConfig): WebhookChannel {
  const id = webhookChannelId(name);
  const { out } = config;
  let context: ChannelContext | null = null;
  let handler: HookHandler | null = null;

  return {
    id,
    name,
    kind: "webhook",
    account: null,
    address: `/hooks/${name}`,
    capabilities: {
      idempotentSend: out?.idempotent ?? true,
      transcriptIsDelivery: out === null,
    },
    ...(out?.partLength == null
      ? {}
      : { split: (text: string) => splitText(text, out.partLength ?? Infinity) }),
    handler: async (request) => {
      if (handler !== null) return handler(request);
      const error = { code: "E_CHANNEL_DOWN", message: "This hook is stopped.", details: {} };
      return { status: 503, body: { ok: false, error }, retryAfterSeconds: 5 };
    },
    async start(given) {
      context = given;
      handler = hookHandler({
        channelId: id,
        name,
        secret: config.secret,
        chatType: config.chatType,
        expectsReply: out !== null,
        clock: given.clock,
        log: given.log,
        accept: (message) => given.accept(message),
      });
      if (config.secret !== null) given.report("up");
      else
        given.report("down", {
          code: "E_SIGNATURE",
          message: `The hook has no secret. Set channels.webhook.${name}.secret.`,
        });
    },
    async stop() {
      context = null;
      handler = null;
    },
    async send(message, signal) {
      if (context === null) return notRunning;
      if (signal.aborted) return calledOff;
      if (out === null) return { kind: "delivered", remoteId: null };
      const body = Buffer.from(JSON.stringify(payload(name, message)), "utf8");
      const secret = out.secret ?? config.secret;
      const signed = secret === null ? {} : signatureHeaders(secret, body, context.clock.nowMs());
      const headers = {
        "content-type": "application/json",
        "idempotency-key": message.idempotencyKey,
        "user-agent": "signalbox",
        ...signed,
      };
      const { url, timeoutMs } = out;
      return postHook({ url, headers, body, timeoutMs }, context.clock, signal);
    },
  };
}

/** What a receiver is posted. `messageId` names the obligation: the same for every attempt at this reply. */
function payload(name: string, message: OutboundMessage): Record<string, unknown> {
  const { target } = message;
  const space = `${name}:`;
  const own = target.chatId.startsWith(space);
  return {
    messageId: message.obligationId,
    key: message.key,
    chat: {
      id: own ? target.chatId.slice(space.length) : target.chatId,
      type: target.chatType,
      name: target.chatName,
    },
    thread: target.threadId,
    kind: message.kind,
    text: message.text,
    replyTo: message.replyTo,
    recovered: message.recovered,
    ...(message.part.of > 1 ? { part: message.part.number, parts: message.part.of } : {}),
  };
}
