import type { Migration } from "../migrate.ts";

/**
 * What the search index needs of the store. The index itself is a file of its own, fed after the commit (decision 0021):
 * no trigger stands between a message and its row. Rows that change or go afterwards, which is rare, are noted here.
 */
export const search: Migration = {
  version: 30,
  up(sql) {
    sql.exec(`
CREATE TABLE search_changed (message_id INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER messages_search_update AFTER UPDATE OF session_id, content, tool_name, tool_calls ON messages BEGIN
  INSERT INTO search_changed (message_id) VALUES (old.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_search_delete AFTER DELETE ON messages BEGIN
  INSERT INTO search_changed (message_id) VALUES (old.id) ON CONFLICT DO NOTHING;
END;

-- By which an index, or a fallback file, knows the store that it was made from.
INSERT INTO state_meta (key, value) VALUES ('store_id', lower(hex(randomblob(16))));
`);
  },
};
