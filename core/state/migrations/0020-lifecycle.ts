import type { Migration } from "../migrate.ts";

/** Rewinds and compactions, questions and approvals, lane settings, prompt pins, detached runs (lifecycle 6, 9.3, 13, 14, 18). */
export const lifecycle: Migration = {
  version: 20,
  up(sql) {
    sql.exec(`
-- When an ended incarnation was last made current again: recovery compares boundaries with it (lifecycle 3.4).
ALTER TABLE sessions ADD COLUMN reopened_at INTEGER;

-- Which edit took a row out of the live transcript; null on rows that nothing took out.
ALTER TABLE messages ADD COLUMN edit_seq INTEGER;
CREATE INDEX messages_by_edit ON messages(edit_seq) WHERE edit_seq IS NOT NULL;

-- What was done to a transcript as a whole (lifecycle 3.8, 14). A rewind can be taken back while it is the last word.
CREATE TABLE transcript_edits (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id),
  kind TEXT NOT NULL CHECK (kind IN ('rewind', 'retry', 'compaction', 'rotation')),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  rows INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  -- Of a rewind the undone text, of a compaction its summary; both cut.
  excerpt TEXT NOT NULL,
  -- Where a rotation went on.
  child_session_id TEXT,
  -- The newest row at that time: something said since then bars the way back.
  last_message_id INTEGER NOT NULL,
  restored_at INTEGER
) STRICT;
CREATE INDEX edits_by_session ON transcript_edits(session_id, seq);

-- Keeps two compressions of one session apart (lifecycle 14.4).
CREATE TABLE compression_locks (
  session_id TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  acquired_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- What a person set for one lane; it outlives the conversations in it.
CREATE TABLE lane_settings (
  session_key TEXT PRIMARY KEY,
  busy_mode TEXT CHECK (busy_mode IN ('interrupt', 'queue', 'steer'))
) STRICT;

-- The session context as an agent was last sent it, byte for byte (lifecycle 9.3).
CREATE TABLE prompt_pins (
  session_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  redacted INTEGER NOT NULL,
  section TEXT NOT NULL,
  pinned_at INTEGER NOT NULL
) STRICT;

-- The list that /resume last showed, so that its numbers mean what the person read.
CREATE TABLE shown_lists (
  session_key TEXT PRIMARY KEY,
  session_ids_json TEXT NOT NULL,
  shown_at INTEGER NOT NULL
) STRICT;

-- Questions that wait for a person: confirmations of destructive commands, later what agents ask (lifecycle 6.1, 18).
CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  approval_id TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- A turn stands still until it is answered.
  blocks_turn INTEGER NOT NULL DEFAULT 0,
  question TEXT NOT NULL,
  subject_json TEXT NOT NULL,
  -- Who may answer; null: anybody who may speak in the lane.
  asked_of TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'once', 'always', 'denied', 'expired', 'superseded', 'cleared')),
  asked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answered_at INTEGER,
  answered_by TEXT
) STRICT;
CREATE INDEX approvals_open ON approvals(session_key, seq DESC) WHERE state = 'open';
CREATE INDEX approvals_by_age ON approvals(asked_at);

-- Runs beside a conversation whose results come back into it (lifecycle 13.1).
CREATE TABLE async_delegations (
  delegation_id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  parent_session_id TEXT NOT NULL,
  run_session_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  source_json TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'completed', 'failed', 'interrupted')),
  result TEXT,
  -- What became of the result: 'pending' until it is in the lane's inbox.
  delivery TEXT NOT NULL DEFAULT 'none' CHECK (delivery IN ('none', 'pending', 'handed', 'dropped')),
  attempts INTEGER NOT NULL DEFAULT 0,
  owner_boot TEXT NOT NULL,
  owner_pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX delegations_by_key ON async_delegations(session_key, started_at DESC);
CREATE INDEX delegations_open ON async_delegations(state) WHERE state = 'running';
CREATE INDEX delegations_pending ON async_delegations(delivery) WHERE delivery = 'pending';
`);
  },
};
