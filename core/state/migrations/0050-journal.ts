import type { Migration } from "../migrate.ts";

/** The signal journal, watches and their notices, goals, child runs, relays among agents (state-awareness 2, 6, 11, 13). */
export const journal: Migration = {
  version: 50,
  up(sql) {
    sql.exec(`
-- What happened to which session; never message text (state-awareness 2.2, 3.4).
CREATE TABLE session_state_events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  dedupe_key TEXT UNIQUE,
  session_key TEXT NOT NULL,
  session_id TEXT,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('human', 'agent', 'system')),
  actor_id TEXT,
  run_id TEXT,
  occurred_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  payload_json TEXT
) STRICT;
CREATE INDEX state_events_by_session ON session_state_events(session_key, sequence DESC);
CREATE INDEX state_events_by_time ON session_state_events(occurred_at DESC, sequence DESC);

CREATE TABLE session_state_heads (
  session_key TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  last_sequence INTEGER NOT NULL,
  pruned_max_sequence INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (session_key, agent_id)
) STRICT;

-- Who watches whom, with the three marks. The target's agent is part of the identity (2.4, decision 11); one data
-- directory has one store, so there is no watcher_store_path (5.5).
CREATE TABLE session_watch_cursors (
  watcher_session_key TEXT NOT NULL,
  target_session_key TEXT NOT NULL,
  target_agent_id TEXT NOT NULL,
  last_seen_sequence INTEGER NOT NULL DEFAULT 0,
  notified_sequence INTEGER NOT NULL DEFAULT 0,
  material_sequence INTEGER NOT NULL DEFAULT 0,
  provenance TEXT NOT NULL DEFAULT 'explicit' CHECK (provenance IN ('explicit', 'ambient-group')),
  -- How an explicit watch came to be, for the panel.
  origin TEXT NOT NULL DEFAULT 'asked' CHECK (origin IN ('spawned', 'lineage', 'asked')),
  drained_at INTEGER,
  muted_at INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (watcher_session_key, target_session_key, target_agent_id)
) STRICT;
CREATE INDEX watch_cursors_by_target ON session_watch_cursors(target_session_key, target_agent_id, watcher_session_key);
CREATE INDEX watch_cursors_pending ON session_watch_cursors(watcher_session_key, target_session_key)
  WHERE material_sequence > last_seen_sequence;

-- How an adopted session goes on from a foreign one (2.5).
CREATE TABLE session_upstream_links (
  session_key TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  catalog_id TEXT NOT NULL,
  host_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  upstream_kind TEXT NOT NULL,
  upstream_ref_json TEXT NOT NULL,
  last_marker_json TEXT,
  last_scanned_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (session_key, agent_id)
) STRICT;
CREATE INDEX upstream_links_by_catalog ON session_upstream_links(catalog_id);

-- Lines that wait for a session's next turn: watchers' notices and other system events (6.2, decision 8). Ended rows
-- stay a while as the record of what was told.
CREATE TABLE session_system_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL,
  text TEXT NOT NULL,
  context_key TEXT,
  -- Of a notice: what it is about, and the version its text names.
  target_session_key TEXT,
  target_agent_id TEXT,
  base_sequence INTEGER,
  -- 'taken': shown to a turn that has not ended.
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'drained', 'withdrawn')),
  turn_id TEXT,
  -- The chain of agent-made messages that led to it; null where a person or the gateway did.
  chain_id TEXT,
  chain_hops INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX system_events_one_notice ON session_system_events(session_key, target_session_key, target_agent_id)
  WHERE state = 'waiting' AND target_session_key IS NOT NULL;
CREATE INDEX system_events_about ON session_system_events(target_session_key, target_agent_id, session_key)
  WHERE state IN ('waiting', 'taken');
CREATE INDEX system_events_of_turn ON session_system_events(turn_id) WHERE state = 'taken';
CREATE INDEX system_events_ended ON session_system_events(ended_at) WHERE ended_at IS NOT NULL;

-- Whose child a session is (3.3). Sessions that a person makes have no row.
CREATE TABLE session_parentage (
  session_key TEXT PRIMARY KEY,
  spawned_by TEXT,
  parent_session_key TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX parentage_by_spawner ON session_parentage(spawned_by);

-- One goal a session (11.1).
CREATE TABLE session_goals (
  session_key TEXT PRIMARY KEY,
  goal_id TEXT NOT NULL,
  objective TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'blocked', 'budget_limited', 'usage_limited', 'complete')),
  note TEXT,
  token_budget INTEGER,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
-- Answers of operations on goals, so that a repetition gets the first one again (11.2).
CREATE TABLE goal_receipts (
  session_key TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  request TEXT NOT NULL,
  result_json TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  PRIMARY KEY (session_key, operation_id)
) STRICT;
CREATE INDEX goal_receipts_by_age ON goal_receipts(issued_at);

-- Child runs (13): a task in a session of its own, whose end is told to the requester once.
CREATE TABLE child_runs (
  run_id TEXT PRIMARY KEY,
  child_session_key TEXT NOT NULL,
  requester_key TEXT NOT NULL,
  -- The requester's incarnation: a result never reaches a conversation that was reset meanwhile.
  requester_session_id TEXT,
  label TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'timed_out')),
  input_seq INTEGER,
  turn_id TEXT,
  result TEXT,
  error TEXT,
  -- Of the result: 'none' until the end, 'handed' once it is in the requester's inbox, 'dropped' with the reason.
  announced TEXT NOT NULL DEFAULT 'none' CHECK (announced IN ('none', 'handed', 'dropped')),
  dropped_because TEXT,
  -- The chain of agent-made messages that it goes on in.
  chain_id TEXT,
  chain_hops INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  deadline_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE INDEX child_runs_by_requester ON child_runs(requester_key, created_at DESC);
CREATE INDEX child_runs_by_child ON child_runs(child_session_key, created_at DESC);
CREATE INDEX child_runs_open ON child_runs(state) WHERE state IN ('queued', 'running');
CREATE INDEX child_runs_by_turn ON child_runs(turn_id) WHERE turn_id IS NOT NULL;

-- Messages from agent to agent (10.4): whose answer is awaited, and where it goes when it comes late.
CREATE TABLE session_sends (
  run_id TEXT PRIMARY KEY,
  from_key TEXT NOT NULL,
  from_session_id TEXT,
  to_key TEXT NOT NULL,
  input_seq INTEGER NOT NULL,
  turn_id TEXT,
  -- 'waiting': the sender's tool call waits; 'announce': the answer is to be announced; 'ended'.
  state TEXT NOT NULL CHECK (state IN ('waiting', 'announce', 'ended')),
  chain_id TEXT NOT NULL,
  chain_hops INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX session_sends_open ON session_sends(input_seq) WHERE state <> 'ended';
CREATE INDEX session_sends_by_turn ON session_sends(turn_id) WHERE state <> 'ended' AND turn_id IS NOT NULL;
CREATE INDEX session_sends_by_age ON session_sends(created_at);

-- Each relay from agent to agent, so that none goes on for ever; the newest word of a person opens a new count.
CREATE TABLE agent_relays (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  chain_id TEXT NOT NULL,
  hops INTEGER NOT NULL,
  pair TEXT NOT NULL
) STRICT;
CREATE INDEX relays_by_chain ON agent_relays(chain_id, at);
CREATE INDEX relays_by_pair ON agent_relays(pair, at);
CREATE INDEX relays_by_time ON agent_relays(at);
CREATE TABLE last_human_words (session_key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
-- Which chain a turn belongs to, so that a resumed one goes on in it.
CREATE TABLE turn_chains (turn_id TEXT PRIMARY KEY, chain_id TEXT NOT NULL, hops INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE INDEX turn_chains_by_time ON turn_chains(at);
`);
  },
};
