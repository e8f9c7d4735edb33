import { SignalboxError } from "../contract/errors.ts";
import { failpoint } from "../failpoint.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { originOf } from "../sessions/routing-store.ts";
import { effectiveThread } from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { isOperator } from "./act-kit.ts";
import type { ActDeps, ActKit } from "./act-kit.ts";
import { droppedBy } from "./tell-dropped.ts";

export interface LaneActDeps extends ActDeps {
  kit: ActKit;
  /** Stops what runs beside the lane (lifecycle 13.2); returns how many units. */
  stopDetached(key: SessionKey, sessionId: SessionId, reason: string): number;
  /** Something may be owed to the lane's chat. */
  deliver(key: SessionKey): void;
  /** Breaks off a compression of the lane; false where none runs. */
  stopCompression(key: SessionKey): boolean;
}

/** How long an act with undo can be taken back, in ms (ux.md 7). */
export const undoMs = 10_000;

export interface Stopped {
  stopped: boolean;
  message: string;
}

export type LaneActs = ReturnType<typeof createLaneActs>;

/**
 * What a person does to a lane. A panel button, a key, a command in a chat and the command line all end here, so that
 * the same act is the same act everywhere. `actor` is kept as evidence.
 */
export function createLaneActs(deps: LaneActDeps) {
  const { directory, inbox, lanes, guard, agents, bus, kit } = deps;
  const { routing } = directory;

  /** Told in the order of lifecycle 6.1, step 7. */
  function tellReset(key: SessionKey, from: SessionId, to: SessionId): void {
    bus.emit("session.finalized", { key, from, to });
    bus.emit("session.ended", { key, sessionId: from, because: "reset" });
    bus.emit("session.reset", { key, from, to });
    bus.emit("session.begun", { key, sessionId: to, because: "reset" });
    bus.emit("messages.changed", { key });
  }

  async function stopHere(key: SessionKey, actor: string, through: number): Promise<Stopped> {
    const row = kit.rowOf(key);
    const running = lanes.running(key);
    const waits = inbox.slot(key);
    const starting = running === null && waits !== undefined && waits.kind !== "internal";
    const compressing = deps.stopCompression(key);
    const detached = deps.stopDetached(key, row.sessionId, "Stopped.");
    const busy = running !== null || row.activeTurnToken !== null;
    if (!busy && !starting)
      return compressing || detached > 0
        ? { stopped: true, message: compressing ? "Stopped the compression." : "Stopped." }
        : { stopped: false, message: "Nothing is running in this conversation." };
    const by = { actor, act: "stop", summary: "The running turn was stopped." };
    await kit.change(key, by, (nowMs) => {
      const tells = isOperator(actor);
      kit.dropHuman(key, false, through, nowMs, tells ? droppedBy.stop : null);
      const token = routing.get(key)?.activeTurnToken;
      if (token != null) deps.turns.stopping(token, "Stopped.", tells);
      kit.settleQueue(key, through);
      failpoint("act.stop_uncommitted");
      return true;
    });
    failpoint("act.stop_recorded");
    deps.deliver(key);
    await kit.cut(key, { outcome: "stopped", because: "Stopped.", tell: isOperator(actor) });
    agents.evict(key);
    return {
      stopped: true,
      message: !busy
        ? "Stopped before it began."
        : running?.text === ""
          ? "Stopped before it said anything."
          : "Stopped.",
    };
  }

  /** Lanes of other people in the same thread in which a turn runs. */
  function runningBeside(key: SessionKey, source: SessionSource): SessionKey[] {
    const thread = effectiveThread(source);
    if (thread === null) return [];
    return lanes.runningKeys().filter((other) => {
      const row = other === key ? undefined : routing.get(other);
      const origin = row ? originOf(row) : null;
      return (
        origin !== null &&
        origin.platform === source.platform &&
        origin.scopeId === source.scopeId &&
        origin.chatId === source.chatId &&
        effectiveThread(origin) === thread
      );
    });
  }

  return {
    /** Who did this to the lane last; null where nobody did. */
    lastActor: (key: SessionKey, act: string): string | null => deps.acts.lastActor(key, act),

    suspend: (key: SessionKey, actor: string, reason: string | null) =>
      kit.change(key, { actor, act: "suspend", summary: "The next message starts fresh." }, (now) =>
        directory.suspend(key, actor, reason, now),
      ),

    async unsuspend(
      key: SessionKey,
      actor: string,
    ): Promise<{ changed: boolean; row: RoutingRow }> {
      const by = { actor, act: "unsuspend", summary: "The conversation goes on." };
      const done = await kit.change(key, by, () => directory.unsuspend(key));
      lanes.wake(key); // a cut turn may wait for it
      return done;
    },

    /**
     * Ends the conversation and starts a fresh one, in the order of lifecycle 6.1.
     * @param through The last message that the reset may drop; what arrived after it belongs to the new conversation.
     */
    reset(
      key: SessionKey,
      actor: string,
      title: string | null,
      through: number = inbox.lastSeq(),
    ): Promise<{ changed: boolean; row: RoutingRow; dropped: number; titleTaken: boolean }> {
      kit.rowOf(key);
      return guard.exclusive(key, async () => {
        const because = "Stopped: the session was reset.";
        deps.stopCompression(key);
        await kit.cut(key, { outcome: "stopped", because, tell: isOperator(actor) });
        agents.evict(key); // torn down beside us: a slow agent keeps nobody waiting
        let dropped = 0;
        let titleTaken = false;
        const from = kit.rowOf(key).sessionId;
        const by = { actor, act: "reset", summary: "A fresh session was started." };
        const done = await kit.change(key, by, (nowMs) => {
          const told = isOperator(actor) ? droppedBy.reset : null;
          dropped = kit.dropHuman(key, true, through, nowMs, told);
          kit.endLeftOver(key, nowMs);
          const boundary = directory.reset(key, actor, title, nowMs);
          if (!boundary) return undefined;
          ({ titleTaken } = boundary);
          kit.settleQueue(key, through);
          failpoint("act.reset_uncommitted");
          return true;
        });
        failpoint("act.reset_recorded");
        deps.deliver(key);
        deps.stopDetached(key, from, because);
        tellReset(key, from, done.row.sessionId);
        return { ...done, dropped, titleTaken };
      });
    },

    /** Stops the running turn and keeps the conversation (lifecycle 12.8, 18). */
    stop: (key: SessionKey, actor: string, through: number = inbox.lastSeq()): Promise<Stopped> =>
      guard.exclusive(key, () => stopHere(key, actor, through)),

    /** `/stop` from a chat: where nothing runs for the caller, what runs for others in the same thread (lifecycle 18). */
    async stopFrom(
      key: SessionKey,
      source: SessionSource,
      actor: string,
      through: number,
    ): Promise<Stopped> {
      const own = await guard.exclusive(key, () => stopHere(key, actor, through));
      if (own.stopped) return own;
      const others = runningBeside(key, source);
      for (const other of others)
        await guard.exclusive(other, () => stopHere(other, actor, inbox.lastSeq()));
      if (others.length === 0) return own;
      return {
        stopped: true,
        message: `Stopped ${others.length} turn${others.length === 1 ? "" : "s"} of others in this thread.`,
      };
    },

    /**
     * Names the session (lifecycle 18); null takes the name away.
     * @throws {SignalboxError} E_CONFLICT where another session has it.
     */
    setTitle: (key: SessionKey, actor: string, title: string | null) =>
      kit.change(key, { actor, act: "title", summary: title ?? "The title was removed." }, () => {
        const row = kit.rowOf(key);
        if (title !== null && !directory.nameIsFree(title, row.sessionId))
          throw new SignalboxError("E_CONFLICT", `Another session is called “${title}”.`, {
            field: "title",
          });
        return directory.setTitle(key, title);
      }),
  };
}
