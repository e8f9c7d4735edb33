import { z } from "zod";
import { call } from "./call.ts";
import { epochMs, sessionKey } from "./domain.ts";

const kept = z.enum(["busy", "unflushed", "pinned"]);

export const cachedAgent = z.object({
  key: sessionKey,
  title: z.string(),
  agentId: z.string(),
  /** Bytes that its live transcript keeps in memory; 0 where the runtime keeps none. */
  liveBytes: z.number().int(),
  turns: z.number().int(),
  idleMs: z.number(),
  /** Why it cannot be evicted now; null where it can. */
  kept: kept.nullable(),
  pinned: z.boolean(),
  /** Tokens that its next turn has to read again after an eviction: the last prompt's size. */
  rereadTokens: z.number().int(),
});

export const passReport = z.object({
  atMs: epochMs,
  outcome: z.enum(["off", "unreadable", "under_budget", "relieved", "nothing_evictable"]),
  beforeBytes: z.number().nullable(),
  afterBytes: z.number().nullable(),
  evicted: z.number().int(),
  kept: z.object({
    busy: z.number(),
    unflushed: z.number(),
    pinned: z.number(),
    recent: z.number(),
  }),
});

const cause = z.enum(["full", "idle", "pressure", "by_hand", "boundary", "rebuilt"]);

/** The cache of warm agents and the memory that it may take. */
export const cacheCalls = {
  "cache.status": call({
    in: z.object({}),
    out: z.object({
      agents: z.array(cachedAgent),
      cap: z.number().int(),
      idleTtlMs: z.number(),
      protectRecent: z.number().int(),
      maxEvictions: z.number().int(),
      liveBytes: z.number(),
      hits: z.number().int(),
      misses: z.number().int(),
      budget: z.object({ bytes: z.number().nullable(), from: z.string() }),
      reading: z.object({ bytes: z.number(), what: z.string() }).nullable(),
      heap: z.object({ usedBytes: z.number(), externalBytes: z.number() }),
      samples: z.array(z.object({ atMs: epochMs, bytes: z.number(), cacheBytes: z.number() })),
      evictions: z.array(z.object({ atMs: epochMs, cause, count: z.number().int() })),
      lastPass: passReport.nullable(),
    }),
    about: "Who is warm, what it costs, and memory over the last six hours against the budget.",
  }),
  "cache.evict": call({
    in: z.object({ key: sessionKey }),
    out: z.object({ evicted: z.boolean(), kept: kept.nullable() }),
    changes: true,
    about: "Lets one warm agent go; a busy, unflushed or pinned one stays, with the reason.",
  }),
  "cache.evictIdle": call({
    in: z.object({}),
    out: z.object({ evicted: z.number().int() }),
    changes: true,
    about: "Lets every agent go that is free.",
  }),
  "cache.relieve": call({
    in: z.object({}),
    out: passReport,
    changes: true,
    about: "Runs the memory-pressure pass now.",
  }),
  "cache.pin": call({
    in: z.object({ key: sessionKey, on: z.boolean() }),
    out: z.object({ pinned: z.boolean() }),
    changes: true,
    about: "Keeps a warm agent, or stops keeping it.",
  }),
} as const;
