import { z } from "zod";
import { call } from "./call.ts";
import { epochMs, sessionKey } from "./domain.ts";

/** One thing that a start found or did, with what it rests on. */
export const bootItem = z.object({
  key: sessionKey,
  title: z.string(),
  /** A plain sentence: what was found, since when, how often. */
  evidence: z.string(),
  deliveryId: z.string().nullable(),
});
export type BootItem = z.output<typeof bootItem>;

export const bootLists = [
  "resumed",
  "held",
  "stuck",
  "settled",
  "givenUp",
  "waiting",
  "sentPlain",
  "redelivered",
  "unknown",
  "abandoned",
] as const;
export type BootList = (typeof bootLists)[number];

const items = z.object({ count: z.number().int(), items: z.array(bootItem) });
const lists = z.object({
  resumed: items,
  held: items,
  stuck: items,
  settled: items,
  givenUp: items,
  waiting: items,
  sentPlain: items,
  redelivered: items,
  unknown: items,
  abandoned: items,
});
export type RecoveryLists = z.output<typeof lists>;

export const bootReport = z.object({
  bootId: z.string(),
  startedAtMs: epochMs,
  readyAtMs: epochMs.nullable(),
  endedAtMs: epochMs.nullable(),
  version: z.string(),
  host: z.string(),
  /** How the boot before it ended. */
  previousExit: z.enum(["first_start", "clean", "unclean"]),
  /** How this boot itself ended; null while it runs. */
  exit: z.string().nullable(),
  phases: z.array(z.object({ name: z.string(), ms: z.number() })),
  breaker: z.object({ tripped: z.boolean(), chain: z.number().int() }),
  lists,
});
export type BootReport = z.output<typeof bootReport>;

/** One debt of the ledger. */
export const deliveryRow = z.object({
  id: z.string(),
  key: sessionKey,
  title: z.string(),
  channelId: z.string(),
  chatId: z.string(),
  kind: z.enum(["reply", "notice"]),
  state: z.enum(["pending", "attempting", "delivered", "failed", "unknown", "abandoned"]),
  attempts: z.number().int(),
  /** It went, or will go, once more with the label of a possible duplicate. */
  recovered: z.boolean(),
  partsDone: z.number().int(),
  partsTotal: z.number().int().nullable(),
  preview: z.string(),
  lastError: z.string().nullable(),
  nextAttemptAtMs: epochMs.nullable(),
  createdAtMs: epochMs,
  updatedAtMs: epochMs,
});
export type DeliveryRow = z.output<typeof deliveryRow>;

export const queueItem = z.object({
  inputId: z.number().int(),
  key: sessionKey,
  title: z.string(),
  kind: z.enum(["message", "queue", "internal"]),
  place: z.enum(["slot", "fifo"]),
  preview: z.string(),
  from: z.string(),
  acceptedAtMs: epochMs,
  reason: z.string(),
});
export type QueueItem = z.output<typeof queueItem>;

export const queueLane = z.object({
  key: sessionKey,
  title: z.string(),
  channelId: z.string(),
  runningSinceMs: epochMs.nullable(),
  slot: z.boolean(),
  /** Behind the slot, of 32. */
  fifo: z.number().int(),
  oldestAtMs: epochMs.nullable(),
  /** Turns that ended in the last minute. */
  donePerMinute: z.number().int(),
  composition: z.object({
    human: z.number().int(),
    queue: z.number().int(),
    internal: z.number().int(),
    resume: z.number().int(),
  }),
});
export type QueueLane = z.output<typeof queueLane>;

const scope = z.object({
  /** Absent: every session that has something to recover. */
  keys: z.array(sessionKey).min(1).max(500).optional(),
});

/** Recovery, deliveries and queues. */
export const recoveryCalls = {
  "recovery.boots": call({
    in: z.object({ limit: z.number().int().min(1).max(200).optional() }),
    out: z.object({
      boots: z.array(
        bootReport
          .pick({
            bootId: true,
            startedAtMs: true,
            readyAtMs: true,
            endedAtMs: true,
            version: true,
            exit: true,
            previousExit: true,
          })
          .extend({ resumed: z.number().int(), stuck: z.number().int() }),
      ),
    }),
    about: "Starts of this gateway, newest first.",
  }),
  "recovery.report": call({
    in: z.object({ bootId: z.string().max(64).optional() }),
    out: bootReport,
    about: "What a start found and did; the newest where none is named.",
  }),
  "recovery.loops": call({
    in: z.object({}),
    out: z.object({
      threshold: z.number().int(),
      loops: z.array(
        z.object({
          key: sessionKey,
          title: z.string(),
          restarts: z.number().int(),
          suspended: z.boolean(),
          held: z.boolean(),
        }),
      ),
      breakerTripped: z.boolean(),
    }),
    about:
      "Sessions with interrupted restarts in a row, and those that the crash-loop breaker holds back.",
  }),
  "recovery.preview": call({
    in: scope,
    out: z.object({ lists }),
    about: "What running recovery now would do.",
  }),
  "recovery.run": call({
    in: scope,
    out: z.object({ lists }),
    changes: true,
    confirm: "dialog",
    about: "Examines markers, ledger and queues of sessions again, and acts on what it finds.",
  }),
  "recovery.resetCount": call({
    in: z.object({ key: sessionKey }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    about: "Forgets the interrupted restarts of a session.",
  }),
  "recovery.release": call({
    in: scope,
    out: z.object({ released: z.number().int() }),
    changes: true,
    confirm: "dialog",
    about: "Lets turns that the crash-loop breaker holds back be taken up.",
  }),
  "recovery.hold": call({
    in: z.object({ key: sessionKey }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    about: "Holds a session's interrupted turn back until it is released.",
  }),

  "deliveries.list": call({
    in: z.object({
      state: z
        .enum(["pending", "attempting", "delivered", "failed", "unknown", "abandoned"])
        .optional(),
      key: sessionKey.optional(),
      limit: z.number().int().min(1).max(200).optional(),
      before: z.number().int().positive().optional(),
    }),
    out: z.object({
      deliveries: z.array(deliveryRow),
      nextBefore: z.number().int().nullable(),
      counts: z.record(z.string(), z.number().int()),
    }),
    about: "The delivery ledger, newest first.",
  }),
  "deliveries.markDelivered": call({
    in: z.object({ id: z.string().max(64) }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    about: "Says that a delivery of unknown outcome arrived.",
  }),
  "deliveries.retry": call({
    in: z.object({ id: z.string().max(64) }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    confirm: "dialog",
    about:
      "Sends once more; a copy may be there already, so it goes with its label unless it certainly was not sent.",
  }),
  "deliveries.discard": call({
    in: z.object({ id: z.string().max(64) }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    confirm: "dialog",
    about: "Gives a delivery up; it is never sent again.",
  }),

  "queues.list": call({
    in: z.object({ limit: z.number().int().min(1).max(500).optional() }),
    out: z.object({
      lanes: z.array(queueLane),
      items: z.array(queueItem),
      total: z.number().int(),
      cap: z.number().int(),
    }),
    about: "Lanes with work, and every waiting message, oldest first, with the reason it waits.",
  }),
  "queues.remove": call({
    in: z.object({ inputId: z.number().int() }),
    out: z.object({ changed: z.boolean(), undoUntilMs: epochMs.nullable() }),
    changes: true,
    confirm: "undo",
    about: "Takes a waiting message out of its queue.",
  }),
  "queues.restore": call({
    in: z.object({ inputId: z.number().int() }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    about: "Puts a removed message back where it was.",
  }),
  "queues.move": call({
    in: z.object({
      inputId: z.number().int(),
      /** The waiting message of the same lane that it goes before; null = to the end. */
      before: z.number().int().nullable(),
    }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    confirm: "undo",
    about: "Moves a waiting message within its lane.",
  }),
} as const;
