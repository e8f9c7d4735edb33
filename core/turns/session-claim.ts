import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionId } from "../contract/ids.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { Database } from "../state/database.ts";
import { decodeInbound } from "./inbound-json.ts";
import type { InboundRow } from "./inbox-store.ts";
import { debtOf, noResume } from "./turn-finish.ts";
import type { TurnFinishStores } from "./turn-finish.ts";
import type { TurnLease, TurnLeases } from "./turn-lease.ts";
import { tell } from "../recovery/apply.ts";
import { givenUp } from "../recovery/given-up.ts";
import { decideWake } from "./wake-route.ts";

/** A lane's right to begin its next turn. */
export interface SessionClaim {
  /** Whether the turn would still run in the session that the claim is for: part of the start's transaction. */
  fits(): boolean;
  /** The session that the turn began; one that is new is taken with it. */
  began(id: SessionId): void;
  release(): void;
}

export interface SessionClaimDeps {
  db: Database;
  stores: TurnFinishStores;
  leases: TurnLeases;
  clock: Clock;
  readsTranscript(channelId: string): boolean;
  /** The item has nothing to say any more. */
  isStale?(key: SessionKey, message: InboundMessage): boolean;
  /** The result of a run beside the conversation was dropped (lifecycle 13.3). */
  onWakeDropped(key: SessionKey, delegationId: string, because: string): void;
  /** A message was turned away: its chat may be owed a word, its transcript has a bar. */
  onRefused(key: SessionKey): void;
}

/** The lease of lifecycle 8.4: taken once the session is known, before anything is written into its transcript. */
export function createSessionClaims(deps: SessionClaimDeps) {
  const { stores, leases } = deps;
  const { directory, inbox } = stores;

  const nextIn = (key: SessionKey, message: InboundMessage): SessionId | null =>
    directory.peek(key, message.source);

  /** Tells the person that the message was given up; nothing else of the lane changes. */
  async function refuse(key: SessionKey, input: InboundRow, cause: SignalboxError): Promise<void> {
    const message = decodeInbound(input.eventJson);
    await deps.db.write(() => {
      const nowMs = deps.clock.nowMs();
      if (!inbox.end(input.seq, "failed", nowMs)) return;
      inbox.promote(key);
      const row = directory.routing.get(key);
      if (row) directory.maker.mark(row.sessionId, "refused", cause.message, nowMs);
      if (message.internal !== true && !deps.readsTranscript(message.channelId)) {
        const turn = { key, turnId: null, message, input };
        stores.obligations.owe(debtOf(turn, cause.message, "notice", null), nowMs);
      }
      directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, nowMs);
    });
    deps.onRefused(key);
  }

  const drop = (key: SessionKey, input: InboundRow): Promise<void> =>
    deps.db.write(() => {
      const nowMs = deps.clock.nowMs();
      if (inbox.end(input.seq, "dropped", nowMs)) inbox.promote(key);
      directory.routing.patch(key, { queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, nowMs);
    });

  /** Whether the slot's item may run: a result only in the conversation that asked for it. */
  async function mayRun(
    key: SessionKey,
    input: InboundRow,
    message: InboundMessage,
    next: SessionId | null,
  ): Promise<boolean> {
    const { pinned } = message;
    if (!pinned) {
      if (deps.isStale?.(key, message) !== true) return true;
      await drop(key, input);
      return false;
    }
    const id = asSessionId(pinned.sessionId);
    const fate = decideWake({
      pinned: directory.incarnations.get(id) ?? null,
      pinnedTip: directory.lineage.tip(id),
      next,
    });
    if (fate.kind === "run") return true;
    await drop(key, input);
    deps.onWakeDropped(key, pinned.delegationId, fate.because);
    return false;
  }

  /**
   * A cut turn is taken up in its own conversation only. In a suspended lane it waits, for the suspension may be taken back,
   * until a person's message behind it starts the fresh one.
   */
  function resumeFate(
    key: SessionKey,
    turnId: string,
    next: SessionId | null,
  ): "run" | "wait" | "drop" {
    const cut = stores.turns.get(turnId);
    const home = cut && directory.lineage.tip(cut.sessionId);
    if (home === undefined || home === next) return "run";
    const row = directory.routing.get(key);
    const isHere = row?.suspended === 1 && directory.lineage.tip(row.sessionId) === home;
    return isHere && inbox.depth(key).human === 0 ? "wait" : "drop";
  }

  /** The cut turn is given up, and its person told. */
  async function dropResume(
    key: SessionKey,
    input: InboundRow,
    message: InboundMessage,
  ): Promise<void> {
    await deps.db.write(() => {
      const nowMs = deps.clock.nowMs();
      const row = directory.routing.get(key);
      if (!row || !inbox.end(input.seq, "dropped", nowMs)) return;
      inbox.promote(key);
      const text = row.suspended === 1 ? givenUp.suspended : givenUp.ended;
      if (message.internal !== true)
        tell(stores, row, { seq: input.seq, turnId: "", message }, text, nowMs);
      directory.routing.patch(key, { ...noResume, queueDepth: inbox.depth(key).depth });
      directory.routing.settleState(key, nowMs);
    });
    deps.onRefused(key);
  }

  return {
    /** Waits for the session of the lane's next turn; null where nothing is next up. */
    async claim(key: SessionKey): Promise<SessionClaim | null> {
      for (;;) {
        const input = inbox.slot(key);
        if (!input) return null;
        const message = decodeInbound(input.eventJson);
        const id = nextIn(key, message);
        if (message.resume) {
          const fate = resumeFate(key, message.resume.turnId, id);
          if (fate === "wait") return null;
          if (fate === "drop") {
            await dropResume(key, input, message);
            continue;
          }
        }
        if (!(await mayRun(key, input, message, id))) continue;
        let lease: TurnLease | null = null;
        try {
          lease = id === null ? null : await leases.acquire(id);
        } catch (cause) {
          if (!(cause instanceof SignalboxError)) throw cause;
          await refuse(key, input, cause);
          continue;
        }
        return {
          fits: () => {
            const slot = inbox.slot(key);
            return slot === undefined || nextIn(key, decodeInbound(slot.eventJson)) === id;
          },
          began(started) {
            if (started !== id) lease ??= leases.tryAcquire(started);
          },
          release: () => lease?.release(),
        };
      }
    },
  };
}
