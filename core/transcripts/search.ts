import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SearchHit, SearchIndexState } from "../contract/calls-data.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import type { Database } from "../state/database.ts";
import { removeStore } from "../state/remove-store.ts";
import { openSearchIndex } from "./search-index.ts";
import type { SearchIndex } from "./search-index.ts";
import { feedSteps, findsKnownWords } from "./search-feed.ts";
import type { FeedStep } from "./search-feed.ts";
import { searchRows } from "./search-rows.ts";
import { findMessages } from "./search-find.ts";
import { parseQuery } from "./search-text.ts";

export interface SearchDeps {
  db: Database;
  /** The index's own file, or ":memory:". */
  file: string;
  bus: Bus;
  clock: Clock;
  log: Log;
}

export interface SearchQuery {
  query: string;
  key: SessionKey | null;
  limit: number;
  cursor: string | null;
}

export interface SearchPage {
  hits: SearchHit[];
  nextCursor: string | null;
  /** False where time ran out before everything was looked at; the cursor goes on from there. */
  complete: boolean;
}

/** New rows are gathered this long before they are indexed, in ms. */
const gatherMs = 150;
/** An index that broke is made anew at most this often, in ms; between, the rows themselves are searched. */
const anewMs = 300_000;

export type Search = ReturnType<typeof createSearch>;

/**
 * Searches the transcripts (lifecycle 7.5). The index is fed after the commit and can fail in any way: messages are not
 * touched by it, searches fall back to the rows, and it is made anew in the background.
 */
export function createSearch(deps: SearchDeps) {
  const { db, file, clock, log } = deps;
  const rows = searchRows(db);
  let index: SearchIndex | null = null;
  let step: FeedStep | null = null;
  let feeding: Promise<void> | null = null;
  let cancelFeed: (() => void) | null = null;
  let cancelOpen: (() => void) | null = null;
  let brokeAtMs = -Infinity;
  let closed = false;

  function open(): void {
    cancelOpen = null;
    if (closed || index) return;
    try {
      index = openSearchIndex(file, rows.storeId());
      // A store that was put back to an earlier day holds other rows under the same ids.
      if (index.mark() > rows.newest() || !findsKnownWords(rows, index)) {
        discard();
        index = openSearchIndex(file, rows.storeId());
      }
    } catch (cause) {
      log.warn("search.index_damaged", {}, cause);
      discard();
      try {
        index = openSearchIndex(file, rows.storeId());
      } catch (again) {
        log.warn("search.index_off", {}, again);
        discard();
        return;
      }
    }
    step = feedSteps({ db, rows }, index);
    feed();
  }

  /** Lets go of the index and removes its file. */
  function discard(): void {
    try {
      index?.close();
      if (file !== ":memory:") removeStore(file);
    } catch (cause) {
      log.warn("search.index_stays", {}, cause);
    }
    index = null;
    step = null;
  }

  function broke(cause: unknown): void {
    log.warn("search.index_damaged", {}, cause);
    discard();
    const sinceMs = clock.monotonicMs() - brokeAtMs;
    brokeAtMs = clock.monotonicMs();
    cancelOpen?.();
    cancelOpen = clock.after(sinceMs < anewMs ? anewMs : 0, open);
  }

  /** Feeds until everything is in, letting others run between two steps. */
  function feed(): void {
    cancelFeed = null;
    feeding ??= run().finally(() => {
      feeding = null;
    });
  }

  async function fed(): Promise<void> {
    while (feeding) await feeding;
  }

  async function run(): Promise<void> {
    const mine = step;
    if (!mine) return;
    try {
      while (!closed && step === mine && (await mine()) > 0)
        await new Promise<void>((resume) => setImmediate(resume));
    } catch (cause) {
      if (!closed && step === mine) broke(cause);
    }
  }

  const off = deps.bus.on("messages.appended", () => {
    if (index && feeding === null) cancelFeed ??= clock.after(gatherMs, feed);
  });

  return {
    /** Opens the index and begins to feed it; until then the rows themselves are searched. */
    open,
    /**
     * Messages that hold every term of the query, newest first, a page at a time.
     * @throws {SignalboxError} E_INPUT for a query without a word, and for a cursor that is not ours.
     */
    async messages(asked: SearchQuery): Promise<SearchPage> {
      const terms = parseQuery(asked.query);
      if (terms.length === 0)
        throw new SignalboxError("E_INPUT", "There is no word to search for.", { field: "query" });
      const before = asked.cursor === null ? Number.MAX_SAFE_INTEGER : decoded(asked.cursor);
      const request = { terms, key: asked.key, limit: asked.limit, before };
      let found;
      try {
        found = await findMessages(rows, index, request);
      } catch (cause) {
        if (!index) throw cause;
        broke(cause);
        found = await findMessages(rows, null, request);
      }
      return {
        hits: found.hits,
        nextCursor: found.next === null ? null : encoded(found.next),
        complete: found.complete,
      };
    },

    state(): SearchIndexState {
      const total = rows.newest();
      if (!index) return { state: "off", indexed: 0, total };
      try {
        const indexed = index.mark();
        return { state: feeding && indexed < total ? "building" : "ready", indexed, total };
      } catch {
        return { state: "off", indexed: 0, total };
      }
    },

    /** Throws the index away and makes it anew in the background. */
    rebuild(): void {
      discard();
      open();
    },

    /** Resolves when everything that is stored is in the index, or the index is off. */
    async settled(): Promise<void> {
      cancelFeed?.();
      await fed();
      feed();
      await fed();
    },

    async close(): Promise<void> {
      closed = true;
      off();
      cancelFeed?.();
      cancelOpen?.();
      await fed();
      index?.close();
      index = null;
    },
  };
}

const encoded = (before: number): string => Buffer.from(`m${before}`).toString("base64url");

function decoded(cursor: string): number {
  const before = /^m(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (before !== undefined) return Number(before);
  throw new SignalboxError("E_INPUT", "This cursor belongs to something else; ask without one.", {
    field: "cursor",
  });
}
