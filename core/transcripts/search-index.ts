import { createHash } from "node:crypto";
import { chmodSync } from "node:fs";
import Sqlite from "better-sqlite3";
import type { SessionId } from "../contract/ids.ts";
import { readMachine } from "../recovery/machine.ts";
import { isUnspaced } from "./search-text.ts";
import type { Term } from "./search-text.ts";

/** Raised with every change of the tables or of what is put in them; an older file is thrown away. */
const formatVersion = 1;
/** Beginnings of trigrams looked up for one or two characters; more are rarer than what a person looks through. */
const trigramsAtMost = 300;

/** Beginnings of words that the index keeps lists for are this long and one longer. */
const shortestPrefix = 2;

/**
 * FTS5 left to itself merges much at once, now and then; here it merges a little with every batch, and by itself only where
 * that has not kept up.
 */
const mergeOptions = [
  ["automerge", 0],
  ["usermerge", 4],
  ["crisismerge", 64],
] as const;
/** Pages merged with each batch. */
const mergedPages = 32;

/** A row as it is indexed. */
export interface IndexedRow {
  id: number;
  sessionId: SessionId;
  text: string;
}

export interface IndexQuery {
  terms: readonly Term[];
  /** Only these sessions, where they are not too many to ask for; null for all. */
  sessions: readonly SessionId[] | null;
  /** Ids below this one. */
  before: number;
  limit: number;
}

export type SearchIndex = ReturnType<typeof openSearchIndex>;

/** One word that stands for a session in the index, so that a lane's messages are found without looking at others'. */
const placeOf = (id: SessionId): string =>
  `s${createHash("sha256").update(id).digest("hex").slice(0, 15)}`;

/**
 * Opens the search index, a file of its own that can be removed at any time (decision 0021): FTS5 tables without a copy of
 * the text, words in one, character triples of unspaced scripts in the other (lifecycle 7.5).
 *
 * @param storeId The store whose rows it is to hold; an index of another store is emptied.
 * @throws whatever SQLite says of a damaged file; also where its build has no FTS5.
 */
export function openSearchIndex(file: string, storeId: string) {
  const sql = new Sqlite(file, { timeout: 1000 });
  try {
    return searchIndexOn(sql, file, storeId);
  } catch (cause) {
    sql.close();
    throw cause;
  }
}

function searchIndexOn(sql: Sqlite.Database, file: string, storeId: string) {
  if (file !== ":memory:") chmodSync(file, 0o600);
  sql.pragma("journal_mode = WAL");
  // Waiting for the disk would hold the gateway's thread. A killed process loses nothing by it; after a power cut the file is
  // not trusted (see `mayBeTorn`) and made anew.
  sql.pragma("synchronous = OFF");
  sql.pragma("journal_size_limit = 16777216");
  sql.pragma("cache_size = -8000");
  const hasTrigram = createTables(sql, storeId);

  const merges = (hasTrigram ? ["messages_fts", "messages_fts_trigram"] : ["messages_fts"]).map(
    (table) => {
      for (const [option, value] of mergeOptions)
        sql.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`);
      return sql.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${mergedPages})`);
    },
  );
  const setMark = sql.prepare<[number]>(`UPDATE feed SET mark = ?`);
  const getMark = sql.prepare<[], number>(`SELECT mark FROM feed`).pluck();
  const putWords = sql.prepare<[number, string, string]>(
    `INSERT OR REPLACE INTO messages_fts (rowid, content, place) VALUES (?, ?, ?)`,
  );
  const dropWords = sql.prepare<[number]>(`DELETE FROM messages_fts WHERE rowid = ?`);
  const trigram = hasTrigram
    ? {
        put: sql.prepare<[number, string, string]>(
          `INSERT OR REPLACE INTO messages_fts_trigram (rowid, content, place) VALUES (?, ?, ?)`,
        ),
        drop: sql.prepare<[number]>(`DELETE FROM messages_fts_trigram WHERE rowid = ?`),
        beginning: sql
          .prepare<[string, string, number], string>(
            `SELECT term FROM messages_fts_trigram_terms WHERE term >= ? AND term < ? LIMIT ?`,
          )
          .pluck(),
      }
    : null;
  const finds = new Map<string, Sqlite.Statement<unknown[], number>>();

  /** Ids that match in the tables asked for, newest first. */
  function find(words: string | null, characters: string | null, query: IndexQuery): number[] {
    const shape = `${words !== null} ${characters !== null}`;
    let statement = finds.get(shape);
    if (!statement) {
      const table = words === null ? "messages_fts_trigram" : "messages_fts";
      const both =
        words !== null && characters !== null
          ? ` AND rowid IN (SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?)`
          : "";
      statement = sql
        .prepare<unknown[], number>(
          `SELECT rowid FROM ${table} WHERE ${table} MATCH ?${both} AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
        )
        .pluck();
      finds.set(shape, statement);
    }
    const asked = [words, characters].filter((text) => text !== null);
    return statement.all(...asked, query.before, query.limit);
  }

  /** Characters as the trigram table can be asked for them; null where they are too few to be asked for in full. */
  function charactersAsked(text: string): string | null {
    if (Array.from(text).length >= 3) return quoted(text);
    const terms = trigram?.beginning.all(text, `${text}\u{10ffff}`, trigramsAtMost) ?? [];
    if (terms.length === trigramsAtMost) return null;
    return terms.length === 0 ? quoted(text) : `(${terms.map(quoted).join(" OR ")})`;
  }

  return {
    /** The newest message that was put in, whatever was found in it; 0 in an empty index. */
    mark: (): number => getMark.get() ?? 0,

    /** Adds rows and moves the mark, together. A row that is there already is replaced. */
    put(rows: readonly IndexedRow[], mark: number): void {
      sql
        .transaction(() => {
          for (const { id, sessionId, text } of rows) {
            const place = placeOf(sessionId);
            putWords.run(id, text, place);
            // Two blanks at the end: every character begins a triple.
            if (isUnspaced(text)) trigram?.put.run(id, `${text.toLowerCase()}  `, place);
          }
          setMark.run(mark);
          for (const merge of merges) merge.run();
        })
        .immediate();
    },

    /** Takes rows out; ids that are not there are passed over. */
    drop(ids: readonly number[]): void {
      sql
        .transaction(() => {
          for (const id of ids) {
            dropWords.run(id);
            trigram?.drop.run(id);
          }
        })
        .immediate();
    },

    /**
     * Ids of messages that may answer the query, newest first.
     *
     * @returns null where this index cannot tell: signs alone, characters without a trigram table, too common ones.
     */
    candidates(query: IndexQuery): number[] | null {
      const words: string[] = [];
      const characters: string[] = [];
      for (const term of query.terms) {
        if (term.kind === "words") {
          // So many words begin like that that the newest rows answer sooner.
          if (term.prefix && (term.words.at(-1) ?? "").length < shortestPrefix) return null;
          words.push(quoted(term.text) + (term.prefix ? "*" : ""));
        } else {
          if (!isUnspaced(term.text) || !trigram) return null;
          const asked = charactersAsked(term.text.toLowerCase());
          if (asked === null) return null;
          characters.push(asked);
        }
      }
      const places = query.sessions?.map((id) => quoted(placeOf(id))).join(" OR ");
      const within = (terms: readonly string[]): string | null =>
        terms.length === 0
          ? null
          : `content : (${terms.join(" AND ")})${places === undefined ? "" : ` AND place : (${places})`}`;
      return find(within(words), within(characters), query);
    },

    close(): void {
      if (file !== ":memory:") sql.exec(`UPDATE feed SET opened_on = NULL`);
      sql.close();
    },
  };
}

/** Whether the machine went down while the index was open, as far as that can be known. */
function mayBeTorn(openedOn: string | null, machineBoot: string | null): boolean {
  return openedOn !== null && openedOn !== machineBoot;
}

/** Text as FTS5 reads it literally. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Makes the tables where they are missing, of another make or torn; returns whether there is a trigram table. */
function createTables(sql: Sqlite.Database, storeId: string): boolean {
  const machineBoot = readMachine().bootId;
  const known = sql.pragma("user_version", { simple: true }) === formatVersion;
  const feed = known
    ? sql
        .prepare<[], { of: string; openedOn: string | null }>(
          `SELECT store_id AS "of", opened_on AS openedOn FROM feed`,
        )
        .get()
    : undefined;
  if (feed?.of !== storeId || mayBeTorn(feed.openedOn, machineBoot))
    sql
      .transaction(() => {
        for (const table of [
          "messages_fts_trigram_terms",
          "messages_fts_trigram",
          "messages_fts",
          "feed",
        ])
          sql.exec(`DROP TABLE IF EXISTS ${table}`);
        sql.exec(`
          CREATE TABLE feed (store_id TEXT NOT NULL, mark INTEGER NOT NULL, opened_on TEXT) STRICT;
          CREATE VIRTUAL TABLE messages_fts USING fts5(content, place, content='', contentless_delete=1, prefix='2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");`);
        try {
          sql.exec(`
            CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, place, content='', contentless_delete=1, tokenize='trigram');
            CREATE VIRTUAL TABLE messages_fts_trigram_terms USING fts5vocab(messages_fts_trigram, 'row');`);
        } catch {
          // A SQLite without that tokenizer: only that table is off (lifecycle 7.5).
        }
        sql.prepare(`INSERT INTO feed (store_id, mark) VALUES (?, 0)`).run(storeId);
        sql.pragma(`user_version = ${formatVersion}`);
      })
      .immediate();
  sql.prepare(`UPDATE feed SET opened_on = ?`).run(machineBoot ?? "a machine without a name");
  return (
    sql.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'messages_fts_trigram_terms'`).get() !==
    undefined
  );
}
