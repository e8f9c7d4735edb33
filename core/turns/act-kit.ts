import type { AgentCache } from "../agents/agent-cache.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import { actedOn } from "./command-once.ts";
import type { Bus } from "../live/bus.ts";
import type { ObligationStore } from "../delivery/obligation-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { LaneGuard } from "./lane-guard.ts";
import type { Lanes } from "./lanes.ts";
import type { CutShort } from "./turn-run.ts";
import { tellDropped } from "./tell-dropped.ts";
import type { TurnStore } from "./turn-store.ts";

export interface ActDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  turns: TurnStore;
  obligations: ObligationStore;
  acts: ActStore;
  lanes: Lanes;
  guard: LaneGuard;
  agents: AgentCache;
  bus: Bus;
  clock: Clock;
}

/** Longest wait for a turn that was cut, in ms (lifecycle 18); past it the act goes on and the late result is dropped. */
const cutWaitMs = 5_000;

export type ActKit = ReturnType<typeof actKit>;

/** What every act on a lane needs: the lane or an error, one transaction with its evidence, the events after it. */
export function actKit(deps: ActDeps) {
  const { db, directory, inbox, turns, lanes, agents, bus, clock } = deps;
  const { routing } = directory;

  const missing = (key: SessionKey): SignalboxError =>
    new SignalboxError("E_NOT_FOUND", "There is no session with this key.", { field: "key", key });

  return {
    missing,

    /** @throws {SignalboxError} E_NOT_FOUND. */
    rowOf(key: SessionKey): RoutingRow {
      const row = routing.get(key);
      if (!row) throw missing(key);
      return row;
    },

    /**
     * One act: `work`, the act's evidence and the lane's shown state change together.
     * @param work Returns whether it changed anything; undefined where there is no lane.
     */
    async change(
      key: SessionKey,
      by: { actor: string; act: string; summary: string },
      work: (nowMs: number) => boolean | undefined,
    ): Promise<{ changed: boolean; row: RoutingRow }> {
      const acted = actedOn();
      const done = await db.write(() => {
        const nowMs = clock.nowMs();
        const changed = work(nowMs);
        if (changed === undefined) throw missing(key);
        acted?.();
        if (changed) deps.acts.record({ at: nowMs, sessionKey: key, ...by });
        const row = routing.settleState(key, nowMs);
        if (!row) throw missing(key);
        return { changed, row };
      });
      bus.emit("session.changed", { key, urgent: true });
      return done;
    },

    /** The transcript of the lane, and of every other lane in the same session, reads differently now. */
    transcriptChanged(key: SessionKey): void {
      const row = routing.get(key);
      for (const lane of row ? routing.lanesAt(row.sessionId) : []) {
        agents.evict(lane.sessionKey);
        bus.emit("messages.changed", { key: lane.sessionKey });
        bus.emit("session.changed", { key: lane.sessionKey, urgent: false });
      }
    },

    /** Cuts the running turn and waits for its end, not for ever. */
    async cut(key: SessionKey, why: CutShort): Promise<void> {
      let cancel = (): void => undefined;
      const tooLong = new Promise<void>((resolve) => {
        cancel = clock.after(cutWaitMs, resolve);
      });
      await Promise.race([lanes.cut(key, why), tooLong]);
      cancel();
    },

    /** Ends what a cut could not end: whatever that turn still brings is late and changes nothing (lifecycle 6.3). */
    endLeftOver(key: SessionKey, nowMs: number): void {
      const token = routing.get(key)?.activeTurnToken;
      const left = turns.unended().find((turn) => turn.turnId === token);
      if (!left) return;
      turns.end({
        turnId: left.turnId,
        state: "stopped",
        endedAt: nowMs,
        errorCode: null,
        errorMessage: null,
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        replyMessageId: null,
      });
      inbox.endTurn(left.turnId, "stopped", nowMs);
      routing.patch(key, { activeTurnToken: null, activeTurnStartedAt: null });
    },

    /**
     * Drops waiting messages of people (lifecycle 12.8): what is next up, and where `all` also what is behind it. Our own
     * wakes survive, and so does what arrived after `through`.
     * @param told What their people are told; null where it was their own command.
     * @returns how many.
     */
    dropHuman(
      key: SessionKey,
      all: boolean,
      through: number,
      nowMs: number,
      told: string | null,
    ): number {
      let dropped = 0;
      for (const item of inbox.waiting(key))
        if (
          item.kind !== "internal" &&
          item.seq <= through &&
          (all || item.place === "slot") &&
          inbox.end(item.seq, "dropped", nowMs)
        ) {
          dropped += 1;
          if (told !== null) tellDropped(deps, item, told, nowMs);
        }
      return dropped;
    },

    /**
     * After messages were dropped: a surviving wake is next up, and the shown depth is right again. A message that came
     * after the command is a next message: what is left of the queue goes on with it (lifecycle 12.8).
     */
    settleQueue(key: SessionKey, through: number): void {
      const isLater = inbox.waiting(key).some((item) => item.seq > through);
      if (isLater) inbox.promote(key);
      else inbox.promoteInternal(key);
      routing.patch(key, { queueDepth: inbox.depth(key).depth });
    },
  };
}

/** Acts of the operator; a person's own command needs no further word in their chat. */
export const isOperator = (actor: string): boolean =>
  actor === "panel" || actor === "cli" || actor === "rpc";
