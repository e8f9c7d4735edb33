import { randomBytes } from "node:crypto";
import type { AgentRuntime } from "../agents/runtime.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { planCompaction } from "../transcripts/compaction-plan.ts";
import type { CompactionPlan } from "../transcripts/compaction-plan.ts";
import type { CompressionLockStore } from "../transcripts/compression-lock-store.ts";
import type { LiveMessage } from "../transcripts/message-store.ts";
import { historyOf } from "../transcripts/message-view.ts";
import type { ActDeps, ActKit } from "./act-kit.ts";
import { stopReason, summarise } from "./summarise.ts";
import type { TurnLease } from "./turn-lease.ts";
import type { RunLimits } from "./turn-run.ts";

export type CompressionMode = "in_place" | "rotation";

export interface CompressActDeps extends ActDeps {
  kit: ActKit;
  locks: CompressionLockStore;
  runtimeFor(row: RoutingRow): AgentRuntime;
  limits(): RunLimits;
  mode(): CompressionMode;
}

export interface CompressionWish {
  focus: string | null;
  /** Exchanges that stay as they are; 0 = none. */
  keepExchanges: number;
  /** Null: as the settings say. */
  mode: CompressionMode | null;
}

/** What a compression would do; nothing has been asked of an agent yet. */
export interface CompressionPreview {
  state: CompactionPlan<LiveMessage>["kind"];
  messages: number;
  archived: number;
  kept: number;
  mode: CompressionMode;
  /** Characters that the model is sent less. */
  characters: number;
  firstText: string;
  lastText: string;
}

export type Compressed =
  | { state: "too_short" | "nothing_older"; messages: number }
  | {
      state: "compressed";
      mode: CompressionMode;
      archived: number;
      kept: number;
      summary: string;
      sessionId: SessionId;
      row: RoutingRow;
    };

/** Longest a lock is believed without its holder giving it back, in ms. */
const lockMs = 30 * 60_000;
/** Longest a summary may take in all, in ms. */
const summaryMs = 10 * 60_000;

const shortened = (text: string): string => [...text].slice(0, 200).join("");

export type CompressActs = ReturnType<typeof createCompressActs>;

/**
 * Compression (lifecycle 14): the summary is asked for with the session's lease in hand, so that no turn runs meanwhile,
 * and everything changes in one transaction at the end. Whatever fails before it leaves the conversation as it was.
 */
export function createCompressActs(deps: CompressActDeps) {
  const { db, directory, guard, clock, kit, locks } = deps;
  const { messages } = directory;
  const running = new Map<SessionKey, AbortController>();

  /** The session's lease, taken between two turns and kept while the lane itself is free again. */
  const claim = (key: SessionKey): Promise<{ id: SessionId; lease: TurnLease }> =>
    guard.whenIdle(key, async () => {
      kit.rowOf(key);
      await db.write(() => directory.follow(key));
      const { sessionId } = kit.rowOf(key);
      return { id: sessionId, lease: guard.leaseNow(sessionId) };
    });

  async function summary(
    key: SessionKey,
    id: SessionId,
    archive: readonly LiveMessage[],
    focus: string | null,
    abort: AbortController,
  ): Promise<string> {
    const cancel = clock.after(summaryMs, () => {
      abort.abort(stopReason);
    });
    try {
      const task = { key, sessionId: id, history: historyOf(archive), focus };
      return await summarise(
        deps.runtimeFor(kit.rowOf(key)),
        task,
        abort.signal,
        deps.limits(),
        clock,
      );
    } catch (cause) {
      if (abort.signal.aborted)
        throw new SignalboxError(
          "E_CANCELLED",
          "The compression was stopped; nothing was changed.",
        );
      throw cause;
    } finally {
      cancel();
    }
  }

  /** @throws {SignalboxError} E_CONFLICT where the conversation moved on while the summary was made. */
  function mustBeUnchanged(
    key: SessionKey,
    id: SessionId,
    rows: readonly LiveMessage[],
  ): RoutingRow {
    const row = kit.rowOf(key);
    const now = messages.live(id);
    const same = now.length === rows.length && now.at(-1)?.id === rows.at(-1)?.id;
    if (row.sessionId === id && same) return row;
    throw new SignalboxError(
      "E_CONFLICT",
      "The conversation moved on while it was being summarised; nothing was changed.",
    );
  }

  /** The lock row of lifecycle 14.4 around the work. @throws {SignalboxError} E_BUSY while somebody else has it. */
  async function locked<T>(id: SessionId, work: () => Promise<T>): Promise<T> {
    const holder = randomBytes(8).toString("hex");
    if (!(await db.write(() => locks.acquire(id, holder, clock.nowMs(), lockMs))))
      throw alreadyRunning();
    try {
      return await work();
    } finally {
      await db
        .write(() => {
          locks.release(id, holder);
        })
        .catch(() => undefined); // it expires
    }
  }

  async function compressClaimed(
    key: SessionKey,
    actor: string,
    wish: CompressionWish,
    { id, lease }: { id: SessionId; lease: TurnLease },
    abort: AbortController,
  ): Promise<Compressed> {
    const rows = messages.live(id);
    const plan = planCompaction(rows, wish.keepExchanges);
    if (plan.kind === "too_short") return { state: "too_short", messages: plan.messages };
    if (plan.kind === "nothing_older") return { state: "nothing_older", messages: rows.length };
    const mode = wish.mode ?? deps.mode();
    const archived = plan.archive.filter((row) => row.role !== "boundary").length;
    const text = await summary(key, id, plan.archive, wish.focus, abort);
    let sessionId = id;
    const by = { actor, act: "compress", summary: `${archived} messages were summarised.` };
    const { row } = await kit.change(key, by, (nowMs) => {
      const lane = mustBeUnchanged(key, id, rows);
      const given = { by: actor, summary: text, archived, keepFrom: plan.keepFrom };
      if (mode === "rotation") {
        sessionId = directory.rotate(lane, given, nowMs).child;
        lease.follow(sessionId);
      } else directory.compact(id, given, nowMs);
      return true;
    });
    kit.transcriptChanged(key);
    return { state: "compressed", mode, archived, kept: plan.kept, summary: text, sessionId, row };
  }

  return {
    isRunning: (key: SessionKey): boolean => running.has(key),
    /** Breaks off the lane's compression; false where none runs. */
    stop(key: SessionKey): boolean {
      const abort = running.get(key);
      abort?.abort(stopReason);
      return abort !== undefined;
    },

    /** What `compress` would do (`--preview`). */
    preview(key: SessionKey, wish: CompressionWish): CompressionPreview {
      const row = kit.rowOf(key);
      const rows = messages.live(directory.lineage.tip(row.sessionId));
      const plan = planCompaction(rows, wish.keepExchanges);
      const archive = plan.kind === "compact" ? plan.archive : [];
      const spoken = archive.filter((one) => one.role !== "boundary");
      return {
        state: plan.kind,
        messages: rows.filter((one) => one.role !== "boundary").length,
        archived: spoken.length,
        kept: plan.kind === "compact" ? plan.kept : 0,
        mode: wish.mode ?? deps.mode(),
        characters: spoken.reduce((sum, one) => sum + one.content.length, 0),
        firstText: shortened(spoken[0]?.text ?? ""),
        lastText: shortened(spoken.at(-1)?.text ?? ""),
      };
    },

    /**
     * Compresses the lane's conversation.
     * @throws {SignalboxError} E_BUSY mid-turn or while another compression runs; E_AGENT_*, E_CANCELLED, E_CONFLICT:
     *   nothing was changed.
     */
    async compress(key: SessionKey, actor: string, wish: CompressionWish): Promise<Compressed> {
      if (running.has(key)) throw alreadyRunning();
      const abort = new AbortController();
      running.set(key, abort);
      try {
        const claimed = await claim(key);
        try {
          return await locked(claimed.id, () => compressClaimed(key, actor, wish, claimed, abort));
        } finally {
          claimed.lease.release();
        }
      } finally {
        running.delete(key);
      }
    },
  };
}

const alreadyRunning = (): SignalboxError =>
  new SignalboxError("E_BUSY", "This conversation is being compressed already.");
