import { z } from "zod";
import { asSessionId, asSessionKey, asTurnId } from "./ids.ts";

/** Integer milliseconds since the epoch, UTC. */
export const epochMs = z.number().int().nonnegative();
export const sessionKey = z.string().min(1).max(2048).transform(asSessionKey);
export const sessionId = z.string().min(1).max(256).transform(asSessionId);
export const turnId = z.string().min(1).max(64).transform(asTurnId);

/** Order is precedence: the first that holds is the state shown (ux.md 6). */
export const sessionStates = [
  "stuck",
  "failed",
  "waiting",
  "suspended",
  "running",
  "queued",
  "resume_pending",
  "idle",
] as const;
export const sessionState = z.enum(sessionStates);
export type SessionState = z.output<typeof sessionState>;

/** What the next inbound message of the lane will do (lifecycle 3.3). */
export const nextMessage = z.enum(["continue", "continue_interrupted", "start_fresh"]);
export type NextMessage = z.output<typeof nextMessage>;

export const sessionRow = z.object({
  key: sessionKey,
  sessionId,
  title: z.string(),
  platform: z.string().nullable(),
  channelId: z.string(),
  chatType: z.string(),
  state: sessionState,
  stateSinceMs: epochMs,
  queueDepth: z.number().int(),
  agentId: z.string().nullable(),
  messageCount: z.number().int(),
  turnCount: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  totalTokens: z.number().int(),
  createdAtMs: epochMs,
  updatedAtMs: epochMs,
  turnStartedAtMs: epochMs.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type SessionRow = z.output<typeof sessionRow>;

/** One stored flag that holds now, with its evidence. `by` is an actor: `panel`, `cli`, `rpc`, `recovery`, a channel id … */
export const sessionFlag = z.object({
  name: z.string(),
  value: z.string(),
  sinceMs: epochMs.nullable(),
  by: z.string().nullable(),
  clearedBy: z.string(),
});
export type SessionFlag = z.output<typeof sessionFlag>;

/** An item that waits in the lane, in the order in which it will run. */
export const waitingItem = z.object({
  inputId: z.number().int(),
  kind: z.enum(["message", "queue", "internal"]),
  place: z.enum(["slot", "fifo"]),
  preview: z.string(),
  from: z.string(),
  acceptedAtMs: epochMs,
  reason: z.string(),
});
export type WaitingItem = z.output<typeof waitingItem>;

export const sessionDetail = sessionRow.extend({
  nextMessage,
  nextMessageBecause: z.string().nullable(),
  flags: z.array(sessionFlag),
  waiting: z.array(waitingItem),
  origin: z.record(z.string(), z.unknown()).nullable(),
  turn: z.object({ id: turnId, startedAtMs: epochMs, text: z.string() }).nullable(),
});
export type SessionDetail = z.output<typeof sessionDetail>;

export const toolUse = z.object({
  id: z.string(),
  name: z.string(),
  outcome: z.enum(["ok", "failed", "unknown"]),
  outputBytes: z.number().int(),
  output: z.string(),
});
export type ToolUse = z.output<typeof toolUse>;

/** One visible row of a transcript. `boundary` rows mark resets, restarts, compactions; they are not sent to an agent. */
export const messageRow = z.object({
  id: z.number().int(),
  sessionId,
  role: z.enum(["user", "assistant", "tool", "system", "boundary"]),
  text: z.string(),
  from: z.string().nullable(),
  atMs: epochMs,
  turnId: z.string().nullable(),
  /** What a row is beside its role: `internal`, `summary`, of a bar its occasion (`reset`, `rewind` …). */
  kind: z.string().nullable().optional(),
  /** Set on a reply that ended early: `stopped`, `interrupted`. Null on whole rows. */
  cut: z.string().nullable(),
  tools: z.array(toolUse),
  /** `textBytes` of the whole row; `text` is cut to the first 64 KiB where it is larger. */
  textBytes: z.number().int(),
  delivery: z
    .enum(["pending", "attempting", "delivered", "failed", "unknown", "abandoned", "suppressed"])
    .nullable(),
});
export type MessageRow = z.output<typeof messageRow>;

export const channelState = z.enum(["up", "starting", "down", "stopped"]);
export const channelRow = z.object({
  id: z.string(),
  kind: z.string(),
  state: channelState,
  sinceMs: epochMs,
  account: z.string().nullable(),
  messagesIn: z.number().int(),
  messagesOut: z.number().int(),
  lastError: z.object({ code: z.string(), message: z.string(), atMs: epochMs }).nullable(),
  sessions: z.number().int(),
  /** For `webhook`: the path to post to. */
  address: z.string().nullable(),
});
export type ChannelRow = z.output<typeof channelRow>;

export const probeResult = z.object({
  state: z.enum(["unchecked", "ok", "failed"]),
  atMs: epochMs.nullable(),
  ms: z.number().nullable(),
  models: z.array(z.string()),
  code: z.string().nullable(),
  message: z.string().nullable(),
});
export type ProbeResult = z.output<typeof probeResult>;

export const agentRow = z.object({
  id: z.string(),
  runtime: z.enum(["practice", "openai-compatible"]),
  /** `built-in`, `config` (a person added it), `found` (seen on its usual port). */
  origin: z.enum(["built-in", "config", "found"]),
  baseUrl: z.string().nullable(),
  model: z.string().nullable(),
  hasKey: z.boolean(),
  isDefault: z.boolean(),
  running: z.number().int(),
  failuresLastHour: z.number().int(),
  probe: probeResult,
});
export type AgentRow = z.output<typeof agentRow>;

export const problem = z.object({
  code: z.string(),
  message: z.string(),
  /** Place in a file, field path or remedy; shown as is. */
  where: z.string().nullable(),
  remedy: z.string().nullable(),
});
export type Problem = z.output<typeof problem>;

export const gatewayStatus = z.object({
  version: z.string(),
  bootId: z.string(),
  pid: z.number().int(),
  host: z.enum(["desktop", "headless", "embedded"]),
  state: z.enum(["starting", "up", "draining", "degraded", "read_only"]),
  startedAtMs: epochMs,
  nowMs: epochMs,
  dataDir: z.string(),
  storeVersion: z.number().int(),
  storeBytes: z.number().int(),
  counts: z.object({
    sessions: z.number().int(),
    running: z.number().int(),
    queued: z.number().int(),
    suspended: z.number().int(),
    needsYou: z.number().int(),
    unknownDeliveries: z.number().int(),
  }),
  turns: z.object({ today: z.number().int(), failedToday: z.number().int() }),
  /** No new turn starts (`gateway.pause` says why). */
  paused: z.boolean().optional(),
  previousExit: z.enum(["first_start", "clean", "unclean"]),
  memory: z.object({ rssBytes: z.number().int(), heapBytes: z.number().int() }),
  /** Free space where the data lives; null where the system does not say. */
  freeBytes: z.number().nullable(),
  /** What the gateway runs on, by name: `node`, `sqlite`, on the desktop `electron` and `chrome`. */
  runtimes: z.record(z.string(), z.string()),
  /** Event-loop delay of the gateway's thread, 99th percentile since the last reading, in milliseconds. */
  loopDelayP99Ms: z.number().nullable(),
  problems: z.array(problem),
  /** What this host can do, so that the page shows nothing that cannot work. */
  capabilities: z.object({
    osNotifications: z.boolean(),
    tray: z.boolean(),
    autostart: z.boolean(),
    openPath: z.boolean(),
  }),
});
export type GatewayStatus = z.output<typeof gatewayStatus>;

export const logLine = z.object({
  seq: z.number().int(),
  atMs: epochMs,
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]),
  area: z.string(),
  event: z.string(),
  sessionKey: z.string().nullable(),
  text: z.string(),
});
export type LogLine = z.output<typeof logLine>;

/** An entry of the notices panel; the toast is only the tap on the shoulder (ux.md 8). */
export const notice = z.object({
  id: z.number().int(),
  atMs: epochMs,
  kind: z.enum(["info", "needs_you", "failed", "channel_down", "watch"]),
  title: z.string(),
  body: z.string(),
  link: z.string().nullable(),
  count: z.number().int(),
  seen: z.boolean(),
});
export type Notice = z.output<typeof notice>;

/** "Recorded", never "done": what a changing call answers (style P5). */
export const receipt = z.object({
  key: sessionKey,
  changed: z.boolean(),
  /** Epoch ms until which `undo` is honoured; null where the act has no undo. */
  undoUntilMs: epochMs.nullable(),
  row: sessionRow.nullable(),
});
export type Receipt = z.output<typeof receipt>;
