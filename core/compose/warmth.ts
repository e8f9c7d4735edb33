import { createAgentCache } from "../agents/agent-cache.ts";
import type { CacheSettings } from "../agents/agent-cache.ts";
import { collectGarbage } from "../agents/cache/collect-garbage.ts";
import { memoryBudget, readMemory, systemFiles } from "../agents/cache/memory.ts";
import { createPressureWatch } from "../agents/cache/pressure-watch.ts";
import type { Base } from "./base.ts";

/** The cache of warm agents with its limits and its watch over memory (lifecycle 16). */
export function createWarmth({ config, clock, log, openLog }: Base) {
  const cacheSettings = (): CacheSettings => {
    const cache = config.value.agent.agent_cache;
    return {
      maxSize: cache.max_size,
      idleTtlMs: cache.idle_ttl_secs * 1000,
      protectRecent: cache.protect_recent,
      maxEvictions: cache.max_evictions_per_pass,
    };
  };
  const budget = () => memoryBudget(config.value.agent.agent_cache.memory_high_mb, systemFiles);
  const read = () => readMemory(systemFiles);
  const agents = createAgentCache({
    settings: cacheSettings,
    clock,
    onReleaseFailed: (cause) => {
      log.warn("agent.release_failed", {}, cause);
    },
    onEvicted: ({ cause }) => {
      pressure.mark(cause);
    },
  });
  const pressure = createPressureWatch({
    cache: agents,
    clock,
    log: openLog.log.area("cache"),
    budget,
    read,
    collectGarbage,
  });
  return { agents, pressure, cacheSettings, memoryBudget: budget, readMemory: read };
}
