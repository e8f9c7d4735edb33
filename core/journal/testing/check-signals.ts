import Sqlite from "better-sqlite3";

interface CursorRow {
  watcher: string;
  target: string;
  seen: number;
  notified: number;
  material: number;
}
interface LineRow {
  id: number;
  watcher: string;
  target: string;
  base: number;
  state: string;
}

/**
 * What must hold of a database at every instant (state-awareness 1, 6.6), read from the tables themselves. Every session
 * whose key names a subagent has a parent, so each word of a person in it is a signal.
 * @returns a sentence for each thing that does not hold.
 */
export function checkSignals(file: string): string[] {
  const sql = new Sqlite(file, { readonly: true });
  try {
    return [...changesWithoutSignals(sql), ...childRuns(sql), ...marks(sql), ...doubles(sql)];
  } finally {
    sql.close();
  }
}

const number = (sql: Sqlite.Database, text: string): number =>
  sql.prepare<[], number>(text).pluck().get() ?? 0;

function differs(what: string, changes: number, signals: number): string[] {
  return changes === signals ? [] : [`${what}: ${changes} changes, ${signals} signals`];
}

/** Each change has its signal and each signal its change: they were written together or not at all. */
function changesWithoutSignals(sql: Sqlite.Database): string[] {
  const words = sql
    .prepare<[], { key: string; changes: number; signals: number }>(
      `SELECT i.session_key AS key, count(*) AS changes,
         (SELECT count(*) FROM session_state_events e WHERE e.session_key = i.session_key AND e.kind = 'human_direct_message') AS signals
         FROM inbound_journal i WHERE i.kind IN ('message', 'queue') AND i.session_key LIKE '%:subagent:%' GROUP BY i.session_key`,
    )
    .all();
  return [
    ...words.flatMap(({ key, changes, signals }) => differs(`words in ${key}`, changes, signals)),
    ...differs(
      "goals",
      number(
        sql,
        `SELECT count(*) FROM goal_receipts WHERE json_extract(result_json, '$.changed')`,
      ),
      number(sql, `SELECT count(*) FROM session_state_events WHERE kind = 'goal_changed'`),
    ),
  ];
}

function childRuns(sql: Sqlite.Database): string[] {
  const results = sql
    .prepare<[], { runId: string; n: number }>(
      `SELECT run_id AS runId, (SELECT count(*) FROM inbound_journal
          WHERE json_extract(event_json, '$.pinned.delegation_id') = run_id) AS n
         FROM child_runs WHERE announced = 'handed'`,
    )
    .all();
  return [
    ...differs(
      "spawns",
      number(sql, `SELECT count(*) FROM child_runs`),
      number(sql, `SELECT count(*) FROM session_state_events WHERE kind = 'child_spawned'`),
    ),
    ...differs(
      "ends of children",
      number(sql, `SELECT count(*) FROM child_runs WHERE ended_at IS NOT NULL`),
      number(
        sql,
        `SELECT count(*) FROM session_state_events WHERE kind IN ('run_completed', 'run_failed')`,
      ),
    ),
    ...results.flatMap(({ runId, n }) => (n === 1 ? [] : [`run ${runId} was told ${n} times`])),
    ...(number(
      sql,
      `SELECT count(*) FROM child_runs WHERE ended_at IS NOT NULL AND announced = 'none'`,
    ) === 0
      ? []
      : ["a child ended and its requester was not told"]),
  ];
}

const cursors = (sql: Sqlite.Database): CursorRow[] =>
  sql
    .prepare<[], CursorRow>(
      `SELECT watcher_session_key AS watcher, target_session_key AS target, last_seen_sequence AS seen,
         notified_sequence AS notified, material_sequence AS material FROM session_watch_cursors`,
    )
    .all();

const lines = (sql: Sqlite.Database): LineRow[] =>
  sql
    .prepare<[], LineRow>(
      `SELECT id, session_key AS watcher, target_session_key AS target, base_sequence AS base, state
         FROM session_system_events WHERE target_session_key IS NOT NULL ORDER BY id`,
    )
    .all();

/** A pending pair has exactly one notice, at its last seen mark; a quiet one has none (I3, I4). */
function marks(sql: Sqlite.Database): string[] {
  const all = lines(sql).filter((line) => line.state === "waiting" || line.state === "taken");
  return cursors(sql).flatMap((pair) => {
    const name = `${pair.watcher} on ${pair.target} (${pair.seen}/${pair.notified}/${pair.material})`;
    const live = all.filter((line) => line.watcher === pair.watcher && line.target === pair.target);
    const ordered = pair.seen <= pair.notified && pair.notified <= pair.material;
    const pending = pair.material > pair.seen;
    return [
      ...(ordered && (pair.notified > pair.seen || !pending)
        ? []
        : [`${name}: marks out of order`]),
      ...(live.length === (pending ? 1 : 0) ? [] : [`${name}: ${live.length} notices`]),
      ...(live.every((line) => line.base === pair.seen)
        ? []
        : [`${name}: its notice names ${live[0]?.base}`]),
    ];
  });
}

/** No version of a pair is settled twice. */
function doubles(sql: Sqlite.Database): string[] {
  const settled = new Map<string, number>();
  return lines(sql).flatMap((line) => {
    if (line.state !== "drained") return [];
    const pair = `${line.watcher} on ${line.target}`;
    const before = settled.get(pair);
    settled.set(pair, line.base);
    return before !== undefined && before >= line.base
      ? [`${pair}: settled at ${before}, then at ${line.base}`]
      : [];
  });
}
