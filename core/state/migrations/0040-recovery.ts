import type { Migration } from "../migrate.ts";

/** What recovery needs to judge ages without the wall clock, and a person's acts that a crash must not undo (lifecycle 10 to 12, 20.4). */
export const recovery: Migration = {
  version: 40,
  up(sql) {
    sql.exec(`
-- A stop that is on disk before the turn has ended: it is not taken up again. What its bar says; null where nobody stopped it.
ALTER TABLE turns ADD COLUMN stop_because TEXT;
-- The person has still to be told of it.
ALTER TABLE turns ADD COLUMN stop_tell INTEGER NOT NULL DEFAULT 0;

-- When a lane was marked to resume, by the machine's own run.
CREATE TABLE resume_marks (
  session_key TEXT PRIMARY KEY,
  machine_boot TEXT,
  uptime_ms INTEGER NOT NULL
) STRICT;

-- The same for the age of a debt.
ALTER TABLE delivery_obligations ADD COLUMN machine_boot TEXT;
ALTER TABLE delivery_obligations ADD COLUMN created_uptime_ms INTEGER;
-- When a person said that it is to be sent, however old it is.
ALTER TABLE delivery_obligations ADD COLUMN released_at INTEGER;
`);
  },
};
