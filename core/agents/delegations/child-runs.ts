import { randomBytes, randomUUID } from "node:crypto";
import type { InboundMessage } from "../../channels/channel.ts";
import type { Clock } from "../../clock.ts";
import { SignalboxError } from "../../contract/errors.ts";
import { asSessionKey } from "../../contract/ids.ts";
import type { SessionKey } from "../../contract/ids.ts";
import { agentOf } from "../../journal/agent-key.ts";
import type { Journal } from "../../journal/journal.ts";
import type { ParentageStore } from "../../journal/parentage-store.ts";
import { childEnded, childSpawned } from "../../journal/producers.ts";
import type { Chain } from "../../journal/relay.ts";
import type { Log } from "../../log/log.ts";
import { originOf } from "../../sessions/routing-store.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import { sessionSource } from "../../sessions/session-source.ts";
import type { Database } from "../../state/database.ts";
import { enqueueInside } from "../../turns/enqueue.ts";
import type { InboxStore } from "../../turns/inbox-store.ts";
import type { Lanes } from "../../turns/lanes.ts";
import { replyText } from "../../turns/turn-result.ts";
import type { TurnResult } from "../../turns/turn-result.ts";
import type { StartedTurn } from "../../turns/turn-start.ts";
import { afterRestart, endOf, isOpen, maxDepth, maxOpen, outcomeOf } from "./child-run.ts";
import type { ChildEnd, ChildRun } from "./child-run.ts";
import type { ChildRunStore } from "./child-run-store.ts";
import { announceEnd } from "./announce-end.ts";

export interface ChildRunDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  runs: ChildRunStore;
  journal: Journal;
  parentage: ParentageStore;
  clock: Clock;
  log: Log;
  lanes(): Pick<Lanes, "wake" | "cut" | "running">;
  changed(run: ChildRun): void;
}

export interface SpawnRequest {
  requester: string;
  task: string;
  label: string | null;
  timeoutMs: number | null;
  /** Already counted as a relay. */
  chain: Chain | null;
  /** Goes on in this child session; null: a new one. */
  into: SessionKey | null;
}

/** Characters of a label that is made of the task. */
const labelLength = 80;

export type ChildRuns = ReturnType<typeof createChildRuns>;

/** Child runs: begun, taken up after a restart, ended once, told to the requester once (state-awareness 13). */
export function createChildRuns(deps: ChildRunDeps) {
  const { db, directory, inbox, runs, journal, parentage, clock } = deps;
  const { routing } = directory;
  /** What was asked of running ones; a restart forgets it, and the run goes on. */
  const asked = new Map<string, "cancelled" | "timed_out">();
  const timers = new Map<string, () => void>();

  const depthOf = (key: string): number => {
    let depth = 0;
    for (let at: string | null = key; at !== null && depth <= maxDepth; depth += 1)
      at = parentage.get(at).spawnedBy;
    return depth - 1;
  };

  /** The end of a run, its signal and its announcement change together. Part of the caller's transaction. */
  function finish(
    run: ChildRun,
    end: ChildEnd,
    said: { result: string | null; error: string | null },
    nowMs: number,
  ): void {
    if (!runs.end(run.runId, end, said, nowMs)) return; // the first end counts
    journal.record(
      childEnded(
        { sessionKey: run.childKey, agentId: agentOf(run.childKey) },
        run.runId,
        run.requesterKey,
        outcomeOf[end],
      ),
      nowMs,
    );
    announceEnd(deps, { ...run, ...said }, end, nowMs);
  }

  /** After a commit that may have ended it. */
  function settle(runId: string): void {
    const run = runs.get(runId);
    if (!run) return;
    if (!isOpen(run)) {
      asked.delete(runId);
      timers.get(runId)?.();
      timers.delete(runId);
      deps.lanes().wake(asSessionKey(run.requesterKey));
    }
    deps.changed(run);
  }

  function watchDeadline(run: ChildRun): void {
    if (run.deadlineAt === null) return;
    timers.get(run.runId)?.();
    const leftMs = Math.max(0, run.deadlineAt - clock.nowMs());
    timers.set(
      run.runId,
      clock.after(leftMs, () => {
        stop(run.runId, "timed_out", "The time limit was reached.").catch((cause: unknown) => {
          deps.log.error("child.timeout_failed", { sessionKey: run.childKey }, cause);
        });
      }),
    );
  }

  /** Stops a run, its own children first; resolves when it has ended. */
  async function stop(
    runId: string,
    as: "cancelled" | "timed_out",
    because: string,
  ): Promise<boolean> {
    const run = runs.get(runId);
    if (!run || !isOpen(run)) return false;
    if (!asked.has(runId)) asked.set(runId, as);
    await stopFor(run.childKey, because);
    const waiting = await db.write(() => {
      const now = runs.get(runId);
      if (now?.state !== "queued" || now.inputSeq === null) return false;
      const nowMs = clock.nowMs();
      const key = asSessionKey(now.childKey);
      if (!inbox.end(now.inputSeq, "dropped", nowMs)) return false;
      inbox.promote(key);
      routing.patch(key, { queueDepth: inbox.depth(key).depth });
      routing.settleState(key, nowMs);
      finish(now, as, { result: null, error: because }, nowMs);
      return true;
    });
    const key = asSessionKey(run.childKey);
    const lanes = deps.lanes();
    if (!waiting && lanes.running(key)?.turnId === runs.get(runId)?.turnId)
      await lanes.cut(key, { outcome: "stopped", because, tell: false });
    // No turn of its own is there to be cut: it waits to be taken up, and shall not be.
    await db.write(() => {
      const left = runs.get(runId);
      const running = lanes.running(key);
      if (left && isOpen(left) && running?.turnId !== left.turnId)
        finish(left, as, { result: null, error: because }, clock.nowMs());
    });
    settle(runId);
    return true;
  }

  async function stopFor(requesterKey: string, because: string): Promise<number> {
    const open = runs.openOf(requesterKey);
    await Promise.all(open.map((run) => stop(run.runId, "cancelled", because)));
    return open.length;
  }

  return {
    /**
     * Begins a run: its session, its message, its record and its signal change together. Part of the caller's transaction;
     * `begun` follows the commit.
     * @throws {SignalboxError} E_REFUSED beyond the depth, E_BUSY while too many of the requester's runs are open.
     */
    begin(request: SpawnRequest, nowMs: number): ChildRun {
      const { requester, task, chain, into } = request;
      if (depthOf(requester) >= maxDepth)
        throw new SignalboxError("E_REFUSED", `Child runs go at most ${maxDepth} deep.`);
      if (runs.openOf(requester).length >= maxOpen)
        throw new SignalboxError(
          "E_BUSY",
          `${maxOpen} child runs of this session are open already.`,
        );
      const id = randomUUID();
      const agentId = agentOf(requester);
      const key = into ?? asSessionKey(`agent:${agentId}:subagent:${id}`);
      const firstLine = task.trim().split("\n", 1)[0] ?? "";
      const label = request.label ?? firstLine.slice(0, labelLength);
      const source = sessionSource({
        platform: "local",
        chatId: `subagent:${id}`,
        chatName: label,
        chatType: "dm",
      });
      const child = directory.ensureLane(
        {
          key,
          identity: null,
          channelId: "local",
          source,
          createdBy: { type: "agent", id: requester },
        },
        nowMs,
      );
      if (into === null) parentage.put(key, { spawnedBy: requester, parent: null }, nowMs);
      const message: InboundMessage = {
        channelId: "local",
        source: originOf(child) ?? source,
        text: task,
        messageId: null,
        internal: true,
        provenance: { kind: "inter_session", from: asSessionKey(requester), chain },
      };
      const inputSeq = enqueueInside({ inbox, routing }, key, message, "internal", nowMs);
      const lane = routing.get(asSessionKey(requester));
      const run = {
        runId: randomBytes(12).toString("hex"),
        childKey: key,
        requesterKey: requester,
        requesterSessionId: lane && lane.channelId !== "mcp" ? lane.sessionId : null,
        label,
        task,
        inputSeq,
        chainId: chain?.id ?? null,
        chainHops: chain?.hops ?? 0,
        createdAt: nowMs,
        deadlineAt: request.timeoutMs === null ? null : nowMs + request.timeoutMs,
      };
      runs.insert(run);
      journal.record(
        childSpawned(
          { sessionKey: key, sessionId: child.sessionId, agentId: agentOf(key) },
          run.runId,
          requester,
        ),
        nowMs,
      );
      const made = runs.get(run.runId);
      if (!made) throw new SignalboxError("E_INTERNAL", "The child run was not recorded.");
      return made;
    },
    begun(run: ChildRun): void {
      watchDeadline(run);
      deps.lanes().wake(asSessionKey(run.childKey));
      deps.changed(run);
    },

    /** A turn starts: perhaps a run's, perhaps one that takes it up again. Part of the start's transaction. */
    turnStarted(turn: StartedTurn): void {
      const run =
        runs.byInput(turn.input.seq) ??
        (turn.message.resume ? runs.byTurn(turn.message.resume.turnId) : undefined);
      if (run) runs.setTurn(run.runId, turn.turnId, turn.startedAt);
    },
    /** A turn ends; its run, if it is one, ends with it. Part of the end's transaction. @returns the run. */
    turnEnding(turn: StartedTurn, result: TurnResult, nowMs: number): string | null {
      const run = runs.byTurn(turn.turnId);
      if (!run) return null;
      const end = endOf(result.outcome, asked.get(run.runId) ?? null);
      if (end === null) return null;
      const text = replyText(result.segments);
      const fault = end === "completed" ? null : (result.error?.message ?? result.because);
      finish(run, end, { result: text === "" ? null : text, error: fault }, nowMs);
      return run.runId;
    },
    settle,

    /** The requester's conversation is another one by now: the result stays in the record (lifecycle 13.3). */
    dropped(runId: string, because: string): boolean {
      if (!runs.get(runId)) return false;
      runs.setAnnounced(runId, "dropped", because);
      return true;
    },

    stop: (runId: string, because: string): Promise<boolean> => stop(runId, "cancelled", because),
    stopFor,

    /** At start-up: every run that was open goes on, or is ended and told (need 22). */
    async settleBoot(): Promise<void> {
      const ended = await db.write(() => {
        const nowMs = clock.nowMs();
        return runs.open().flatMap((run) => {
          const key = asSessionKey(run.childKey);
          const row = routing.get(key);
          const input = run.inputSeq === null ? undefined : inbox.get(run.inputSeq);
          const resuming = row?.resumePending === 1 && run.turnId !== null;
          const tail = row ? directory.messages.tail(row.sessionId) : undefined;
          const end = afterRestart({
            goesOn: input?.state === "accepted" || resuming,
            answered: run.turnId !== null && tail?.role === "assistant",
          });
          if (end === null) {
            watchDeadline(run);
            return [];
          }
          const said =
            end === "completed"
              ? { result: tail?.content ?? null, error: null }
              : { result: null, error: "The gateway was stopped while it ran." };
          finish(run, end, said, nowMs);
          return [run.runId];
        });
      });
      for (const runId of ended) settle(runId);
    },
    close(): void {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
