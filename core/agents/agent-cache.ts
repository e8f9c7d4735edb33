import type { Clock } from "../clock.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { idleTooLong, overCap, underPressure, whyKept } from "./cache/eviction.ts";
import type { CachedFacts, EvictionCause, PressureChoice } from "./cache/eviction.ts";
import type { Agent, AgentRuntime } from "./runtime.ts";

export interface CacheSettings {
  /** `agent.agent_cache.max_size`; at least 1. */
  maxSize: number;
  /** `agent.agent_cache.idle_ttl_secs`, in ms. */
  idleTtlMs: number;
  /** `agent.agent_cache.protect_recent`; 0 protects nobody. */
  protectRecent: number;
  /** `agent.agent_cache.max_evictions_per_pass`. */
  maxEvictions: number;
}

/** Lifecycle 16.1. */
export const cacheDefaults: CacheSettings = {
  maxSize: 128,
  idleTtlMs: 3_600_000,
  protectRecent: 8,
  maxEvictions: 16,
};

export interface Eviction {
  key: SessionKey;
  cause: EvictionCause;
  /** Bytes that the agent kept when it went. */
  bytes: number;
  turns: number;
}

export interface AgentCacheOptions {
  /** Read at every decision, so that a changed setting holds at once. */
  settings?: () => CacheSettings;
  clock?: Pick<Clock, "monotonicMs">;
  /** Told about a release that failed; the agent is forgotten all the same. */
  onReleaseFailed?: (thrown: unknown) => void;
  onEvicted?: (eviction: Eviction) => void;
}

/** An agent in use by one turn; it is busy, and stays, until `done`. */
export interface AgentLease {
  agent: Agent;
  /** The turn is over, however it went. Harmless when called again or after `abandon`. */
  done(): void;
}

/** One warm agent, for the panel. */
export interface CachedAgent {
  key: SessionKey;
  sessionId: SessionId;
  agentId: string;
  liveBytes: number;
  /** Turns that it served since it was built. */
  turns: number;
  idleMs: number;
  /** Why it cannot be evicted now; null where it can. */
  kept: "busy" | "unflushed" | "pinned" | null;
  pinned: boolean;
}

export interface AgentCache {
  /**
   * The session's live agent, most recently used from now on; built anew where there is none, or where it was built
   * by another runtime or for another incarnation of the lane. A second lease on a busy lane gets the same agent.
   */
  acquire(session: { key: SessionKey; sessionId: SessionId }, runtime: AgentRuntime): AgentLease;
  /** False from the end of a run until its result is on disk: meanwhile the agent is the only copy (lifecycle 16.4). */
  setFlushed(key: SessionKey, flushed: boolean): void;
  /** Drops a lane's agent; a busy one goes at the end of its turn, and no later turn gets it. */
  evict(key: SessionKey, cause?: EvictionCause): "released" | "deferred" | "absent";
  /** As a person asks it: only where it can go now; else why it stays. */
  evictByHand(key: SessionKey): "released" | "absent" | NonNullable<CachedAgent["kept"]>;
  /** For a turn that does not end: forgets the lane's agent although it is busy, and releases what it can. */
  abandon(key: SessionKey): void;
  pin(key: SessionKey, on: boolean): boolean;
  /** Drops what was not used for the idle limit; returns how many. */
  sweepIdle(cause?: EvictionCause, ttlMs?: number): number;
  /** Drops by the rule of memory pressure, one after the other; resolves when the releases have settled. */
  relieve(): Promise<PressureChoice>;
  /** For shutdown: forgets all; resolves when every release has settled. */
  releaseAll(): Promise<void>;
  /** Least recently used first. */
  list(): CachedAgent[];
  size(): number;
  /** Bytes that all live agents keep. */
  liveBytes(): number;
  /** Turns served by a warm agent, and by one that had to be built. */
  tally(): { hits: number; misses: number };
}

interface Entry {
  key: SessionKey;
  agent: Agent;
  runtime: AgentRuntime;
  sessionId: SessionId;
  leases: number;
  turns: number;
  lastUsedMs: number;
  flushed: boolean;
}

/** Keeps the agents of lanes warm, least recently used first out (lifecycle 16). Never releases one mid-turn by itself. */
export function createAgentCache(options: AgentCacheOptions = {}): AgentCache {
  const settings = options.settings ?? (() => cacheDefaults);
  const nowMs = options.clock ? () => options.clock?.monotonicMs() ?? 0 : () => performance.now();
  const entries = new Map<SessionKey, Entry>(); // oldest first
  const pinned = new Set<SessionKey>();
  const leaving = new Set<Entry>(); // dropped mid-turn: released with their last lease
  const releasing = new Set<Promise<void>>();
  let hits = 0;
  let misses = 0;

  function release(entry: Entry): Promise<void> {
    const done: Promise<void> = entry.agent
      .release()
      .catch((thrown: unknown) => options.onReleaseFailed?.(thrown))
      .finally(() => releasing.delete(done));
    releasing.add(done);
    return done;
  }

  const factsOf = ([key, entry]: [SessionKey, Entry]): CachedFacts => ({
    key,
    busy: entry.leases > 0,
    flushed: entry.flushed,
    pinned: pinned.has(key),
    lastUsedMs: entry.lastUsedMs,
  });
  const facts = (): CachedFacts[] => [...entries].map(factsOf);

  function drop(key: SessionKey, cause: EvictionCause): "released" | "deferred" | "absent" {
    const entry = entries.get(key);
    if (!entry) return "absent";
    entries.delete(key);
    options.onEvicted?.({ key, cause, bytes: entry.agent.liveBytes(), turns: entry.turns });
    if (entry.leases > 0) {
      leaving.add(entry);
      return "deferred";
    }
    void release(entry);
    return "released";
  }

  /** The whole signature is two identities: a runtime never changes its model, address or key; another one is built. */
  const fits = (entry: Entry, runtime: AgentRuntime, sessionId: SessionId): boolean =>
    entry.runtime === runtime && entry.sessionId === sessionId;

  function doneOnce(entry: Entry): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      entry.leases -= 1;
      entry.lastUsedMs = nowMs();
      if (entry.leases === 0 && leaving.delete(entry)) void release(entry);
    };
  }

  return {
    acquire({ key, sessionId }, runtime) {
      let entry = entries.get(key);
      if (entry && !fits(entry, runtime, sessionId)) {
        drop(key, "rebuilt");
        entry = undefined;
      }
      if (entry) hits += 1;
      else misses += 1;
      entry ??= {
        key,
        agent: runtime.createAgent({ key, sessionId }),
        runtime,
        sessionId,
        leases: 0,
        turns: 0,
        lastUsedMs: 0,
        flushed: true,
      };
      entry.leases += 1;
      entry.turns += 1;
      entry.lastUsedMs = nowMs();
      entries.delete(key);
      entries.set(key, entry);
      for (const old of overCap(facts(), Math.max(1, settings().maxSize))) drop(old, "full");
      return { agent: entry.agent, done: doneOnce(entry) };
    },
    setFlushed(key, flushed) {
      const entry = entries.get(key);
      if (entry) entry.flushed = flushed;
    },
    evict: (key, cause = "boundary") => drop(key, cause),
    evictByHand(key) {
      const entry = entries.get(key);
      if (!entry) return "absent";
      const why = whyKept(factsOf([key, entry]));
      if (why !== null) return why;
      drop(key, "by_hand");
      return "released";
    },
    abandon(key) {
      const current = entries.get(key);
      entries.delete(key);
      for (const entry of [...(current ? [current] : []), ...leaving]) {
        if (entry.key !== key) continue;
        leaving.delete(entry);
        void release(entry);
      }
    },
    pin(key, on) {
      if (!entries.has(key)) return false;
      if (on) pinned.add(key);
      else pinned.delete(key);
      return true;
    },
    sweepIdle(cause = "idle", ttlMs = settings().idleTtlMs) {
      const idle = idleTooLong(facts(), nowMs(), ttlMs);
      for (const key of idle) drop(key, cause);
      return idle.length;
    },
    async relieve() {
      const choice = underPressure(facts(), settings());
      for (const key of choice.evict) {
        const entry = entries.get(key);
        // Between two releases a turn may have begun: what is chosen is checked again before it goes.
        if (!entry || whyKept(factsOf([key, entry])) !== null) continue;
        entries.delete(key);
        options.onEvicted?.({
          key,
          cause: "pressure",
          bytes: entry.agent.liveBytes(),
          turns: entry.turns,
        });
        await release(entry);
      }
      return choice;
    },
    async releaseAll() {
      for (const entry of [...entries.values(), ...leaving]) void release(entry);
      entries.clear();
      leaving.clear();
      await Promise.all(releasing);
    },
    list: () =>
      [...entries].map(([key, entry]) => ({
        key,
        sessionId: entry.sessionId,
        agentId: entry.runtime.id,
        liveBytes: entry.agent.liveBytes(),
        turns: entry.turns,
        idleMs: Math.max(0, nowMs() - entry.lastUsedMs),
        kept: whyKept(factsOf([key, entry])),
        pinned: pinned.has(key),
      })),
    size: () => entries.size,
    liveBytes: () =>
      [...entries.values(), ...leaving].reduce((sum, entry) => sum + entry.agent.liveBytes(), 0),
    tally: () => ({ hits, misses }),
  };
}
