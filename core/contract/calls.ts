import { z } from "zod";
import { call } from "./call.ts";
import { cacheCalls } from "./calls-cache.ts";
import { journalCalls } from "./calls-journal.ts";
import { dataCalls } from "./calls-data.ts";
import { lifecycleCalls } from "./calls-lifecycle.ts";
import { recoveryCalls } from "./calls-recovery.ts";
import {
  agentRow,
  channelRow,
  epochMs,
  gatewayStatus,
  logLine,
  messageRow,
  notice,
  probeResult,
  problem,
  receipt,
  sessionDetail,
  sessionKey,
  sessionRow,
} from "./domain.ts";

const nothing = z.object({});
const keyOnly = z.object({ key: sessionKey });

/** A source in the stored shape of lifecycle 1.2; the core's own reader checks it field by field. */
const storedSource = z.looseObject({
  platform: z.string().min(1),
  chat_id: z.union([z.string(), z.number()]),
});

export const sessionSorts = [
  "updated",
  "created",
  "title",
  "state",
  "queue",
  "tokens",
  "key",
] as const;

/** Every call that either host answers, declared once. Names are `area.verb`. */
export const calls = {
  ...recoveryCalls,
  ...lifecycleCalls,
  ...cacheCalls,
  ...journalCalls,
  ...dataCalls,
  "gateway.status": call({
    in: nothing,
    out: gatewayStatus,
    about: "What runs, since when, and what it counts.",
  }),
  "gateway.stop": call({
    in: z.object({ now: z.boolean().default(false) }),
    out: z.object({ draining: z.boolean(), running: z.number().int() }),
    changes: true,
    confirm: "dialog",
    about: "Drains and stops the gateway.",
  }),

  "sessions.list": call({
    in: z.object({
      filter: z.string().max(500).optional(),
      sort: z
        .string()
        .regex(
          /^-?(updated|created|title|state|queue|tokens|key)$/,
          `one of ${sessionSorts.join(", ")}, with "-" for descending`,
        )
        .optional(),
      limit: z.number().int().min(1).max(500).optional(),
      cursor: z.string().max(4096).optional(),
      offset: z.number().int().min(0).optional(),
    }),
    out: z.object({
      sessions: z.array(sessionRow),
      /** Rows that match the filter. */
      total: z.number().int(),
      counts: z.object({
        all: z.number().int(),
        needsMe: z.number().int(),
        running: z.number().int(),
        suspended: z.number().int(),
      }),
      nextCursor: z.string().nullable(),
    }),
    about: "Sessions, filtered, sorted and paged in the database; reads no transcript.",
  }),
  "sessions.get": call({
    in: keyOnly,
    out: sessionDetail,
    about: "One session with its flags, queue and running turn.",
  }),
  "sessions.history": call({
    in: z.object({
      key: sessionKey,
      limit: z.number().int().min(1).max(500).optional(),
      before: z.number().int().positive().optional(),
      sessionId: z.string().max(256).optional(),
    }),
    out: z.object({ messages: z.array(messageRow), hasMore: z.boolean() }),
    about:
      "A page of a transcript, oldest first, ending before the message `before` (default: the end).",
  }),
  "sessions.create": call({
    in: z.object({ title: z.string().trim().max(120).optional() }),
    out: receipt,
    changes: true,
    about: "Starts a conversation on the local channel.",
  }),
  "sessions.send": call({
    in: z.object({
      key: sessionKey,
      text: z.string().min(1).max(200_000),
      messageId: z.string().max(256).optional(),
    }),
    out: z.object({
      key: sessionKey,
      accepted: z.boolean(),
      duplicate: z.boolean(),
      inputId: z.number().int().nullable(),
      reply: z.string().nullable(),
    }),
    changes: true,
    about:
      "A message from the operator into a lane. Answered as soon as it is on disk; `reply` is a command's answer.",
  }),
  "sessions.suspend": call({
    in: z.object({ key: sessionKey, reason: z.string().max(200).optional() }),
    out: receipt,
    changes: true,
    confirm: "undo",
    about: "The next message starts fresh; the old conversation stays readable.",
  }),
  "sessions.unsuspend": call({
    in: keyOnly,
    out: receipt,
    changes: true,
    confirm: "undo",
    about: "Takes a suspension back.",
  }),
  "sessions.reset": call({
    in: z.object({ key: sessionKey, title: z.string().trim().max(120).optional() }),
    out: receipt,
    changes: true,
    confirm: "dialog",
    about: "Ends this conversation and starts a fresh one in the lane.",
  }),
  "sessions.resetPreview": call({
    in: keyOnly,
    out: z.object({
      waitingDropped: z.number().int(),
      runningSinceMs: epochMs.nullable(),
      messageCount: z.number().int(),
    }),
    about: "What a reset would do, in numbers.",
  }),
  "sessions.stop": call({
    in: keyOnly,
    out: z.object({ key: sessionKey, stopped: z.boolean(), message: z.string() }),
    changes: true,
    confirm: "dialog",
    about: "Stops the running turn; the conversation stays.",
  }),
  "sessions.watch": call({
    in: z.object({ keys: z.array(sessionKey).max(20) }),
    out: z.object({ watching: z.number().int() }),
    about:
      "Chooses the lanes whose rows and live text this connection is sent. Replaces the earlier choice.",
  }),

  "channels.list": call({
    in: nothing,
    out: z.object({ channels: z.array(channelRow) }),
    about: "Channels with state and counts.",
  }),
  "channels.simulate": call({
    in: z.object({
      source: storedSource,
      text: z.string().max(200_000),
      messageId: z
        .union([z.string().max(256), z.number()])
        .transform(String)
        .optional(),
    }),
    out: z.object({
      key: sessionKey,
      accepted: z.boolean(),
      duplicate: z.boolean(),
      inputId: z.number().int().nullable(),
      reply: z.string().nullable(),
    }),
    changes: true,
    about: "Posts a message as any platform, chat and person, through the simulator channel.",
  }),

  "agents.list": call({
    in: nothing,
    out: z.object({ agents: z.array(agentRow) }),
    about: "Agents with their runtime, model and last probe.",
  }),
  "agents.probe": call({
    in: z.object({ id: z.string().max(120).optional() }),
    out: z.object({ agents: z.array(agentRow) }),
    about: "Asks an agent's server (or every one, and the usual local ports) whether it answers.",
  }),
  "agents.test": call({
    in: z.object({ baseUrl: z.url().max(2000), apiKey: z.string().max(2000).optional() }),
    out: probeResult,
    about: "Probes a server before it is saved; keeps nothing.",
  }),
  "agents.setDefault": call({
    in: z.object({ id: z.string().max(120) }),
    out: z.object({ agents: z.array(agentRow) }),
    changes: true,
    about: "Which agent answers where nothing else is set; `auto` = a found server, else practice.",
  }),

  "config.get": call({
    in: z.object({ path: z.string().max(200).optional() }),
    out: z.object({
      value: z.unknown(),
      /** What holds where the file says nothing, in the shape of `value`; null for entries that a person names. */
      defaults: z.unknown(),
      file: z.string(),
      problems: z.array(problem),
    }),
    about:
      "The settings in force, secrets left out, their defaults, and what is wrong with the file.",
  }),
  "config.set": call({
    in: z.object({ path: z.string().min(1).max(200), value: z.unknown() }),
    out: z.object({ value: z.unknown() }),
    changes: true,
    about:
      "Changes one setting in the file, comments kept; null removes it. Secret fields go to the secret store.",
  }),

  "notices.list": call({
    in: z.object({
      limit: z.number().int().min(1).max(200).optional(),
      before: z.number().int().optional(),
    }),
    out: z.object({ notices: z.array(notice), unseen: z.number().int() }),
    about: "Notices, newest first, kept for 30 days.",
  }),
  "notices.seen": call({
    in: z.object({ through: z.number().int() }),
    out: z.object({ unseen: z.number().int() }),
    changes: true,
    about: "Marks notices up to an id as seen.",
  }),

  "logs.tail": call({
    in: z.object({
      limit: z.number().int().min(1).max(1000).optional(),
      after: z.number().int().optional(),
      level: z.enum(["debug", "info", "warn", "error"]).optional(),
      sessionKey: z.string().max(2048).optional(),
    }),
    out: z.object({ lines: z.array(logLine) }),
    about: "The newest log lines kept in memory; never message text.",
  }),
} as const;

export type CallName = keyof typeof calls;
export type CallInput<N extends CallName> = z.input<(typeof calls)[N]["in"]>;
export type CallParsed<N extends CallName> = z.output<(typeof calls)[N]["in"]>;
export type CallOutput<N extends CallName> = z.output<(typeof calls)[N]["out"]>;
