import { z } from "zod";
import { epochMs, sessionId, sessionKey } from "./domain.ts";

const count = z.number().int();

export const busyMode = z.enum(["interrupt", "queue", "steer"]);
export const compressionMode = z.enum(["in_place", "rotation"]);

export const keyRule = z.enum([
  "private_chat",
  "private_person",
  "private_shared",
  "group_per_person",
  "group_shared",
  "thread_per_person",
  "thread_shared",
]);

/** One part of a session key. Joined by colons the values are the key. */
export const keySegment = z.object({
  value: z.string(),
  name: z.enum(["namespace", "platform", "type", "scope", "chat", "thread", "person"]),
  from: z.string(),
});

/** A question that waits, or waited, for a person. */
export const approvalRow = z.object({
  id: z.string(),
  key: sessionKey,
  /** `destructive`: a command that ends something; other kinds are asked by agents. */
  kind: z.string(),
  question: z.string(),
  state: z.enum(["open", "once", "always", "denied", "expired", "superseded", "cleared"]),
  blocksTurn: z.boolean(),
  askedAtMs: epochMs,
  expiresAtMs: epochMs,
  answeredAtMs: epochMs.nullable(),
  answeredBy: z.string().nullable(),
});
export type ApprovalRow = z.output<typeof approvalRow>;

/** What was done to a transcript as a whole. */
export const transcriptEdit = z.object({
  edit: count,
  kind: z.enum(["rewind", "retry", "compaction", "rotation"]),
  atMs: epochMs,
  by: z.string(),
  rows: count,
  turns: count,
  /** Of a rewind the undone text, of a compression its summary; cut. */
  excerpt: z.string(),
  childSessionId: sessionId.nullable(),
  restoredAtMs: epochMs.nullable(),
  /** `sessions.restore` would put it back now. */
  restorable: z.boolean(),
});

/** An incarnation of a lane, with what came before it. */
export const lineageNode = z.object({
  sessionId,
  /** The lane it is filed under: `sessions.history {key, sessionId}` reads it there. Null: nowhere. */
  key: sessionKey.nullable(),
  parentId: sessionId.nullable(),
  kind: z.enum(["start", "reset", "suspension", "branch", "compression", "background"]),
  title: z.string().nullable(),
  startedAtMs: epochMs,
  endedAtMs: epochMs.nullable(),
  endReason: z.string().nullable(),
  messageCount: count,
  /** Summarised away: readable, not sent to an agent. */
  archivedCount: count,
  rewoundCount: count,
  isCurrent: z.boolean(),
  edits: z.array(transcriptEdit),
});
export const backgroundRun = z.object({
  id: z.string(),
  key: sessionKey,
  sessionId,
  parentSessionId: sessionId,
  agentId: z.string(),
  task: z.string(),
  state: z.enum(["running", "completed", "failed", "interrupted"]),
  result: z.string().nullable(),
  delivery: z.enum(["none", "pending", "handed", "dropped"]),
  startedAtMs: epochMs,
  endedAtMs: epochMs.nullable(),
});
export type BackgroundRun = z.output<typeof backgroundRun>;

/** A session that a lane may go on in. */
export const pastSession = z.object({
  sessionId,
  key: sessionKey.nullable(),
  title: z.string().nullable(),
  messageCount: count,
  lastAtMs: epochMs,
  isCurrent: z.boolean(),
});
