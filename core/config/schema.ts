import { z } from "zod";
import {
  flag,
  httpUrl,
  megabytesOrAuto,
  named,
  number,
  numberOrNull,
  section,
} from "./config-fields.ts";

const count = { min: 0, whole: true };
const seconds = { min: 0 };
/** Resolved from the secret store before this schema sees it; null where nothing is set. */
const secret = z.string().min(1).max(4000).nullable().default(null);
const busyMode = z.enum(["interrupt", "queue", "steer"]);

/** An OpenAI-compatible server that answers for us. */
const agent = z.strictObject({
  runtime: z.literal("openai-compatible").default("openai-compatible"),
  baseUrl: httpUrl,
  /** Null: the first model that the server names. */
  model: z.string().min(1).max(300).nullable().default(null),
  apiKey: secret,
});

const webhook = z.strictObject({
  enabled: flag(true),
  /** Null: the hook refuses everything. */
  secret,
  out: z
    .strictObject({
      url: httpUrl,
      /** Null: signed with the hook's own secret. */
      secret,
      timeoutMs: number(10_000, { min: 100, max: 300_000, whole: true }),
      /** The receiver drops a second message with the same Idempotency-Key. */
      idempotent: flag(false),
      /** Longest text that the receiver takes, in characters; longer ones go in parts, one after the other. Null: any. */
      partLength: numberOrNull({ min: 20, max: 200_000, whole: true }),
    })
    .nullable()
    .default(null),
  agent: z.string().max(120).nullable().default(null),
  /** For chats whose messages do not name a type. */
  chatType: z.enum(["dm", "group", "channel", "thread"]).default("dm"),
});

const gateway = section({
  write_sessions_json: flag(true),
  delivery_ledger: flag(true),
  /** What becomes of a reply that may have arrived (decision 6). */
  delivery_unknown: z.enum(["redeliver", "ask"]).default("redeliver"),
  /** The same for one channel, by its id. */
  delivery_unknown_by_channel: z
    .preprocess((value) => value ?? {}, z.record(z.string(), z.enum(["redeliver", "ask"])))
    .prefault({}),
  delivery_stale_minutes: number(1440, { min: 1 }),
  /** Pause after a first delivery that certainly failed; the second is four times as long (lifecycle 11.5). */
  delivery_retry_seconds: number(30, seconds),
  /** How long a quit waits for running turns before it cuts them. */
  quit_drain_timeout: number(10, seconds),
  restart_loop_guard: section({
    max_restarts: number(3, count),
    window_seconds: number(60, seconds),
    max_gap_seconds: number(300, seconds),
  }),
});

/** Durations are seconds, as in lifecycle 19, unless the name says otherwise. */
const agentRuns = section({
  gateway_auto_continue_freshness: number(3600),
  gateway_timeout: number(1800, seconds),
  gateway_timeout_warning: number(900, seconds),
  gateway_startup_restore_drain_timeout: number(30, seconds),
  restart_drain_timeout: number(0, seconds),
  restart_after_turn_timeout: number(1800, seconds),
  cron_drain_timeout: number(60, seconds),
  gateway_turn_lease_timeout: number(1800, seconds),
  session_stall_timeout: number(300, seconds),
  agent_cache: section({
    max_size: number(128, { min: 1, whole: true }),
    idle_ttl_secs: number(3600, seconds),
    memory_high_mb: megabytesOrAuto(),
    max_evictions_per_pass: number(16, { min: 1, whole: true }),
    protect_recent: number(8, count),
  }),
});

/** What one platform shows differently. Absent members follow `display`. */
const platformDisplay = z.strictObject({
  busy_input_mode: busyMode.optional(),
  suppress_warning_notifications: z.boolean().optional(),
});

/** What one chat does differently. */
const chat = z.strictObject({
  group_sessions_per_user: z.boolean().optional(),
  thread_sessions_per_user: z.boolean().optional(),
});

/**
 * Every setting with its default: lifecycle 19, then our own. The first level is the file's top level.
 * A wrong yes/no or number costs that setting only; anything else that is wrong makes the file wrong.
 */
export const configSchema = z.strictObject({
  group_sessions_per_user: flag(true),
  thread_sessions_per_user: flag(false),
  session_store_max_age_days: number(0, { min: 0 }),
  max_concurrent_sessions: numberOrNull({ min: 1, whole: true }),
  multiplex_profiles: flag(false),
  gateway,
  agent: agentRuns,
  display: section({
    busy_input_mode: busyMode.default("interrupt"),
    busy_text_mode: z.enum(["interrupt", "queue"]).nullable().default(null),
    suppress_warning_notifications: flag(false),
    platforms: named(platformDisplay),
  }),
  /** Settings of single chats, by `<platform>:<chat id>`; what is absent follows the general ones. */
  chats: z
    .preprocess((value) => value ?? {}, z.record(z.string().min(3).max(300), chat))
    .prefault({}),
  compression: section({
    /** `in_place`: the session goes on; `rotation`: a new session goes on, the old one stays whole. */
    mode: z.enum(["in_place", "rotation"]).default("in_place"),
  }),
  privacy: section({ redact_pii: flag(false) }),
  approvals: section({ destructive_slash_confirm: flag(true) }),
  sessions: section({
    auto_prune: flag(false),
    retention_days: number(90, { min: 1 }),
    vacuum_after_prune: flag(true),
    min_interval_hours: number(24, { min: 0 }),
  }),
  logging: section({
    memory_monitor: flag(true),
    memory_monitor_seconds: number(300, { min: 1 }),
  }),

  /** What agents may see of each other's sessions, and how long they may talk among themselves (state-awareness 10.5). */
  tools: section({
    sessions: section({ visibility: z.enum(["self", "tree", "agent", "all"]).default("all") }),
    agentToAgent: section({
      enabled: flag(true),
      /** Globs of agent ids; both sides must match one. Empty: all. */
      allow: z.preprocess((value) => value ?? [], z.array(z.string().max(120)).max(100)),
    }),
    relays: section({
      max_hops: number(12, { min: 1, whole: true }),
      max_per_chain: number(40, { min: 1, whole: true }),
      max_per_pair: number(60, { min: 1, whole: true }),
      window_hours: number(24, { min: 0.1 }),
    }),
  }),

  /** `auto`: the first server found on this machine, else the practice agent. */
  defaultAgent: z.string().min(1).max(120).default("auto"),
  agents: named(agent),
  channels: section({
    local: section({ enabled: flag(true) }),
    simulator: section({ enabled: flag(true) }),
    webhook: named(webhook),
  }),
  server: section({
    port: number(0, { min: 0, max: 65_535, whole: true }),
    host: z
      .enum(["127.0.0.1", "localhost", "::1"], "must be this machine: 127.0.0.1, localhost or ::1")
      .default("127.0.0.1"),
  }),
  log: section({ level: z.enum(["debug", "info", "warn", "error"]).default("info") }),
  turns: section({
    /** Until the first sign of life of an answer. */
    first_token_timeout: number(120, seconds),
    /** Between two signs of life. */
    idle_timeout: number(60, seconds),
    /** Pieces of one thought: this close together, and no longer in all (lifecycle 12.4). */
    burst_gap: number(0.35, seconds),
    burst_cap: number(1, seconds),
  }),
});
export type Config = z.output<typeof configSchema>;
export type WebhookConfig = Config["channels"]["webhook"][string];

/** Timers that ended conversations by the clock: accepted and ignored, time never resets one (lifecycle 2.2). */
const RESET_TIMER =
  /^(session_reset|default_reset_policy|reset_(by|at|policy|triggers|timer|hour)\w*|daily_reset\w*|idle_(reset|minutes|timeout)\w*|session_(idle|expiry)\w*)$/;

/** @param path Where the unknown key stands. */
export const isIgnoredTimer = (path: readonly string[]): boolean =>
  path.length <= 2 && RESET_TIMER.test(path.at(-1) ?? "");

/** Where a secret stands; `*` is any id. */
const SECRET_PATHS = [
  ["agents", "*", "apiKey"],
  ["channels", "webhook", "*", "secret"],
  ["channels", "webhook", "*", "out", "secret"],
] as const;

/** Whether a secret stands at this path. */
export const isSecretPath = (path: readonly string[]): boolean =>
  SECRET_PATHS.some(
    (pattern) =>
      pattern.length === path.length &&
      pattern.every((part, at) => part === "*" || part === path[at]),
  );
