import { existsSync, renameSync } from "node:fs";
import type { Log } from "../log/log.ts";
import { asideName, moveAside } from "./aside.ts";
import { openDatabase } from "./database.ts";
import type { Database } from "./database.ts";
import { removeStore } from "./remove-store.ts";

/** Tables whose rows of the degraded time are brought over, and what tells that a row is there already. */
const brought = {
  sessions: "by id",
  gateway_routing: "changed lanes win",
  inbound_journal: "by platform message id",
  turns: "by id",
  delivery_obligations: "by id",
  notices: "all",
  operator_acts: "all",
  restart_counts: "the newer wins",
  resume_marks: "the newer wins",
  boots: "by id",
  lane_settings: "the newer wins",
  approvals: "by id",
  async_delegations: "by id",
} as const;

/** Tables that need nothing brought over, with the reason. */
const left = {
  messages: "their lines are merged from the JSONL files",
  transcript_edits: "a rewind or compaction of the degraded time is not carried over",
  compression_locks: "a lock ends with its process",
  prompt_pins: "pinned anew at the next turn",
  shown_lists: "shown anew",
  search_changed: "about the stand-in's own rows",
  state_meta: "about the stand-in itself",
  import_marks: "an import is refused while degraded",
  lane_aliases: "an import is refused while degraded",
  child_runs: "the journal of the degraded time stays in the file that is kept",
  agent_relays: "the journal of the degraded time stays in the file that is kept",
  goal_receipts: "the journal of the degraded time stays in the file that is kept",
  last_human_words: "the journal of the degraded time stays in the file that is kept",
  session_goals: "the journal of the degraded time stays in the file that is kept",
  session_parentage: "the journal of the degraded time stays in the file that is kept",
  session_sends: "the journal of the degraded time stays in the file that is kept",
  session_state_events: "the journal of the degraded time stays in the file that is kept",
  session_state_heads: "the journal of the degraded time stays in the file that is kept",
  session_system_events: "the journal of the degraded time stays in the file that is kept",
  session_upstream_links: "the journal of the degraded time stays in the file that is kept",
  session_watch_cursors: "the journal of the degraded time stays in the file that is kept",
  turn_chains: "the journal of the degraded time stays in the file that is kept",
  lane_counts: "kept by triggers",
  degraded_lanes: "the lanes as the stand-in began with them",
} as const;

/** For the test that nobody forgets a new table. */
export const degradedTables: ReadonlySet<string> = new Set([
  ...Object.keys(brought),
  ...Object.keys(left),
]);

/**
 * Remembers the lanes as they were when the stand-in began, so that what changed since can be told (lifecycle 3.6,
 * step 5). Once for each stand-in.
 */
export function rememberLanes(db: Database): void {
  db.writeNow(() => {
    db.sql.exec(`CREATE TABLE IF NOT EXISTS degraded_lanes AS SELECT * FROM gateway_routing`);
  });
}

export const lanesRemembered = ({ sql }: Database): boolean =>
  sql.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'degraded_lanes'`).get() !== undefined;

/**
 * First half of bringing a degraded time back (decision 0020): the sessions, so that their lines have somewhere to go.
 *
 * @returns How to go on once the lines are in, or null where there was no such time.
 */
export function mergeStandIn(
  db: Database,
  file: string,
  options: { nowMs: number; log: Log },
): { finish(): void } | null {
  if (!existsSync(file)) return null;
  const { sql } = db;
  try {
    openDatabase(file, options.log).sql.close(); // brings an older build's file to this schema
    sql.prepare(`ATTACH ? AS side`).run(file);
  } catch (cause) {
    options.log.error("degraded.stand_in_unreadable", {}, cause);
    moveAside(file, "damaged", options.nowMs);
    removeStore(file);
    return null;
  }
  const id = sql
    .prepare<[], string>(`SELECT value FROM side.state_meta WHERE key = 'store_id'`)
    .pluck()
    .get();
  const mark = `degraded_merged:${id ?? ""}`;
  const isMerged = (): boolean =>
    sql.prepare<[string]>(`SELECT 1 FROM main.state_meta WHERE key = ?`).get(mark) !== undefined;
  if (!isMerged())
    db.writeNow(() => {
      bringSessions(db);
    });
  return {
    finish() {
      try {
        if (!isMerged())
          db.writeNow(() => {
            bringRest(db);
            sql
              .prepare(`INSERT INTO main.state_meta (key, value) VALUES (?, ?)`)
              .run(mark, String(options.nowMs));
          });
      } finally {
        sql.exec(`DETACH side`);
      }
      renameSync(file, asideName(file, "imported", options.nowMs));
      removeStore(file);
    },
  };
}

/** The columns of a table but for some, as SQL names them. */
function columnsOf({ sql }: Database, table: string, except: readonly string[] = []): string[] {
  const all = sql.pragma(`main.table_info(${table})`) as { name: string }[];
  return all.map(({ name }) => name).filter((name) => !except.includes(name));
}

function bringSessions(db: Database): void {
  const { sql } = db;
  const counters = ["message_count", "tool_call_count"]; // counted again as the lines come in
  const tokens = columnsOf(db, "sessions").filter(
    (name) => name.endsWith("_tokens") || name === "api_call_count",
  );
  const plain = columnsOf(db, "sessions", [...counters, ...tokens, "title"]);
  sql.exec(`
    PRAGMA defer_foreign_keys = ON;
    INSERT OR IGNORE INTO main.sessions (${plain.join(", ")}, title)
      SELECT ${plain.join(", ")}, CASE WHEN EXISTS (SELECT 1 FROM main.sessions m WHERE m.title = s.title) THEN NULL ELSE s.title END
        FROM side.sessions s;`);
}

/** Everything else, in one transaction with the mark that it is done. */
function bringRest(db: Database): void {
  const { sql } = db;
  const tokens = columnsOf(db, "sessions").filter(
    (name) => name.endsWith("_tokens") || name === "api_call_count",
  );
  // The stand-in counted from nothing, so its counts are what was added.
  sql.exec(`
    UPDATE main.sessions AS m SET ${tokens.map((name) => `${name} = m.${name} + s.${name}`).join(", ")},
        ended_at = coalesce(m.ended_at, s.ended_at), end_reason = coalesce(m.end_reason, s.end_reason)
      FROM side.sessions s WHERE s.id = m.id;`);

  bringLanes(db);
  // Answered there: not to be answered again here, should it have waited when the database was lost.
  sql.exec(`
    UPDATE main.inbound_journal AS m SET state = 'ended', outcome = x.outcome, ended_at = x.ended_at
      FROM side.inbound_journal x WHERE x.chat_ref = m.chat_ref AND x.platform_message_id = m.platform_message_id
       AND x.state = 'ended' AND m.state <> 'ended';`);
  const messageId = (column: string): string =>
    `(SELECT max(m.id) FROM side.messages d JOIN main.messages m ON m.session_id = d.session_id AND m.role = d.role
        AND m.timestamp = d.timestamp AND m.content IS d.content WHERE d.id = x.${column})`;
  copy(db, "turns", { with: { reply_message_id: messageId("reply_message_id") } });
  copy(db, "delivery_obligations", {
    except: ["order_seq"],
    with: { message_id: messageId("message_id") },
    order: "order_seq",
  });
  copy(db, "inbound_journal", {
    except: ["seq"],
    with: {
      merged_into: "NULL",
      position: "x.position + (SELECT coalesce(max(seq), 0) FROM main.inbound_journal)",
    },
    where: `(x.state <> 'ended' OR x.platform_message_id IS NOT NULL)`,
    order: "seq",
  });
  copy(db, "notices", { except: ["id"], order: "id" });
  copy(db, "operator_acts", { except: ["seq"], order: "seq" });
  copy(db, "boots", {});
  copy(db, "restart_counts", { replace: true });
  copy(db, "resume_marks", { replace: true });
  copy(db, "lane_settings", { replace: true });
  copy(db, "approvals", { except: ["seq"], order: "seq" });
  copy(db, "async_delegations", {});
}

/**
 * Lanes that are new or changed since the stand-in began replace ours, lanes that went are taken out; the others stay as
 * the database has them (lifecycle 3.6, step 5).
 */
function bringLanes(db: Database): void {
  const { sql } = db;
  const names = (table: string): string[] =>
    (sql.pragma(`side.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const all = columnsOf(db, "gateway_routing");
  const then = new Set(names("degraded_lanes"));
  const comparable = all.filter((name) => then.has(name)).join(", ");
  // A stand-in that ended before it remembered its lanes had done nothing with them yet.
  if (comparable !== "")
    sql.exec(`
      CREATE TEMP TABLE changed_lanes AS SELECT session_key FROM (
        SELECT ${comparable} FROM side.gateway_routing EXCEPT SELECT ${comparable} FROM side.degraded_lanes);
      -- Taken out first: a row that is replaced would run no trigger.
      DELETE FROM main.gateway_routing WHERE session_key IN (SELECT session_key FROM changed_lanes)
        OR session_key IN (SELECT session_key FROM side.degraded_lanes EXCEPT SELECT session_key FROM side.gateway_routing);
      INSERT INTO main.gateway_routing (${all.join(", ")})
        SELECT ${all.join(", ")} FROM side.gateway_routing WHERE session_key IN (SELECT session_key FROM changed_lanes);
      DROP TABLE changed_lanes;`);
  sql.exec(`
    UPDATE main.gateway_routing AS r SET message_count = s.message_count FROM main.sessions s WHERE s.id = r.session_id;`);
}

interface Copying {
  except?: readonly string[];
  /** Other expressions for some columns; `x` is the row of the stand-in. */
  with?: Readonly<Record<string, string>>;
  where?: string;
  order?: string;
  replace?: boolean;
}

function copy(db: Database, table: keyof typeof brought, how: Copying): void {
  const columns = columnsOf(db, table, how.except ?? []);
  const values = columns.map((name) => how.with?.[name] ?? `x.${name}`);
  db.sql.exec(`
    INSERT OR ${how.replace === true ? "REPLACE" : "IGNORE"} INTO main.${table} (${columns.join(", ")})
      SELECT ${values.join(", ")} FROM side.${table} x ${how.where === undefined ? "" : `WHERE ${how.where}`}
      ${how.order === undefined ? "" : `ORDER BY x.${how.order}`};`);
}
