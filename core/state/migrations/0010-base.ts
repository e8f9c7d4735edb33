import type { Migration } from "../migrate.ts";

/** Sessions, transcripts, inbox, turns, deliveries, notices. Times are epoch milliseconds, UTC (decisions 10). */
export const base: Migration = {
  version: 10,
  up(sql) {
    sql.exec(`
-- One incarnation of a conversation, owner of one transcript (lifecycle 7.2).
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  user_id TEXT,
  session_key TEXT,
  chat_id TEXT,
  chat_type TEXT,
  thread_id TEXT,
  display_name TEXT,
  origin_json TEXT,
  expiry_finalized INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  model_config TEXT,
  system_prompt TEXT,
  parent_session_id TEXT REFERENCES sessions(id),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_cost_usd REAL NOT NULL DEFAULT 0,
  cost_status TEXT NOT NULL DEFAULT 'unknown',
  title TEXT,
  api_call_count INTEGER NOT NULL DEFAULT 0,
  rewind_count INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  profile_name TEXT
) STRICT;
CREATE UNIQUE INDEX sessions_title ON sessions(title) WHERE title IS NOT NULL;
CREATE INDEX sessions_by_key ON sessions(session_key, started_at DESC);
CREATE INDEX sessions_by_parent ON sessions(parent_session_id);
CREATE INDEX sessions_by_peer ON sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC);

-- Transcript rows, in the order of their ids (lifecycle 7.3). active=0 compacted=1: summarised away; active=0 compacted=0: rewound.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL,
  content TEXT,
  tool_call_id TEXT,
  tool_calls TEXT,
  tool_name TEXT,
  timestamp INTEGER NOT NULL,
  token_count INTEGER,
  finish_reason TEXT,
  reasoning TEXT,
  platform_message_id TEXT,
  observed INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1,
  compacted INTEGER NOT NULL DEFAULT 0,
  display_kind TEXT,
  display_metadata TEXT,
  api_content TEXT,
  turn_id TEXT,
  sender_name TEXT
) STRICT;
CREATE INDEX messages_by_session ON messages(session_id, active, id);
CREATE INDEX messages_by_platform_id ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;

-- The routing index: lane -> current incarnation, with every persisted flag (lifecycle 2.1).
CREATE TABLE gateway_routing (
  session_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  origin_json TEXT,
  lane_identity TEXT,
  channel_id TEXT NOT NULL,
  display_name TEXT,
  platform TEXT,
  chat_type TEXT NOT NULL DEFAULT 'dm',
  metadata_json TEXT NOT NULL DEFAULT '{}',
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_cost_usd REAL NOT NULL DEFAULT 0,
  cost_status TEXT NOT NULL DEFAULT 'unknown',
  last_prompt_tokens INTEGER NOT NULL DEFAULT 0,
  model_override_json TEXT,
  reasoning_override_json TEXT,
  service_tier_override_json TEXT,
  active_turn_token TEXT,
  active_turn_started_at INTEGER,
  transport_profile TEXT,
  suspended INTEGER NOT NULL DEFAULT 0,
  suspended_at INTEGER,
  suspended_by TEXT,
  suspend_reason TEXT,
  resume_pending INTEGER NOT NULL DEFAULT 0,
  resume_reason TEXT,
  last_resume_marked_at INTEGER,
  -- The person was told that the interrupted turn will not be taken up by itself.
  resume_told_at INTEGER,
  -- The crash-loop breaker keeps this lane's interrupted turn until the operator releases it.
  resume_held_at INTEGER,
  is_fresh_reset INTEGER NOT NULL DEFAULT 0,
  was_auto_reset INTEGER NOT NULL DEFAULT 0,
  auto_reset_reason TEXT,
  reset_had_activity INTEGER NOT NULL DEFAULT 0,
  prev_session_id TEXT,
  expiry_finalized INTEGER NOT NULL DEFAULT 0,
  extra_json TEXT NOT NULL DEFAULT '{}',
  -- Ours, for the list: derived counters that would otherwise need a scan of other tables.
  title TEXT NOT NULL DEFAULT '',
  agent_id TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  queue_depth INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'idle',
  state_since INTEGER NOT NULL,
  error_code TEXT,
  error_message TEXT
) STRICT;
CREATE INDEX routing_by_update ON gateway_routing(updated_at DESC, session_key);
CREATE INDEX routing_by_state ON gateway_routing(state, updated_at DESC);
CREATE INDEX routing_by_channel ON gateway_routing(channel_id);
CREATE INDEX routing_by_session ON gateway_routing(session_id);
CREATE INDEX routing_marked ON gateway_routing(session_key) WHERE active_turn_token IS NOT NULL;
CREATE INDEX routing_resuming ON gateway_routing(session_key) WHERE resume_pending = 1;

-- Every accepted message until (and a while after) its end (lifecycle 12.10). Ended rows stay to recognise redeliveries.
CREATE TABLE inbound_journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  chat_ref TEXT NOT NULL,
  platform_message_id TEXT,
  sender_ref TEXT NOT NULL,
  kind TEXT NOT NULL,
  place TEXT NOT NULL,
  position REAL NOT NULL,
  event_json TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('accepted', 'started', 'ended')),
  outcome TEXT,
  turn_id TEXT,
  -- The pieces of a burst end as merged into the message that waits (lifecycle 12.4).
  merged_into INTEGER,
  first_piece_at INTEGER,
  last_piece_at INTEGER,
  accepted_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX inbound_once ON inbound_journal(chat_ref, platform_message_id) WHERE platform_message_id IS NOT NULL;
CREATE INDEX inbound_waiting ON inbound_journal(session_key, place DESC, position) WHERE state = 'accepted';
CREATE INDEX inbound_started ON inbound_journal(turn_id) WHERE state = 'started';
CREATE INDEX inbound_ended ON inbound_journal(ended_at) WHERE state = 'ended';

CREATE TABLE turns (
  turn_id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  -- The turn that this one takes up again after an interruption.
  resumes TEXT,
  -- Age across a restart is measured against the machine's boot: a stepped clock changes no verdict.
  machine_boot TEXT,
  started_uptime_ms INTEGER,
  state TEXT NOT NULL CHECK (state IN ('running', 'completed', 'silent', 'failed', 'stopped', 'interrupted')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  error_code TEXT,
  error_message TEXT,
  model TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  reply_message_id INTEGER
) STRICT;
CREATE INDEX turns_by_key ON turns(session_key, started_at DESC);
CREATE INDEX turns_by_time ON turns(started_at);
CREATE INDEX turns_running ON turns(session_key) WHERE state = 'running';

-- A final text owed to a chat (lifecycle 11.1).
CREATE TABLE delivery_obligations (
  order_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  obligation_id TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  thread_id TEXT,
  target_json TEXT NOT NULL,
  content TEXT NOT NULL,
  -- 'reply': what an agent said; 'notice': what the gateway has to tell the person.
  kind TEXT NOT NULL DEFAULT 'reply',
  reply_to TEXT,
  message_id INTEGER,
  turn_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'attempting', 'delivered', 'failed', 'unknown', 'abandoned')),
  attempts INTEGER NOT NULL DEFAULT 0,
  recovered INTEGER NOT NULL DEFAULT 0,
  cause TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  owner_boot TEXT,
  owner_pid INTEGER,
  owner_started_at INTEGER,
  remote_id TEXT,
  last_error TEXT,
  parts_done INTEGER NOT NULL DEFAULT 0,
  parts_total INTEGER,
  adapter_profile TEXT NOT NULL DEFAULT 'default',
  delivery_fence INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX obligations_open ON delivery_obligations(session_key, order_seq) WHERE state IN ('pending', 'attempting', 'failed', 'unknown');
CREATE INDEX obligations_by_message ON delivery_obligations(message_id) WHERE message_id IS NOT NULL;
CREATE INDEX obligations_by_age ON delivery_obligations(updated_at);
CREATE INDEX obligations_unknown ON delivery_obligations(state) WHERE state = 'unknown';

CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  link TEXT,
  group_key TEXT,
  count INTEGER NOT NULL DEFAULT 1,
  seen INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX notices_unseen ON notices(seen) WHERE seen = 0;
CREATE UNIQUE INDEX notices_open_group ON notices(group_key) WHERE group_key IS NOT NULL AND seen = 0;

-- What a person did, by which door: the evidence behind "suspended by …".
CREATE TABLE operator_acts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  act TEXT NOT NULL,
  session_key TEXT,
  summary TEXT NOT NULL
) STRICT;
CREATE INDEX acts_by_key ON operator_acts(session_key, seq DESC);

-- Interrupted restarts in a row of a lane, counted before its turn is started again (lifecycle 10.6, decision 5).
CREATE TABLE restart_counts (
  session_key TEXT PRIMARY KEY,
  restarts INTEGER NOT NULL,
  counted_at INTEGER NOT NULL
) STRICT;

CREATE TABLE boots (
  boot_id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  ready_at INTEGER,
  ended_at INTEGER,
  exit TEXT,
  version TEXT NOT NULL,
  host TEXT NOT NULL,
  machine_boot TEXT,
  -- How many lanes this boot had to take up again: boots with some form the chains that trip the breaker (lifecycle 10.5).
  resume_candidates INTEGER NOT NULL DEFAULT 0,
  report_json TEXT
) STRICT;
CREATE INDEX boots_by_time ON boots(started_at DESC);

CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`);
  },
};
