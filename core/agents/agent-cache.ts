import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Agent, AgentRuntime } from "./runtime.ts";

export interface AgentCacheOptions {
  /** Entries kept, `agent.agent_cache.max_size` (lifecycle 16.1). Default 128; at least 1. */
  maxSize?: number;
  /** Told about a release that failed; the agent is forgotten all the same. */
  onReleaseFailed?: (thrown: unknown) => void;
}

/** An agent in use by one turn; it is busy, and stays, until `done`. */
export interface AgentLease {
  agent: Agent;
  /** The turn is over, however it went. Harmless when called again or after `abandon`. */
  done(): void;
}

export interface AgentCache {
  /**
   * The session's live agent, most recently used from now on; built anew where there is none, or where it was built
   * by another runtime or for another incarnation of the lane. A second lease on a busy lane gets the same agent.
   */
  acquire(session: { key: SessionKey; sessionId: SessionId }, runtime: AgentRuntime): AgentLease;
  /** Drops a lane's agent; a busy one goes at the end of its turn, and no later turn gets it. */
  evict(key: SessionKey): "released" | "deferred" | "absent";
  /** For a turn that does not end: the lane gets another agent next time, busy or evicted ones are released now. */
  abandon(key: SessionKey): void;
  /** For shutdown: forgets all; resolves when every release has settled. */
  releaseAll(): Promise<void>;
  size(): number;
  /** Bytes that all live agents keep. */
  liveBytes(): number;
}

interface Entry {
  key: SessionKey;
  agent: Agent;
  runtime: AgentRuntime;
  sessionId: SessionId;
  leases: number;
  released: boolean;
}

/** Keeps the agents of lanes warm, least recently used first out (lifecycle 16). Never releases one mid-turn by itself. */
export function createAgentCache(options: AgentCacheOptions = {}): AgentCache {
  const maxSize = Math.max(1, options.maxSize ?? 128);
  const entries = new Map<SessionKey, Entry>(); // oldest first
  const leaving = new Set<Entry>(); // dropped mid-turn: released with their last lease
  const releasing = new Set<Promise<void>>();

  function release(entry: Entry): void {
    if (entry.released) return;
    entry.released = true;
    const done: Promise<void> = entry.agent
      .release()
      .catch((thrown: unknown) => options.onReleaseFailed?.(thrown))
      .finally(() => releasing.delete(done));
    releasing.add(done);
  }

  function drop(key: SessionKey, entry: Entry): "released" | "deferred" {
    entries.delete(key);
    if (entry.leases > 0) {
      leaving.add(entry);
      return "deferred";
    }
    release(entry);
    return "released";
  }

  /** Only the oldest positions beyond the cap are looked at; busy ones are skipped, no younger one goes for them. */
  function trim(): void {
    const oldest = [...entries].slice(0, Math.max(0, entries.size - maxSize));
    for (const [key, entry] of oldest) if (entry.leases === 0) drop(key, entry);
  }

  /** The whole signature is two identities: a runtime never changes its model, address or key; another one is built. */
  function fits(entry: Entry, runtime: AgentRuntime, sessionId: SessionId): boolean {
    return entry.runtime === runtime && entry.sessionId === sessionId;
  }

  return {
    acquire({ key, sessionId }, runtime) {
      let entry = entries.get(key);
      if (entry && !fits(entry, runtime, sessionId)) {
        drop(key, entry);
        entry = undefined;
      }
      entry ??= {
        key,
        agent: runtime.createAgent({ key, sessionId }),
        runtime,
        sessionId,
        leases: 0,
        released: false,
      };
      entry.leases++;
      entries.delete(key);
      entries.set(key, entry);
      trim();
      return leaseOf(entry);
    },
    evict(key) {
      const entry = entries.get(key);
      return entry ? drop(key, entry) : "absent";
    },
    abandon(key) {
      const current = entries.get(key);
      entries.delete(key);
      for (const entry of [...(current ? [current] : []), ...leaving]) {
        if (entry.key !== key) continue;
        leaving.delete(entry);
        release(entry);
      }
    },
    async releaseAll() {
      for (const entry of [...entries.values(), ...leaving]) release(entry);
      entries.clear();
      leaving.clear();
      await Promise.all(releasing);
    },
    size: () => entries.size,
    liveBytes: () =>
      [...entries.values(), ...leaving].reduce((sum, entry) => sum + entry.agent.liveBytes(), 0),
  };

  function leaseOf(entry: Entry): AgentLease {
    let over = false;
    return {
      agent: entry.agent,
      done() {
        if (over) return;
        over = true;
        entry.leases--;
        if (entry.leases === 0 && leaving.delete(entry)) release(entry);
      },
    };
  }
}
