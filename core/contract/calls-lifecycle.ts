import { z } from "zod";
import { call } from "./call.ts";
import { epochMs, nextMessage, receipt, sessionFlag, sessionId, sessionKey } from "./domain.ts";
import {
  approvalRow,
  backgroundRun,
  busyMode,
  compressionMode,
  keyRule,
  keySegment,
  lineageNode,
  pastSession,
} from "./lifecycle-domain.ts";

const keyOnly = z.object({ key: sessionKey });
const title = z.string().trim().max(120);
const count = z.number().int();

const compressionWish = z.object({
  key: sessionKey,
  focus: z.string().max(2_000).optional(),
  /** The last turns of people that stay as they are. */
  keepExchanges: count.min(0).max(1_000_000).optional(),
  mode: compressionMode.optional(),
});

const paused = z
  .object({ reason: z.string().nullable(), sinceMs: epochMs, by: z.string() })
  .nullable();

/** What a person can do to a conversation, and what explains it (lifecycle 18; field: lineage, keys, context). */
export const lifecycleCalls = {
  "sessions.explain": call({
    in: keyOnly,
    out: z.object({
      key: sessionKey,
      sessionId,
      /** Null for a lane whose chat is not known: its key says nothing that can be read back. */
      rule: keyRule.nullable(),
      segments: z.array(keySegment),
      /** The lane that today's settings give the chat, where it is another one. */
      keyToday: sessionKey.nullable(),
      isolation: z.object({
        groupSessionsPerUser: z.boolean(),
        threadSessionsPerUser: z.boolean(),
        /** Whether the settings say so for this chat alone. */
        ofThisChat: z.boolean(),
      }),
      sharing: z.object({
        /** Several people may speak in it. */
        shared: z.boolean(),
        /** Who did, the latest first. */
        speakers: z.array(z.string()),
        /** Other lanes that are in the same session. */
        otherLanes: z.array(sessionKey),
      }),
      flags: z.array(sessionFlag),
      nextMessage: z.object({
        fate: nextMessage,
        because: z.string().nullable(),
        /** What keeps it waiting now; null where nothing does. */
        waitsFor: z.string().nullable(),
      }),
      busyMode: z.object({ now: busyMode, own: busyMode.nullable() }),
      questions: z.array(approvalRow),
    }),
    about: "Why a session is this session: key, sharing, flags, and what its next message will do.",
  }),
  "sessions.lineage": call({
    in: keyOnly,
    out: z.object({ key: sessionKey, current: sessionId, nodes: z.array(lineageNode) }),
    about:
      "The lane's resets, branches, compressions and rewinds as a tree, parents before their children.",
  }),
  "sessions.context": call({
    in: keyOnly,
    out: z.object({
      key: sessionKey,
      /** The session context as the next turn sends it. */
      sent: z.string(),
      plain: z.string(),
      redacted: z.string(),
      redacts: z.boolean(),
      /** The platform is one whose ids can be redacted at all. */
      redactable: z.boolean(),
      /** What was sent last and is kept for internal turns; null before the first turn. */
      pinned: z
        .object({
          text: z.string(),
          sinceMs: epochMs,
          redacted: z.boolean(),
          isCurrent: z.boolean(),
        })
        .nullable(),
    }),
    about: "What the agent is told about where it is, with and without redaction.",
  }),

  "sessions.resumable": call({
    in: z.object({
      key: sessionKey,
      query: z.string().max(200).optional(),
      limit: count.min(1).max(200).optional(),
    }),
    out: z.object({ sessions: z.array(pastSession) }),
    about: "Sessions that the lane could go on in, the last used first.",
  }),
  "sessions.resume": call({
    in: z.object({ key: sessionKey, target: z.string().min(1).max(300) }),
    out: receipt.extend({ sessionId, messageCount: count }),
    changes: true,
    confirm: "dialog",
    about: "The lane goes on in another session, by id or title.",
  }),
  "sessions.undo": call({
    in: z.object({ key: sessionKey, turns: count.min(1).max(1_000_000).optional() }),
    out: receipt.extend({
      turnsUndone: count,
      rowsUndone: count,
      text: z.string(),
      /** For `sessions.restore`; null where nothing was undone. */
      edit: count.nullable(),
    }),
    changes: true,
    confirm: "undo",
    about: "Takes the last turns of people, and all that followed, out of the conversation.",
  }),
  "sessions.restore": call({
    in: z.object({ key: sessionKey, edit: count }),
    out: receipt.extend({ rowsRestored: count }),
    changes: true,
    about: "Puts undone turns back, as long as nothing was said since.",
  }),
  "sessions.retry": call({
    in: keyOnly,
    out: receipt.extend({ text: z.string() }),
    changes: true,
    about: "Takes the last message of a person out and sends it again.",
  }),
  "sessions.compressPreview": call({
    in: compressionWish,
    out: z.object({
      state: z.enum(["too_short", "nothing_older", "compact"]),
      messages: count,
      archived: count,
      kept: count,
      characters: count,
      mode: compressionMode,
      firstText: z.string(),
      lastText: z.string(),
    }),
    about: "What a compression would summarise and what would stay; asks no agent.",
  }),
  "sessions.compress": call({
    in: compressionWish,
    out: receipt.extend({
      state: z.enum(["too_short", "nothing_older", "compressed"]),
      sessionId,
      archived: count,
      kept: count,
      summary: z.string().nullable(),
    }),
    changes: true,
    confirm: "dialog",
    about:
      "Replaces older messages by a summary of the session's own agent; nothing is lost if it fails.",
  }),
  "sessions.stopCompression": call({
    in: keyOnly,
    out: z.object({ key: sessionKey, stopped: z.boolean() }),
    changes: true,
    about: "Breaks a running compression off; nothing changes.",
  }),
  "sessions.branch": call({
    in: z.object({ key: sessionKey, title: title.optional() }),
    out: receipt.extend({ from: sessionId, sessionId, titleTaken: z.boolean() }),
    changes: true,
    about: "Copies the conversation; the lane goes on in the copy.",
  }),
  "sessions.title": call({
    in: z.object({ key: sessionKey, title: title.nullable() }),
    out: receipt,
    changes: true,
    about: "Names the session; null takes the name away. A name belongs to one session.",
  }),
  "sessions.busyMode": call({
    in: z.object({ key: sessionKey, mode: busyMode.nullable().optional() }),
    out: z.object({ key: sessionKey, now: busyMode, own: busyMode.nullable() }),
    changes: true,
    about:
      "What a message does to a running turn here; null follows the settings, absent only asks.",
  }),
  "sessions.queue": call({
    in: z.object({ key: sessionKey, text: z.string().min(1).max(200_000) }),
    out: z.object({ key: sessionKey, inputId: count, depth: count }),
    changes: true,
    about: "A message that waits for its own turn, merged with no other.",
  }),
  "sessions.steer": call({
    in: z.object({ key: sessionKey, text: z.string().min(1).max(200_000) }),
    out: z.object({ key: sessionKey, inputId: count, steered: z.boolean() }),
    changes: true,
    about: "Puts text into the running turn after its next tool call; else it is queued.",
  }),

  "background.start": call({
    in: z.object({ key: sessionKey, task: z.string().trim().min(1).max(200_000) }),
    out: backgroundRun,
    changes: true,
    about: "Begins a task beside the conversation; its result comes back into it.",
  }),
  "background.list": call({
    in: z.object({ key: sessionKey.optional(), limit: count.min(1).max(200).optional() }),
    out: z.object({ runs: z.array(backgroundRun) }),
    about: "Tasks beside conversations, newest first.",
  }),
  "background.stop": call({
    in: z.object({ id: z.string().max(64) }),
    out: z.object({ id: z.string(), stopped: z.boolean() }),
    changes: true,
    about: "Interrupts one; what it has so far comes back.",
  }),

  "approvals.list": call({
    in: z.object({ key: sessionKey.optional(), limit: count.min(1).max(200).optional() }),
    out: z.object({ approvals: z.array(approvalRow) }),
    about: "Questions to people, newest first; with a key, those that wait there now.",
  }),
  "approvals.answer": call({
    in: z.object({ id: z.string().max(64), answer: z.enum(["once", "always", "deny"]) }),
    out: z.object({ approval: approvalRow, reply: z.string().nullable() }),
    changes: true,
    about: "Answers a question in a person's place; an approved command runs.",
  }),

  "gateway.pause": call({
    in: z.object({ on: z.boolean().optional(), reason: z.string().trim().max(200).optional() }),
    out: z.object({ paused, running: count }),
    changes: true,
    about: "Starts no new turns anywhere, or starts them again; without `on` only asks.",
  }),
  "gateway.restart": call({
    in: z.object({}),
    out: z.object({ restarting: z.boolean(), already: z.boolean(), running: count }),
    changes: true,
    confirm: "dialog",
    about: "Asks the host to start the gateway anew once running turns have ended.",
  }),
  "commands.list": call({
    in: z.object({}),
    out: z.object({
      commands: z.array(
        z.object({
          name: z.string(),
          usage: z.string(),
          about: z.string(),
          busy: z.enum(["immediate", "interrupt", "reject"]),
          destructive: z.boolean(),
        }),
      ),
    }),
    about: "The commands that a message may be, with what they do while a turn runs.",
  }),
} as const;
