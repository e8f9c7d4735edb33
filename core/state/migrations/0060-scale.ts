import type { Migration } from "../migrate.ts";

/** What keeps the cost of a message, and of a look at the list, apart from how many sessions there are (lifecycle 20.13). */
export const scale: Migration = {
  version: 60,
  up(sql) {
    sql.exec(`
-- Lanes in each state, derived: every push tells these numbers, so they may not cost a walk through all lanes.
CREATE TABLE lane_counts (state TEXT PRIMARY KEY, lanes INTEGER NOT NULL) STRICT;
INSERT INTO lane_counts (state, lanes) SELECT state, count(*) FROM gateway_routing GROUP BY state;
CREATE TRIGGER lane_counts_insert AFTER INSERT ON gateway_routing BEGIN
  INSERT INTO lane_counts (state, lanes) VALUES (NEW.state, 1) ON CONFLICT(state) DO UPDATE SET lanes = lanes + 1;
END;
CREATE TRIGGER lane_counts_delete AFTER DELETE ON gateway_routing BEGIN
  UPDATE lane_counts SET lanes = lanes - 1 WHERE state = OLD.state;
END;
CREATE TRIGGER lane_counts_update AFTER UPDATE OF state ON gateway_routing WHEN OLD.state <> NEW.state BEGIN
  UPDATE lane_counts SET lanes = lanes - 1 WHERE state = OLD.state;
  INSERT INTO lane_counts (state, lanes) VALUES (NEW.state, 1) ON CONFLICT(state) DO UPDATE SET lanes = lanes + 1;
END;

-- The first message of a new lane looks for a session of the same peer that no key names (lifecycle 3.4).
DROP INDEX sessions_by_peer;
CREATE INDEX sessions_without_key ON sessions(source, coalesce(chat_id, ''), coalesce(user_id, ''), coalesce(chat_type, ''),
  coalesce(thread_id, ''), started_at) WHERE session_key IS NULL;

-- What is asked for each message, in the very words of its query: SQLite does not conclude from "= 'waiting'" that
-- "IN ('waiting', 'taken')" holds, and would walk through everything that was ever delivered.
DROP INDEX obligations_open;
CREATE INDEX obligations_open ON delivery_obligations(session_key, order_seq) WHERE state IN ('pending', 'attempting', 'failed');
CREATE INDEX obligations_by_turn ON delivery_obligations(turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbound_by_turn ON inbound_journal(turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX system_events_waiting ON session_system_events(session_key, id) WHERE state = 'waiting';
CREATE INDEX child_runs_queued ON child_runs(input_seq) WHERE state = 'queued';

-- A page of a transcript is read backwards by id, rows that were summed up included.
DROP INDEX messages_by_session;
CREATE INDEX messages_by_session ON messages(session_id, id);
`);
  },
};
