import { z } from "zod";
import { call } from "./call.ts";
import { epochMs, receipt, sessionId, sessionKey } from "./domain.ts";

const nothing = z.object({});

/** A message that answers a search. `matches` are UTF-16 offsets into `snippet`, in order; plain text, never markup. */
export const searchHit = z.object({
  /** Null where the session belongs to no lane. */
  key: sessionKey.nullable(),
  sessionId,
  messageId: z.number().int(),
  atMs: epochMs,
  role: z.enum(["user", "assistant", "tool", "system"]),
  from: z.string().nullable(),
  /** The lane's, else the session's. */
  title: z.string(),
  snippet: z.string(),
  matches: z.array(z.object({ start: z.number().int(), end: z.number().int() })),
});
export type SearchHit = z.output<typeof searchHit>;

/** `off`: there is no index now, the rows themselves are searched. Numbers are message ids. */
export const searchIndexState = z.object({
  state: z.enum(["ready", "building", "off"]),
  indexed: z.number().int(),
  total: z.number().int(),
});
export type SearchIndexState = z.output<typeof searchIndexState>;

/** Something an import leaves out, or takes over in part, and why. */
export const importFinding = z.object({
  /** The lane's key, the session's id or the file's name. */
  what: z.string(),
  reason: z.string(),
});
export type ImportFinding = z.output<typeof importFinding>;

const importCounts = z.object({
  lanes: z.number().int(),
  sessions: z.number().int(),
  messages: z.number().int(),
});

/** What a folder holds and what an import of it would do, or has done. */
export const importReport = z.object({
  dir: z.string(),
  /** `hermes`: sessions.json and state.db; `openclaw`: sessions.json and a JSONL file a session. */
  kind: z.enum(["hermes", "openclaw"]),
  /** In the source. */
  found: importCounts,
  /** New here; all zero where everything was imported before. */
  taken: importCounts,
  /** Sessions that no lane leads to: readable, searchable, to be attached by hand. */
  unattached: z.number().int(),
  /** At most 500 of each; `skippedTotal` and `partialTotal` count them all. */
  skipped: z.array(importFinding),
  skippedTotal: z.number().int(),
  partial: z.array(importFinding),
  partialTotal: z.number().int(),
});
export type ImportReport = z.output<typeof importReport>;

export const importStatus = z.object({
  /** `none`: nothing was imported since the gateway started. */
  state: z.enum(["none", "running", "done", "cancelled", "failed"]),
  dir: z.string().nullable(),
  dryRun: z.boolean(),
  /** What is done now, in a few words. */
  phase: z.string(),
  done: z.number().int(),
  /** Sessions in all; 0 until it is known. */
  total: z.number().int(),
  startedAtMs: epochMs.nullable(),
  endedAtMs: epochMs.nullable(),
  report: importReport.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type ImportStatus = z.output<typeof importStatus>;

/** A session that was imported without a lane. */
export const unattachedSession = z.object({
  sessionId,
  source: z.string(),
  title: z.string().nullable(),
  messageCount: z.number().int(),
  startedAtMs: epochMs,
  /** Beginning of its first message. */
  preview: z.string(),
});
export type UnattachedSession = z.output<typeof unattachedSession>;

const folder = z.object({ dir: z.string().min(1).max(4096) });

/** Search, export and import. */
export const dataCalls = {
  "search.messages": call({
    in: z.object({
      query: z.string().min(1).max(500),
      key: sessionKey.optional(),
      limit: z.number().int().min(1).max(100).optional(),
      cursor: z.string().max(200).optional(),
    }),
    out: z.object({
      hits: z.array(searchHit),
      nextCursor: z.string().nullable(),
      complete: z.boolean(),
      index: searchIndexState,
    }),
    about:
      'Messages that hold every word, newest first: words, `wor*` for a beginning, `"in a row"`. `complete` is false where time ran out; the cursor goes on.',
  }),
  "search.rebuild": call({
    in: nothing,
    out: searchIndexState,
    changes: true,
    about: "Makes the search index anew in the background; searching works meanwhile.",
  }),

  "sessions.export": call({
    in: z.object({
      key: sessionKey.optional(),
      sessionId: z.string().max(256).optional(),
      format: z.enum(["markdown", "json"]),
      cursor: z.string().max(200).optional(),
    }),
    out: z.object({
      fileName: z.string(),
      mediaType: z.string(),
      /** A piece of the file; all of them joined are the whole. */
      chunk: z.string(),
      nextCursor: z.string().nullable(),
    }),
    about:
      "A transcript as a file, in pieces: of the lane's current session, or of one that it was in; one of the two must be given.",
  }),

  "import.preview": call({
    in: folder,
    out: importStatus,
    about:
      "Looks through a folder of another installation and reports what an import would do. Answers at its end; `import.progress` and `import.status` tell how far it is.",
  }),
  "import.run": call({
    in: folder,
    out: importStatus,
    changes: true,
    confirm: "dialog",
    about:
      "Takes over a folder of another installation; nothing in it is touched, and what was taken over before is not taken twice. Answers at its end.",
  }),
  "import.status": call({
    in: nothing,
    out: importStatus,
    about: "How far the running import is, or how the last one ended.",
  }),
  "import.cancel": call({
    in: nothing,
    out: importStatus,
    changes: true,
    about: "Stops a running import; what is in stays, and a later run goes on from there.",
  }),
  "import.unattached": call({
    in: z.object({ limit: z.number().int().min(1).max(200).optional() }),
    out: z.object({ sessions: z.array(unattachedSession), total: z.number().int() }),
    about: "Imported sessions that no lane leads to, newest first.",
  }),
  "import.attach": call({
    in: z.object({ sessionId, key: sessionKey }),
    out: receipt,
    changes: true,
    confirm: "dialog",
    about:
      "Gives an unattached session a lane: a new lane goes on with it, an existing one gets it as an earlier session.",
  }),
} as const;
