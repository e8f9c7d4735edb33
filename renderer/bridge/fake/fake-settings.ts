/** What the settings are where nobody changed them: the part of the real ones that the panel shows. */
export const fakeDefaults = {
  group_sessions_per_user: true,
  thread_sessions_per_user: false,
  max_concurrent_sessions: null,
  gateway: {
    delivery_unknown: "redeliver",
    delivery_unknown_by_channel: {},
    delivery_stale_minutes: 1440,
    quit_drain_timeout: 10,
  },
  display: { busy_input_mode: "interrupt" },
  privacy: { redact_pii: false },
  defaultAgent: "auto",
  agents: {},
  channels: { local: { enabled: true }, simulator: { enabled: true }, webhook: {} },
  server: { port: 0, host: "127.0.0.1" },
  log: { level: "info" },
};
