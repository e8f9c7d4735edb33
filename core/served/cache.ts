import type { AgentCache, CacheSettings } from "../agents/agent-cache.ts";
import type { MemoryBudget, MemoryReading } from "../agents/cache/memory.ts";
import type { PressureWatch } from "../agents/cache/pressure-watch.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Served } from "./served.ts";

export interface CacheServedDeps {
  agents: AgentCache;
  pressure: PressureWatch;
  directory: SessionDirectory;
  cacheSettings(): CacheSettings;
  memoryBudget(): MemoryBudget;
  readMemory(): MemoryReading | null;
}

/** The calls `cache.*`. */
export function servedCache(deps: CacheServedDeps) {
  const { agents, pressure, directory } = deps;
  return {
    "cache.status": async () => {
      const settings = deps.cacheSettings();
      const heap = process.memoryUsage();
      return {
        agents: agents.list().map(({ sessionId: _sessionId, ...agent }) => {
          const row = directory.routing.get(agent.key);
          return { ...agent, title: row?.title ?? "", rereadTokens: row?.lastPromptTokens ?? 0 };
        }),
        cap: settings.maxSize,
        idleTtlMs: settings.idleTtlMs,
        protectRecent: settings.protectRecent,
        maxEvictions: settings.maxEvictions,
        liveBytes: agents.liveBytes(),
        ...agents.tally(),
        budget: deps.memoryBudget(),
        reading: deps.readMemory(),
        heap: { usedBytes: heap.heapUsed, externalBytes: heap.external },
        samples: [...pressure.samples()],
        evictions: [...pressure.evictions()],
        lastPass: pressure.lastPass(),
      };
    },
    "cache.evict": async ({ key }) => {
      const outcome = agents.evictByHand(key);
      if (outcome === "absent")
        throw new SignalboxError("E_NOT_FOUND", "This session has no warm agent.", {
          field: "key",
        });
      return outcome === "released"
        ? { evicted: true, kept: null }
        : { evicted: false, kept: outcome };
    },
    "cache.evictIdle": async () => ({ evicted: agents.sweepIdle("by_hand", -1) }),
    "cache.relieve": async () => pressure.passNow(),
    "cache.pin": async ({ key, on }) => {
      if (!agents.pin(key, on))
        throw new SignalboxError("E_NOT_FOUND", "This session has no warm agent.", {
          field: "key",
        });
      return { pinned: on };
    },
  } satisfies Partial<Served>;
}
