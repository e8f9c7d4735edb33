import type { Channel, OutboundMessage, SendOutcome } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { sessionSourceFromStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import { decideAfterSend } from "./after-send.ts";
import type { ObligationRow, ObligationStore } from "./obligation-store.ts";

export interface SenderDeps {
  db: Database;
  obligations: ObligationStore;
  channel(id: string): Channel | undefined;
  bus: Bus;
  clock: Clock;
  log: Log;
  owner: { bootId: string; pid: number };
  /** How long one attempt may take, in ms. */
  attemptMs: number;
  onSent(channelId: string): void;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * Delivers what the ledger says is owed, in the order of each lane, one attempt at a time. The attempt is on disk before
 * the request leaves, its outcome after (lifecycle 11.3).
 */
export function createSender(deps: SenderDeps) {
  const { db, obligations, bus, clock, log } = deps;
  const busy = new Map<SessionKey, { again: boolean }>();
  const timers = new Map<SessionKey, () => void>();
  const abort = new AbortController();
  let stopping = false;

  function pump(key: SessionKey): void {
    const lane = busy.get(key);
    if (lane) {
      lane.again = true;
      return;
    }
    if (stopping) return;
    timers.get(key)?.();
    timers.delete(key);
    const mine = { again: false };
    busy.set(key, mine);
    void serve(key, mine);
  }

  async function serve(key: SessionKey, lane: { again: boolean }): Promise<void> {
    try {
      do {
        lane.again = false;
        while (!stopping && (await sendNext(key)));
      } while (lane.again && !stopping);
    } catch (cause) {
      log.error("delivery.failed", { sessionKey: key }, cause);
    } finally {
      busy.delete(key);
    }
  }

  /** One attempt at what the lane owes first; false where nothing can be sent now. */
  async function sendNext(key: SessionKey): Promise<boolean> {
    const row = obligations.next(key);
    if (!row) return false;
    const now = clock.nowMs();
    if (row.nextAttemptAt !== null && row.nextAttemptAt > now) {
      timers.set(
        key,
        clock.after(Math.min(row.nextAttemptAt - now, 900_000), () => {
          pump(key);
        }),
      );
      return false;
    }
    const channel = deps.channel(row.channelId);
    if (!channel) return false; // its channel is not up: stays owed, costs no attempt (lifecycle 11.4)
    const fence = await db.write(() => obligations.attempt(row, deps.owner, clock.nowMs()));
    if (fence === null) return true;
    const outcome = await attempt(channel, row);
    const next = decideAfterSend({
      attempts: row.attempts + 1,
      outcome,
      idempotent: channel.capabilities.idempotentSend,
      nowMs: clock.nowMs(),
    });
    await db.write(() => obligations.settle(row.obligationId, fence, next, clock.nowMs()));
    if (outcome.kind === "delivered") deps.onSent(row.channelId);
    else
      log.warn("delivery.not_delivered", {
        sessionKey: key,
        channel: row.channelId,
        outcome: outcome.kind,
        to: next.state,
      });
    bus.emit("messages.changed", { key });
    bus.emit("status.changed", {});
    return true;
  }

  async function attempt(channel: Channel, row: ObligationRow): Promise<SendOutcome> {
    const target = sessionSourceFromStored(JSON.parse(row.targetJson));
    if (!target.ok)
      return { kind: "rejected", retryable: false, code: "E_INPUT", reason: target.reason };
    const message: OutboundMessage = {
      obligationId: row.obligationId,
      key: row.sessionKey,
      target: target.source,
      text: row.content,
      replyTo: row.replyTo,
      idempotencyKey: row.obligationId,
      recovered: row.recovered === 1,
    };
    const timeout = new AbortController();
    const cancel = clock.after(deps.attemptMs, () => {
      timeout.abort();
    });
    try {
      return await channel.send(message, AbortSignal.any([timeout.signal, abort.signal]));
    } catch (cause) {
      log.error("channel.send_threw", { channel: channel.id }, cause);
      return { kind: "unknown", reason: "The channel failed while sending." }; // it may have left before that
    } finally {
      cancel();
    }
  }

  return {
    pump,
    /** Everything that is owed and can be sent. */
    pumpAll(): void {
      for (const key of obligations.openLanes()) pump(key);
    },
    /** Lets sends in flight end, at most `budgetMs`; then they are cut and stay `attempting`. */
    async stop(budgetMs: number): Promise<void> {
      stopping = true;
      for (const cancel of timers.values()) cancel();
      const cancel = clock.after(budgetMs, () => {
        abort.abort();
      });
      while (busy.size > 0) await new Promise<void>((resolve) => setTimeout(resolve, 5));
      cancel();
    },
  };
}
