import { z } from "zod";
import type { Clock } from "../clock.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { httpStatus } from "../server/http-status.ts";
import { chatIdKey, sessionSource } from "../sessions/session-source.ts";
import type { Acceptance, InboundMessage } from "./channel.ts";
import type { HookHandler, HookReply, HookRequest } from "./hook.ts";
import { signatureFault, type SignatureFault } from "./webhook-signature.ts";

export interface HookInbox {
  channelId: string;
  name: string;
  secret: string | null;
  /** The type of chats whose messages name none. */
  chatType: string;
  /** Whether an answer can be sent anywhere. */
  expectsReply: boolean;
  clock: Clock;
  log: Log;
  accept(message: InboundMessage): Promise<Acceptance>;
}

const id = z.union([z.string(), z.number()]).transform(chatIdKey).pipe(z.string().min(1).max(256));
const name = z.string().max(200).nullish();

const hookBody = z.object({
  messageId: id,
  text: z
    .string()
    .max(200_000)
    .refine((text) => text.trim() !== "", "must not be empty"),
  chat: z
    .object({ id, type: z.enum(["dm", "group", "channel", "thread"]).nullish(), name })
    .nullish(),
  user: z.object({ id, name }).nullish(),
  thread: id.nullish(),
});

/** A hook that names a lane is trying to reach past its own. */
const FOREIGN = ["key", "sessionKey", "session_key"];

const FAULTS: Record<SignatureFault, string> = {
  missing: "The request is not signed: it needs x-signalbox-timestamp and x-signalbox-signature.",
  malformed:
    "The signature or its timestamp is malformed: unix seconds, and sha256=<64 hex digits>.",
  stale: "The timestamp is more than five minutes off.",
  wrong: "The signature does not fit the body.",
};

/**
 * Answers `POST /hooks/<name>`: 202 only once the message is durable, else a typed error.
 * The lane is always `<name>:<chat id>` of platform `webhook`, whatever the body says.
 */
export function hookHandler(inbox: HookInbox): HookHandler {
  return async (request) => {
    try {
      const message = readMessage(inbox, request);
      const acceptance = await inbox.accept(message);
      const reply = acceptance.kind === "accepted" ? acceptance.reply : null;
      return {
        status: 202,
        body: {
          accepted: true,
          duplicate: acceptance.kind === "duplicate",
          key: acceptance.key,
          ...(reply === null ? {} : { reply }),
        },
      };
    } catch (thrown) {
      const refusal = refuse(thrown);
      inbox.log.warn(
        "hook.refused",
        { channelId: inbox.channelId, status: refusal.status },
        refusal.status >= 500 ? thrown : undefined,
      );
      return refusal;
    }
  };
}

function readMessage(inbox: HookInbox, { headers, body }: HookRequest): InboundMessage {
  if (inbox.secret === null)
    throw new SignalboxError("E_SIGNATURE", "This hook has no secret yet, so it accepts nothing.");
  const fault = signatureFault(inbox.secret, headers, body, inbox.clock.nowMs());
  if (fault !== null) throw new SignalboxError("E_SIGNATURE", FAULTS[fault], { fault });

  const raw = parse(body);
  const named = FOREIGN.find((key) => typeof raw === "object" && raw !== null && key in raw);
  if (named !== undefined || headers["session-key"] !== undefined)
    throw new SignalboxError(
      "E_REFUSED",
      "A hook writes to its own chats only and cannot name a session key; send chat.id instead.",
      { field: named ?? "session-key" },
    );
  const read = hookBody.safeParse(raw);
  if (!read.success) {
    const issue = read.error.issues[0];
    const field = issue?.path.join(".") ?? "";
    throw new SignalboxError("E_INPUT", `${field || "The body"}: ${issue?.message ?? "wrong"}`, {
      field,
    });
  }
  const { chat, user, thread, text, messageId } = read.data;
  return {
    channelId: inbox.channelId,
    source: sessionSource({
      platform: "webhook",
      chatId: `${inbox.name}:${chat?.id ?? "default"}`,
      chatName: chat?.name ?? null,
      chatType: chat?.type ?? inbox.chatType,
      userId: user?.id ?? null,
      userName: user?.name ?? null,
      threadId: thread ?? null,
      messageId,
    }),
    text,
    messageId,
    expectsReply: inbox.expectsReply,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown;
  } catch {
    throw new SignalboxError("E_INPUT", "The body is not JSON in UTF-8.", { field: "" });
  }
}

function refuse(thrown: unknown): HookReply {
  const error = toWire(thrown);
  const status = httpStatus(error.code);
  return {
    status,
    body: { ok: false, error },
    // A full lane drains by the minute, a stopping gateway is back soon: a sender may well try again.
    ...(status === 429 || status === 503 ? { retryAfterSeconds: 5 } : {}),
  };
}
