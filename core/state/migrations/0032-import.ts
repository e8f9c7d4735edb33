import type { Migration } from "../migrate.ts";

/** What was taken over from another installation, so that a second import adds nothing (issue "Session lifecycle"). */
export const imported: Migration = {
  version: 32,
  up(sql) {
    sql.exec(`
CREATE TABLE import_marks (
  session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- The source's own name of the last row that was taken, and how many were.
  last_ref TEXT,
  rows INTEGER NOT NULL DEFAULT 0,
  imported_at INTEGER NOT NULL
) STRICT;

-- Keys under which our own rule would file a lane that another product named differently.
CREATE TABLE lane_aliases (
  alias TEXT PRIMARY KEY,
  session_key TEXT NOT NULL
) STRICT;
`);
  },
};
