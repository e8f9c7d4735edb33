import type { AgentCache } from "../agents/agent-cache.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Bus } from "../live/bus.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import type { ActStore } from "../state/act-store.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { Lanes } from "./lanes.ts";

export interface LaneActDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  acts: ActStore;
  lanes: Lanes;
  agents: AgentCache;
  bus: Bus;
  clock: Clock;
}

/** Acts of the operator; a person's own command needs no further word in their chat. */
const isOperator = (actor: string): boolean =>
  actor === "panel" || actor === "cli" || actor === "rpc";

/** How long an act with undo can be taken back, in ms (ux.md 7). */
export const undoMs = 10_000;

export type LaneActs = ReturnType<typeof createLaneActs>;

/**
 * What a person does to a lane. A panel button, a key, a command in a chat and the command line all end here, so that
 * the same act is the same act everywhere. `actor` is kept as evidence.
 */
export function createLaneActs(deps: LaneActDeps) {
  const { db, directory, inbox, lanes, agents, bus, clock } = deps;
  const { routing } = directory;

  const missing = (key: SessionKey): SignalboxError =>
    new SignalboxError("E_NOT_FOUND", "There is no session with this key.", { field: "key", key });

  async function change(
    key: SessionKey,
    actor: string,
    act: string,
    summary: string,
    work: (nowMs: number) => boolean | undefined,
  ): Promise<{ changed: boolean; row: RoutingRow }> {
    const done = await db.write(() => {
      const nowMs = clock.nowMs();
      const changed = work(nowMs);
      if (changed === undefined) throw missing(key);
      if (changed) deps.acts.record({ at: nowMs, actor, act, sessionKey: key, summary });
      const row = routing.settleState(key, nowMs);
      if (!row) throw missing(key);
      return { changed, row };
    });
    bus.emit("session.changed", { key, urgent: true });
    return done;
  }

  /** Drops waiting human messages (lifecycle 12.8): the slot's always, those behind it where `all`. Internal wakes survive. */
  function dropHuman(key: SessionKey, all: boolean, nowMs: number): number {
    let dropped = 0;
    for (const item of inbox.waiting(key))
      if (
        item.kind !== "internal" &&
        (all || item.place === "slot") &&
        inbox.end(item.seq, "dropped", nowMs)
      )
        dropped += 1;
    return dropped;
  }

  return {
    suspend: (key: SessionKey, actor: string, reason: string | null) =>
      change(key, actor, "suspend", "The next message starts fresh.", (nowMs) =>
        directory.suspend(key, actor, reason, nowMs),
      ),

    unsuspend: (key: SessionKey, actor: string) =>
      change(key, actor, "unsuspend", "The conversation goes on.", () => directory.unsuspend(key)),

    /** Ends the conversation and starts a fresh one (lifecycle 6.1): cut the turn, drop what people queued, replace. */
    async reset(
      key: SessionKey,
      actor: string,
      title: string | null,
    ): Promise<{ changed: boolean; row: RoutingRow; dropped: number }> {
      if (!routing.get(key)) throw missing(key);
      await lanes.cut(key, {
        outcome: "stopped",
        because: "Stopped: the session was reset.",
        tell: isOperator(actor),
      });
      agents.evict(key);
      let dropped = 0;
      const done = await change(key, actor, "reset", "A fresh session was started.", (nowMs) => {
        dropped = dropHuman(key, true, nowMs);
        const row = directory.reset(key, actor, title, nowMs);
        if (!row) return undefined;
        inbox.promoteInternal(key);
        routing.patch(key, { queueDepth: inbox.depth(key).depth });
        return true;
      });
      bus.emit("messages.changed", { key });
      lanes.wake(key);
      return { ...done, dropped };
    },

    /** Stops the running turn and keeps the conversation (lifecycle 12.8, 18). */
    async stop(key: SessionKey, actor: string): Promise<{ stopped: boolean; message: string }> {
      if (!routing.get(key)) throw missing(key);
      const running = lanes.running(key);
      if (!running && !lanes.isBusy(key))
        return { stopped: false, message: "Nothing is running in this conversation." };
      await change(key, actor, "stop", "The running turn was stopped.", (nowMs) => {
        dropHuman(key, false, nowMs);
        inbox.promoteInternal(key);
        routing.patch(key, { queueDepth: inbox.depth(key).depth });
        return true;
      });
      await lanes.cut(key, { outcome: "stopped", because: "Stopped.", tell: isOperator(actor) });
      agents.evict(key);
      return {
        stopped: true,
        message: running && running.text === "" ? "Stopped before it said anything." : "Stopped.",
      };
    },
  };
}
