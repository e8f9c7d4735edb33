import type { Lane } from "./people.ts";

/** The secret that all hooks of the test share. */
export const secret = "a secret of the crash test";

/**
 * Four ways in which a platform can be: one that takes everything as it comes, one that drops a second request with the
 * same key, one that takes texts in parts, one whose doubtful deliveries wait for the operator.
 */
const hooks = ["plain", "keyed", "parts", "asks"];

export const lanes: Lane[] = [
  ...hooks.flatMap((hook) => [lane(hook, "calm"), lane(hook, "bursty")]),
  lane("plain", "unruly", 2), // two people in one conversation
  lane("keyed", "unruly"),
  lane("parts", "unruly"),
  lane("plain", "hasty"),
  lane("keyed", "steering"),
  lane("asks", "unruly", 3), // enough of them that something waits for the operator to move
];

/** Lanes in which the operator takes part. */
export const isOperated = (name: string): boolean => name === "asks:asks-unruly";

function lane(hook: string, temper: Lane["temper"], people = 1): Lane {
  const chat = `${hook}-${temper}`;
  const names = Array.from({ length: people }, (_, at) => `${chat}-${at + 1}`);
  const type = people > 1 ? "group" : "dm";
  return { name: `${hook}:${chat}`, hook, chat, type, people: names, temper };
}

/**
 * The gateway's settings for a recording server on `port`. Repeated kills are a crash loop by design, so the breaker is
 * off unless `maxRestarts` turns it on.
 */
export const settings = (port: number, maxRestarts = 0) => ({
  group_sessions_per_user: false,
  display: { busy_input_mode: "queue" },
  approvals: { destructive_slash_confirm: false },
  gateway: {
    delivery_retry_seconds: 0.2,
    quit_drain_timeout: 0.3,
    restart_loop_guard: { max_restarts: maxRestarts },
    delivery_unknown_by_channel: { "webhook:asks": "ask" },
  },
  turns: { burst_gap: 0.06, burst_cap: 1 },
  log: { level: "warn" },
  defaultAgent: "practice",
  channels: {
    webhook: Object.fromEntries(
      hooks.map((hook) => [
        hook,
        {
          secret,
          out: {
            url: `http://127.0.0.1:${port}/${hook}`,
            timeoutMs: 400,
            idempotent: hook === "keyed",
            ...(hook === "parts" ? { partLength: 120 } : {}),
          },
        },
      ]),
    ),
  },
});
