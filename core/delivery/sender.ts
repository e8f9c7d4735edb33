import type { Channel, SendOutcome } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { sessionSourceFromStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import { decideAfterSend } from "./after-send.ts";
import { recoveredLabel } from "./boot-sweep.ts";
import type { UnknownPolicy } from "./boot-sweep.ts";
import type { ObligationRow, ObligationStore } from "./obligation-store.ts";

export interface DeliverySettings {
  policy: UnknownPolicy;
  staleMs: number;
  /** Pause after a first failure, in ms. */
  retryMs: number;
}

export interface SenderDeps {
  db: Database;
  obligations: ObligationStore;
  channel(id: string): Channel | undefined;
  settings(channelId: string): DeliverySettings;
  bus: Bus;
  clock: Clock;
  log: Log;
  owner: { bootId: string; pid: number };
  /** How long one attempt may take, in ms. */
  attemptMs: number;
  onSent(channelId: string): void;
  /** A person has to know: it will not be tried again by itself. */
  onGivenUp(row: ObligationRow, state: "unknown" | "abandoned", reason: string): void;
}

/** Timers sleep at most this long, so that a set clock is noticed (lifecycle 11.5), in ms. */
const longestSleepMs = 900_000;

export type Sender = ReturnType<typeof createSender>;

/**
 * Delivers what the ledger says is owed, in the order of each lane, one attempt at a time. The attempt is on disk before
 * the request leaves, its outcome after (lifecycle 11.3).
 */
export function createSender(deps: SenderDeps) {
  const { db, obligations, bus, clock, log } = deps;
  const busy = new Map<SessionKey, { again: boolean; done: Promise<void> }>();
  const timers = new Map<SessionKey, () => void>();
  const ending = new AbortController(); // no new attempts
  const cutting = new AbortController(); // attempts in flight end now

  function pump(key: SessionKey): void {
    const lane = busy.get(key);
    if (lane) {
      lane.again = true;
      return;
    }
    if (ending.signal.aborted) return;
    timers.get(key)?.();
    timers.delete(key);
    const mine = { again: false, done: Promise.resolve() };
    busy.set(key, mine);
    mine.done = serve(key, mine);
  }

  async function serve(key: SessionKey, lane: { again: boolean }): Promise<void> {
    try {
      do {
        lane.again = false;
        while (await sendNext(key));
      } while (lane.again);
    } catch (cause) {
      log.error("delivery.failed", { sessionKey: key }, cause);
      sleep(key, 5_000); // the disk refused: what is owed stays owed
    } finally {
      busy.delete(key);
    }
  }

  function sleep(key: SessionKey, ms: number): void {
    timers.get(key)?.();
    timers.set(
      key,
      clock.after(Math.min(ms, longestSleepMs), () => {
        pump(key);
      }),
    );
  }

  /** One attempt at what the lane owes first; false where nothing can be sent now. */
  async function sendNext(key: SessionKey): Promise<boolean> {
    if (ending.signal.aborted) return false;
    const row = obligations.next(key);
    if (!row) return false;
    const waitMs = (row.nextAttemptAt ?? 0) - clock.nowMs();
    if (waitMs > 0) {
      sleep(key, waitMs);
      return false;
    }
    const channel = deps.channel(row.channelId);
    if (!channel) return false; // not up: stays owed, costs no attempt (lifecycle 11.4)
    failpoint("delivery.before_attempt");
    const fence = await db.write(() => {
      const claimed = obligations.attempt(row, deps.owner, clock.nowMs());
      failpoint("delivery.attempt_uncommitted");
      return claimed;
    });
    if (fence === null) return true; // decided by somebody else meanwhile: look again
    failpoint("delivery.attempt_recorded");
    const outcome = await attempt(channel, row, fence);
    failpoint("delivery.sent");
    const settings = deps.settings(row.channelId);
    const to = decideAfterSend({
      attempts: row.attempts + 1,
      outcome,
      idempotent: channel.capabilities.idempotentSend,
      policy: settings.policy,
      recovered: row.recovered === 1,
      ageMs: clock.nowMs() - row.createdAt,
      staleMs: settings.staleMs,
      retryMs: settings.retryMs,
      nowMs: clock.nowMs(),
    });
    await db.write(() => {
      obligations.settle(row.obligationId, fence, to, clock.nowMs());
      failpoint("delivery.outcome_uncommitted");
    });
    failpoint("delivery.outcome_recorded");
    if (outcome.kind === "delivered") deps.onSent(row.channelId);
    else
      log.warn("delivery.not_delivered", {
        sessionKey: key,
        channel: row.channelId,
        outcome: outcome.kind,
        to: to.state,
      });
    if (to.state === "unknown" || to.state === "abandoned")
      deps.onGivenUp(row, to.state, to.error ?? "");
    bus.emit("messages.changed", { key });
    bus.emit("status.changed", {});
    return true;
  }

  /** Sends the parts that are not confirmed, in order; stops at the first that is not delivered. */
  async function attempt(
    channel: Channel,
    row: ObligationRow,
    fence: number,
  ): Promise<SendOutcome> {
    const target = sessionSourceFromStored(JSON.parse(row.targetJson));
    if (!target.ok)
      return { kind: "rejected", retryable: false, code: "E_INPUT", reason: target.reason };
    const parts = channel.split?.(row.content) ?? [row.content];
    let outcome: SendOutcome = { kind: "delivered", remoteId: null };
    for (let part = row.partsDone; part < parts.length; part += 1) {
      const labelled = row.recovered === 1 && part === row.partsDone;
      outcome = await sendPart(channel, {
        obligationId: row.obligationId,
        key: row.sessionKey,
        target: target.source,
        text: `${labelled ? recoveredLabel(row.cause ?? "the gateway was restarted") : ""}${parts[part] ?? ""}`,
        kind: row.kind,
        replyTo: row.replyTo,
        idempotencyKey: parts.length === 1 ? row.obligationId : `${row.obligationId}:${part + 1}`,
        recovered: row.recovered === 1,
        part: { number: part + 1, of: parts.length },
      });
      if (outcome.kind !== "delivered") return outcome;
      if (part + 1 === parts.length) break;
      await db.write(() => {
        obligations.confirmPart(row.obligationId, fence, part + 1, parts.length);
        failpoint("delivery.part_uncommitted");
      });
      failpoint("delivery.part_confirmed");
    }
    return outcome;
  }

  async function sendPart(
    channel: Channel,
    message: Parameters<Channel["send"]>[0],
  ): Promise<SendOutcome> {
    const timeout = new AbortController();
    const cancel = clock.after(deps.attemptMs, () => {
      timeout.abort();
    });
    try {
      return await channel.send(message, AbortSignal.any([timeout.signal, cutting.signal]));
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
    /** Sends under way now. */
    inFlight: (): number => busy.size,
    /** Lets sends in flight end, at most `budgetMs`; then they are cut. */
    async stop(budgetMs: number): Promise<void> {
      ending.abort();
      for (const cancel of timers.values()) cancel();
      timers.clear();
      const cancel = clock.after(budgetMs, () => {
        cutting.abort();
      });
      await Promise.all([...busy.values()].map((lane) => lane.done));
      cancel();
    },
  };
}
