import type { Channel, SendOutcome } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { Log } from "../log/log.ts";
import { sessionSourceFromStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import { decideAfterSend } from "./after-send.ts";
import type { AfterSend } from "./after-send.ts";
import { debtAgeMs, recoveredLabel } from "./boot-sweep.ts";
import type { UnknownPolicy } from "./boot-sweep.ts";
import type { ObligationRow, ObligationStore } from "./obligation-store.ts";
import { createPlaces } from "./places.ts";
import { createWaits } from "./waits.ts";

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
/** How long a channel may take to end a send that was called off, in ms. */
const deafMs = 2_000;
/** Sends under way at once in one channel: a start that owes a thousand replies does not open a thousand connections. */
const sendsAtOnce = 16;
/** Pause before the disk is asked again, in ms. */
const diskRetryMs = 5_000;

const isAskedAgain = (lane: { again: boolean }): boolean => lane.again;

/** What one attempt came to. Parts before `partsDone` are with the person, whatever became of the others. */
interface Attempted {
  outcome: SendOutcome;
  partsDone: number;
  parts: number;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * Delivers what the ledger says is owed, in the order of each lane, one attempt at a time. The attempt is on disk before
 * the request leaves, its outcome after (lifecycle 11.3).
 */
export function createSender(deps: SenderDeps) {
  const { db, obligations, bus, clock, log } = deps;
  const busy = new Map<SessionKey, { again: boolean; done: Promise<void> }>();
  const timers = new Map<SessionKey, () => void>();
  const waits = createWaits(clock);
  const places = createPlaces(sendsAtOnce);
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
      } while (isAskedAgain(lane));
    } catch (cause) {
      log.error("delivery.failed", { sessionKey: key }, cause);
      sleep(key, diskRetryMs); // the disk refused: what is owed stays owed
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
    const row = obligations.next(key);
    if (!row) return false;
    const release = await places.take(row.channelId);
    try {
      return !ending.signal.aborted && (await payFirst(key, row.channelId));
    } finally {
      release();
    }
  }

  /** The same, with a place of that channel; what is first may have changed while it was waited for. */
  async function payFirst(key: SessionKey, channelId: string): Promise<boolean> {
    const row = obligations.next(key);
    if (!row) return false;
    if (row.channelId !== channelId) return true;
    if (row.state === "attempting") {
      // Its outcome could not be written while we were ending: the next start decides.
      log.error("delivery.outcome_missing", { sessionKey: key, delivery: row.obligationId });
      return false;
    }
    const waitMs = waits.leftMs(row);
    if (waitMs > 0) {
      sleep(key, waitMs);
      return false;
    }
    const channel = deps.channel(row.channelId);
    if (!channel) return false; // not up: stays owed, costs no attempt (lifecycle 11.4)
    waits.forget(row.obligationId);
    const settings = deps.settings(row.channelId);
    if (ageOf(row) > settings.staleMs) {
      await settle(row, row.fence, null, { state: "abandoned", error: "Too old to be sent." });
      return true;
    }
    failpoint("delivery.before_attempt");
    const fence = await db.write(() => {
      const claimed = obligations.attempt(row, deps.owner, clock.nowMs());
      failpoint("delivery.attempt_uncommitted");
      return claimed;
    });
    if (fence === null) return true; // decided by somebody else meanwhile: look again
    failpoint("delivery.attempt_recorded");
    const attempted = await attempt(channel, row, fence);
    const { outcome } = attempted;
    failpoint("delivery.sent");
    const to = decideAfterSend({
      attempts: row.attempts + 1,
      outcome,
      idempotent: channel.capabilities.idempotentSend,
      policy: settings.policy,
      recovered: row.recovered === 1,
      ageMs: ageOf(row),
      staleMs: settings.staleMs,
      retryMs: settings.retryMs,
    });
    await settle(row, fence, attempted, to);
    failpoint("delivery.outcome_recorded");
    if (outcome.kind === "delivered") deps.onSent(row.channelId);
    else
      log.warn("delivery.not_delivered", {
        sessionKey: key,
        channel: row.channelId,
        outcome: outcome.kind,
        to: to.state,
      });
    return true;
  }

  const ageOf = (row: ObligationRow): number =>
    debtAgeMs(row, { ...clock.machine(), nowMs: clock.nowMs() });

  /** Writes what an attempt came to. It exists nowhere else: while the disk refuses it, it is kept and tried again. */
  async function settle(
    row: ObligationRow,
    fence: number,
    attempted: Attempted | null,
    { waitMs, ...to }: AfterSend,
  ): Promise<void> {
    const write = (): void => {
      const nowMs = clock.nowMs();
      if (attempted && attempted.parts > 1 && attempted.partsDone > row.partsDone)
        obligations.confirmPart(row.obligationId, fence, attempted.partsDone, attempted.parts);
      obligations.settle(
        row.obligationId,
        fence,
        waitMs === undefined ? to : { ...to, nextAttemptAt: nowMs + waitMs },
        nowMs,
      );
      failpoint("delivery.outcome_uncommitted");
    };
    for (;;) {
      try {
        await db.write(write);
        break;
      } catch (cause) {
        if (ending.signal.aborted) throw cause;
        log.error("delivery.outcome_unsaved", { sessionKey: row.sessionKey }, cause);
        await pause(diskRetryMs);
      }
    }
    if (to.state === "unknown" || to.state === "abandoned")
      deps.onGivenUp(row, to.state, to.error ?? "");
    bus.emit("messages.changed", { key: row.sessionKey });
    bus.emit("status.changed", {});
  }

  /** Ends early when we stop. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      ending.signal.addEventListener(
        "abort",
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  /** Sends the parts that are not confirmed, in order; stops at the first that is not delivered. */
  async function attempt(channel: Channel, row: ObligationRow, fence: number): Promise<Attempted> {
    const parts = channel.split?.(row.content) ?? [row.content];
    const total = parts.length;
    const target = sessionSourceFromStored(JSON.parse(row.targetJson));
    if (!target.ok) {
      const reason = { kind: "rejected", retryable: false, code: "E_INPUT" } as const;
      return { outcome: { ...reason, reason: target.reason }, partsDone: 0, parts: total };
    }
    // Cut otherwise than before (a setting was changed): the confirmed parts no longer tell what is missing.
    const recut = row.partsDone > 0 && row.partsTotal !== total;
    const from = recut ? 0 : row.partsDone;
    let outcome: SendOutcome = { kind: "delivered", remoteId: null };
    for (let part = from; part < total; part += 1) {
      const labelled = (row.recovered === 1 || recut) && part === from;
      outcome = await sendPart(channel, {
        obligationId: row.obligationId,
        key: row.sessionKey,
        target: target.source,
        text: `${labelled ? recoveredLabel(row.cause ?? "the gateway was restarted") : ""}${parts[part] ?? ""}`,
        kind: row.kind,
        replyTo: row.replyTo,
        idempotencyKey: total === 1 ? row.obligationId : `${row.obligationId}:${part + 1}`,
        recovered: row.recovered === 1,
        part: { number: part + 1, of: total },
      });
      if (outcome.kind !== "delivered") return { outcome, partsDone: part, parts: total };
      if (part + 1 === total) break;
      try {
        await db.write(() => {
          obligations.confirmPart(row.obligationId, fence, part + 1, total);
          failpoint("delivery.part_uncommitted");
        });
      } catch (cause) {
        log.error("delivery.part_unsaved", { sessionKey: row.sessionKey }, cause); // written with the outcome
      }
      failpoint("delivery.part_confirmed");
    }
    return { outcome, partsDone: total, parts: total };
  }

  async function sendPart(
    channel: Channel,
    message: Parameters<Channel["send"]>[0],
  ): Promise<SendOutcome> {
    const timeout = new AbortController();
    const cancel = clock.after(deps.attemptMs, () => {
      timeout.abort();
    });
    const signal = AbortSignal.any([timeout.signal, cutting.signal]);
    const deaf = deafness(signal);
    try {
      return await Promise.race([channel.send(message, signal), deaf.shown]);
    } catch (cause) {
      log.error("channel.send_threw", { channel: channel.id }, cause);
      return { kind: "unknown", reason: "The channel failed while sending." }; // it may have left before that
    } finally {
      cancel();
      deaf.forget();
    }
  }

  /** A channel that does not end its send when it is called off must not keep its lane, or our stop, for ever. */
  function deafness(signal: AbortSignal): { shown: Promise<SendOutcome>; forget(): void } {
    let forget = (): void => undefined;
    const shown = new Promise<SendOutcome>((resolve) => {
      const onAbort = (): void => {
        forget = clock.after(deafMs, () => {
          resolve({
            kind: "unknown",
            reason: "The channel did not end its send when it was told to.",
          });
        });
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
    return {
      shown,
      forget: () => {
        forget();
      },
    };
  }

  return {
    pump,
    /** Everything that is owed and can be sent. */
    pumpAll(): void {
      for (const key of obligations.openLanes()) pump(key);
    },
    /** Whether something of this lane is being sent, or decided, now. */
    isPaying: (key: SessionKey): boolean => busy.has(key),
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
