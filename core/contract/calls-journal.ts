/* oxlint-disable max-lines -- one area of the contract, declarations only */
import { z } from "zod";
import { call } from "./call.ts";
import { epochMs, sessionKey } from "./domain.ts";

const sequence = z.number().int().nonnegative();
const agentId = z.string().min(1).max(120);

/** Who did something; `title` is that of the acting session, where it is one. */
export const journalActor = z.object({
  type: z.enum(["human", "agent", "system"]),
  id: z.string().nullable(),
  title: z.string().nullable(),
});

/** One signal event. Kinds beyond those of this build may come; they are shown as they are. */
export const journalEvent = z.object({
  sequence,
  key: sessionKey,
  title: z.string(),
  agentId: z.string(),
  sessionId: z.string().nullable(),
  kind: z.string(),
  /** It tells watchers; others are only recorded. */
  notifies: z.boolean(),
  actor: journalActor,
  runId: z.string().nullable(),
  atMs: epochMs,
  summary: z.string(),
  payload: z.record(z.string(), z.union([z.string(), z.number()])).nullable(),
});
export type JournalEvent = z.output<typeof journalEvent>;

export const goalStatuses = [
  "active",
  "paused",
  "blocked",
  "budget_limited",
  "usage_limited",
  "complete",
] as const;
export const goalRow = z.object({
  key: sessionKey,
  goalId: z.string(),
  objective: z.string(),
  status: z.enum(goalStatuses),
  note: z.string().nullable(),
  tokenBudget: z.number().int().nullable(),
  tokensUsed: z.number().int(),
  createdAtMs: epochMs,
  updatedAtMs: epochMs,
  completedAtMs: epochMs.nullable(),
});
export type GoalRow = z.output<typeof goalRow>;

/** What differs in a session between two versions, counted from its transcript and turns by time. */
export const sessionDifference = z.object({
  fromMs: epochMs.nullable(),
  toMs: epochMs,
  messages: z.object({
    user: z.number().int(),
    assistant: z.number().int(),
    tool: z.number().int(),
  }),
  turns: z.object({
    completed: z.number().int(),
    failed: z.number().int(),
    other: z.number().int(),
  }),
  /** The incarnation at the first version, where the journal names it, and now. */
  sessionIdThen: z.string().nullable(),
  sessionIdNow: z.string().nullable(),
  goalNow: goalRow.nullable(),
});

export const watchPair = z.object({
  watcherKey: sessionKey,
  watcherTitle: z.string(),
  targetKey: sessionKey,
  targetTitle: z.string(),
  targetAgentId: z.string(),
  provenance: z.enum(["explicit", "ambient-group"]),
  /** How it came to be: its child, its child by lineage, or asked for. */
  origin: z.enum(["spawned", "lineage", "asked"]),
  lastSeen: sequence,
  notified: sequence,
  material: sequence,
  /** Version of the target now. */
  head: sequence,
  /** Events of the target that the watcher has not been told about. */
  lag: z.number().int(),
  pending: z.boolean(),
  notice: z
    .object({
      id: z.number().int(),
      text: z.string(),
      base: sequence,
      queuedAtMs: epochMs,
      /** A running turn has been shown it. */
      taken: z.boolean(),
    })
    .nullable(),
  drainedAtMs: epochMs.nullable(),
  mutedAtMs: epochMs.nullable(),
  updatedAtMs: epochMs,
  /** When the watch ends by itself if nothing happens. */
  expiresAtMs: epochMs,
});
export type WatchPair = z.output<typeof watchPair>;

export const watchNoticeRow = z.object({
  id: z.number().int(),
  watcherKey: sessionKey,
  watcherTitle: z.string(),
  targetKey: sessionKey,
  targetTitle: z.string(),
  text: z.string(),
  base: sequence.nullable(),
  state: z.enum(["waiting", "taken", "drained", "withdrawn"]),
  turnId: z.string().nullable(),
  queuedAtMs: epochMs,
  endedAtMs: epochMs.nullable(),
});

export const childStates = [
  "queued",
  "running",
  "completed",
  "failed",
  "cancelled",
  "timed_out",
] as const;
export const childRun = z.object({
  runId: z.string(),
  childKey: sessionKey,
  childTitle: z.string(),
  requesterKey: sessionKey,
  requesterTitle: z.string(),
  label: z.string(),
  task: z.string(),
  state: z.enum(childStates),
  result: z.string().nullable(),
  error: z.string().nullable(),
  /** Whether its end reached the requester. */
  announced: z.enum(["none", "handed", "dropped"]),
  droppedBecause: z.string().nullable(),
  createdAtMs: epochMs,
  startedAtMs: epochMs.nullable(),
  deadlineAtMs: epochMs.nullable(),
  endedAtMs: epochMs.nullable(),
});
export type ChildRun = z.output<typeof childRun>;

const pairInput = z.object({
  watcherKey: sessionKey,
  targetKey: sessionKey,
  agentId: agentId.optional(),
});
const goalOperation = {
  key: sessionKey,
  operationId: z.string().min(1).max(128).optional(),
  issuedAtMs: epochMs.optional(),
};
const goalAnswer = z.object({
  goal: goalRow.nullable(),
  changed: z.boolean(),
  /** The same operation was answered before; this is that answer. */
  replayed: z.boolean(),
});

/** One push of a watcher's notice: the toast of the pair (ux.md 8.2). */
export interface WatchNotice {
  watcherKey: string;
  watcherTitle: string;
  targetKey: string;
  targetTitle: string;
  targetAgentId: string;
  /** Incarnation of the target: a toast of another one is another toast. */
  targetSessionId: string | null;
  state: "pending" | "settled";
  /** Version that the pending notice names; of a settled pair, what the watcher has been told of. */
  base: number;
  head: number;
  /** Events that concern the watcher since the push before. */
  changes: number;
  muted: boolean;
  atMs: number;
}

/** The signal journal, watchers and their notices, goals, child runs. */
export const journalCalls = {
  "journal.list": call({
    in: z.object({
      key: sessionKey.optional(),
      agentId: agentId.optional(),
      kinds: z.array(z.string().max(64)).max(32).optional(),
      actorTypes: z.array(z.enum(["human", "agent", "system"])).optional(),
      actorId: z.string().max(2048).optional(),
      sinceMs: epochMs.optional(),
      untilMs: epochMs.optional(),
      /** Only below this number. */
      before: sequence.optional(),
      limit: z.number().int().min(1).max(500).optional(),
    }),
    out: z.object({
      events: z.array(journalEvent),
      nextBefore: sequence.nullable(),
      /** Newest number of all sessions, and the oldest kept. */
      head: sequence,
      oldest: sequence.nullable(),
    }),
    about: "Signal events of all sessions, newest first. Never message text.",
  }),
  "journal.changesSince": call({
    in: z.object({
      key: sessionKey,
      agentId: agentId.optional(),
      since: sequence,
      /** Compares with this version instead of the head. */
      through: sequence.optional(),
      /** Where a further page starts; default `since`. */
      after: sequence.optional(),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    out: z.object({
      key: sessionKey,
      agentId: z.string(),
      since: sequence,
      through: sequence,
      stateVersion: sequence,
      events: z.array(journalEvent),
      /** More follow: ask again with `after: next`. */
      more: z.boolean(),
      next: sequence.nullable(),
      /** Of all pages. */
      total: z.number().int(),
      counts: z.array(z.object({ kind: z.string(), count: z.number().int() })),
      earliestAvailableSequence: sequence,
      /** Part of what was asked for is no longer kept: read the whole session. */
      historyGap: z.boolean(),
      different: sessionDifference,
    }),
    about: "What happened to a session after a version, oldest first. Looking moves no cursor.",
  }),
  "journal.rail": call({
    in: z.object({
      key: sessionKey,
      agentId: agentId.optional(),
      before: sequence.optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    out: z.object({
      key: sessionKey,
      agentId: z.string(),
      stateVersion: sequence,
      earliestAvailableSequence: sequence,
      /** A version below this one gives a history gap. */
      prunedThrough: sequence,
      /** Newest first. */
      versions: z.array(z.object({ sequence, kind: z.string(), atMs: epochMs })),
      nextBefore: sequence.nullable(),
      marks: z.array(watchPair),
    }),
    about: "The versions of a session, oldest kept to head, with the marks of its watchers.",
  }),
  "journal.health": call({
    in: z.object({}),
    out: z.object({
      failures: z.number().int(),
      lastFailure: z.object({ what: z.string(), code: z.string(), message: z.string() }).nullable(),
      events: z.number().int(),
      watches: z.number().int(),
      pendingNotices: z.number().int(),
      /** Ordinary lines that were dropped because twenty waited already. */
      lastRetentionAtMs: epochMs.nullable(),
      retentionDays: z.number().int(),
      retainedRows: z.number().int(),
    }),
    about: "How the journal itself is: failed writes are counted here, and never fail a turn.",
  }),
  "journal.maintain": call({
    in: z.object({ what: z.enum(["replay", "retention"]) }),
    out: z.object({ done: z.number().int() }),
    changes: true,
    about: "Queues pending notices again, or forgets what is too old, now.",
  }),

  "watchers.list": call({
    in: z.object({
      /** Only pairs of which this session is one. */
      key: sessionKey.optional(),
      limit: z.number().int().min(1).max(500).optional(),
      cursor: z.string().max(8192).optional(),
    }),
    out: z.object({
      pairs: z.array(watchPair),
      total: z.number().int(),
      nextCursor: z.string().nullable(),
    }),
    about: "Who watches whom, with the three marks, the version now and the pending notice.",
  }),
  "watchers.notices": call({
    in: z.object({
      key: sessionKey.optional(),
      before: z.number().int().positive().optional(),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    out: z.object({ notices: z.array(watchNoticeRow), nextBefore: z.number().int().nullable() }),
    about: "Notices that watchers were sent, newest first, and what became of them.",
  }),
  "watchers.start": call({
    in: pairInput,
    out: z.object({ watching: z.boolean() }),
    changes: true,
    about: "Lets one session watch another from now on.",
  }),
  "watchers.stop": call({
    in: pairInput,
    out: z.object({ changed: z.boolean() }),
    changes: true,
    confirm: "dialog",
    about: "Ends a watch; its pending notice is withdrawn.",
  }),
  "watchers.mute": call({
    in: pairInput.extend({ muted: z.boolean() }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    about: "No toasts for this pair; the watcher itself is told as before.",
  }),
  "watchers.raise": call({
    in: pairInput,
    out: z.object({ woken: z.boolean() }),
    changes: true,
    about: "Wakes a watcher again whose notice is pending.",
  }),

  "goals.get": call({
    in: z.object({ key: sessionKey }),
    out: z.object({ goal: goalRow.nullable() }),
    about: "The goal of a session.",
  }),
  "goals.start": call({
    in: z.object({
      ...goalOperation,
      objective: z.string().min(1).max(16_000),
      tokenBudget: z.number().int().positive().optional(),
    }),
    out: goalAnswer,
    changes: true,
    about: "Gives a session a goal; it must have none.",
  }),
  "goals.update": call({
    in: z.object({
      ...goalOperation,
      goalId: z.string().max(64),
      action: z.enum(["edit", "pause", "resume", "block", "complete"]),
      objective: z.string().min(1).max(16_000).optional(),
      note: z.string().max(2000).optional(),
      tokenBudget: z.number().int().positive().nullable().optional(),
    }),
    out: goalAnswer,
    changes: true,
    about: "Changes a session's goal.",
  }),
  "goals.clear": call({
    in: z.object({ ...goalOperation, goalId: z.string().max(64).optional() }),
    out: goalAnswer,
    changes: true,
    confirm: "dialog",
    about: "Removes a session's goal.",
  }),

  "children.list": call({
    in: z.object({
      /** Runs that this session asked for, or that run in it. */
      key: sessionKey.optional(),
      open: z.boolean().optional(),
      before: epochMs.optional(),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    out: z.object({ children: z.array(childRun), nextBefore: epochMs.nullable() }),
    about: "Child runs, newest first.",
  }),
  "children.spawn": call({
    in: z.object({
      key: sessionKey,
      task: z.string().min(1).max(200_000),
      label: z.string().trim().max(512).optional(),
      timeoutSeconds: z.number().int().min(1).max(604_800).optional(),
    }),
    out: z.object({ run: childRun }),
    changes: true,
    about: "Sends a task to a child session; its end is told to this session once.",
  }),
  "children.cancel": call({
    in: z.object({ runId: z.string().max(64) }),
    out: z.object({ changed: z.boolean() }),
    changes: true,
    confirm: "dialog",
    about: "Stops a child run, with its own children and processes.",
  }),
} as const;
