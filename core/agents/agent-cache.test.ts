import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { cacheDefaults, createAgentCache, type AgentLease } from "./agent-cache.ts";
import { createPracticeRuntime } from "./practice.ts";
import type { Agent, AgentRuntime } from "./runtime.ts";
import { collect, handClock, turnRequest } from "./testing/collect.ts";

const lane = (name: string, incarnation = "one") => ({
  key: asSessionKey(`agent:main:local:dm:${name}`),
  sessionId: asSessionId(incarnation),
});

/** The practice runtime, with a count of how often each of its agents was released. */
function counted() {
  const runtime = createPracticeRuntime({ clock: handClock() });
  const released = new Map<Agent, number>();
  const counting: AgentRuntime = {
    ...runtime,
    createAgent(session) {
      const agent = runtime.createAgent(session);
      const release = () => {
        released.set(counted, (released.get(counted) ?? 0) + 1);
        return agent.release();
      };
      const counted: Agent = { ...agent, release };
      released.set(counted, 0);
      return counted;
    },
  };
  return { runtime: counting, released };
}

describe("the agent cache", () => {
  it("gives a lane the same agent again", () => {
    const { runtime } = counted();
    const cache = createAgentCache();
    const first = cache.acquire(lane("a"), runtime);
    first.done();
    expect(cache.acquire(lane("a"), runtime).agent).toBe(first.agent);
    expect(cache.size()).toBe(1);
  });

  it("builds anew for another runtime and for a new incarnation, and releases the old one", () => {
    const one = counted();
    const two = counted();
    const cache = createAgentCache();
    const first = cache.acquire(lane("a"), one.runtime);
    first.done();
    const second = cache.acquire(lane("a"), two.runtime);
    second.done();
    const third = cache.acquire(lane("a", "after /new"), two.runtime);
    expect(new Set([first.agent, second.agent, third.agent]).size).toBe(3);
    expect([
      one.released.get(first.agent),
      two.released.get(second.agent),
      two.released.get(third.agent),
    ]).toEqual([1, 1, 0]);
  });

  it("lets the least recently used go first", () => {
    const { runtime, released } = counted();
    const cache = createAgentCache({ settings: () => ({ ...cacheDefaults, maxSize: 2 }) });
    const a = cache.acquire(lane("a"), runtime);
    const b = cache.acquire(lane("b"), runtime);
    a.done();
    b.done();
    cache.acquire(lane("a"), runtime).done();
    cache.acquire(lane("c"), runtime).done();
    expect([released.get(a.agent), released.get(b.agent)]).toEqual([0, 1]);
  });

  it("skips a busy one, takes no younger one for it, and is over the cap until the next insert", () => {
    const { runtime, released } = counted();
    const cache = createAgentCache({ settings: () => ({ ...cacheDefaults, maxSize: 2 }) });
    const busy = cache.acquire(lane("busy"), runtime);
    const young = cache.acquire(lane("young"), runtime);
    young.done();
    const third = cache.acquire(lane("third"), runtime);
    third.done();
    expect([cache.size(), released.get(busy.agent), released.get(young.agent)]).toEqual([3, 0, 0]);
    busy.done();
    cache.acquire(lane("fourth"), runtime).done();
    expect([cache.size(), released.get(busy.agent), released.get(young.agent)]).toEqual([2, 1, 1]);
  });

  it("drops a busy agent at the end of its turn, and no later turn gets it", () => {
    const { runtime, released } = counted();
    const cache = createAgentCache();
    const lease = cache.acquire(lane("a"), runtime);
    expect(cache.evict(lane("a").key)).toBe("deferred");
    expect(cache.acquire(lane("a"), runtime).agent).not.toBe(lease.agent);
    expect(released.get(lease.agent)).toBe(0);
    lease.done();
    lease.done();
    expect(released.get(lease.agent)).toBe(1);
    expect(cache.evict(lane("nobody").key)).toBe("absent");
  });

  it("walks away from an agent that hangs", async () => {
    const { runtime, released } = counted();
    const cache = createAgentCache();
    const hung = cache.acquire(lane("a"), runtime);
    const turn = hung.agent.run(turnRequest({ text: "!hang" }), new AbortController().signal);
    void turn[Symbol.asyncIterator]().next();
    cache.evict(lane("a").key);
    expect(released.get(hung.agent)).toBe(0);
    cache.abandon(lane("a").key);
    expect(released.get(hung.agent)).toBe(1);
    hung.done();
    expect(released.get(hung.agent)).toBe(1);
    expect((await collect(cache.acquire(lane("a"), runtime).agent, { text: "hi" })).text).toBe(
      "You said: hi",
    );
  });

  it("counts what all agents keep, dropped ones in use included", async () => {
    const { runtime } = counted();
    const cache = createAgentCache();
    const lease = cache.acquire(lane("a"), runtime);
    await collect(lease.agent, { text: "!size 1MB" });
    cache.evict(lane("a").key);
    expect(cache.liveBytes()).toBe(1024 * 1024);
    lease.done();
    expect(cache.liveBytes()).toBe(0);
  });

  it("releases all at the end, even where a release fails", async () => {
    const { runtime, released } = counted();
    const failures: unknown[] = [];
    const cache = createAgentCache({ onReleaseFailed: (thrown) => failures.push(thrown) });
    cache.acquire(lane("a"), runtime).done();
    cache.acquire(lane("b"), runtime);
    cache.acquire(lane("c"), {
      ...runtime,
      createAgent: (session) => ({
        ...runtime.createAgent(session),
        release: () => Promise.reject(new Error("stuck")),
      }),
    });
    await cache.releaseAll();
    expect([...released.values()].slice(0, 2)).toEqual([1, 1]);
    expect(failures).toHaveLength(1);
    expect(cache.size()).toBe(0);
  });

  it("never releases a busy agent and never releases one twice, whatever happens", async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant("acquire" as const), lane: fc.nat(4), incarnation: fc.nat(1) }),
      fc.record({ kind: fc.constant("done" as const), nth: fc.nat(10) }),
      fc.record({ kind: fc.constant("abandon" as const), lane: fc.nat(4) }),
      fc.record({ kind: fc.constant("evict" as const), lane: fc.nat(4) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const { runtime, released } = counted();
        const cache = createAgentCache({ settings: () => ({ ...cacheDefaults, maxSize: 2 }) });
        let leases: { lane: number; lease: AgentLease }[] = [];
        for (const one of acts) {
          if (one.kind === "acquire")
            leases.push({
              lane: one.lane,
              lease: cache.acquire(lane(String(one.lane), String(one.incarnation)), runtime),
            });
          else if (one.kind === "evict") cache.evict(lane(String(one.lane)).key);
          else if (one.kind === "done") leases.splice(one.nth, 1)[0]?.lease.done();
          else {
            cache.abandon(lane(String(one.lane)).key);
            leases = leases.filter((held) => held.lane !== one.lane);
          }
          for (const { lease } of leases) expect(released.get(lease.agent)).toBe(0);
        }
        for (const { lease } of leases) lease.done();
        await cache.releaseAll();
        for (const count of released.values()) expect(count).toBe(1);
      }),
    );
  });
});
