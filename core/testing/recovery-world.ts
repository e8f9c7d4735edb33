import type { SendOutcome } from "../channels/channel.ts";
import { openStores } from "../compose/stores.ts";
import type { SessionKey } from "../contract/ids.ts";
import { decideAfterSend } from "../delivery/after-send.ts";
import type { ObligationRow } from "../delivery/obligation-store.ts";
import { recoveredLabel } from "../delivery/boot-sweep.ts";
import type { UnknownPolicy } from "../delivery/boot-sweep.ts";
import { containedIn, recoverBoot } from "../recovery/boot.ts";
import type { StoredReport } from "../recovery/boot.ts";
import { recover } from "../recovery/recover.ts";
import { createIntake } from "../turns/intake.ts";
import type { InboundKind } from "../turns/inbox-store.ts";
import { createSessionClaims } from "../turns/session-claim.ts";
import { finishTurn } from "../turns/turn-finish.ts";
import { createTurnLeases } from "../turns/turn-lease.ts";
import type { Segment, TurnResult } from "../turns/turn-result.ts";
import { startNextTurn } from "../turns/turn-start.ts";
import type { StartedTurn } from "../turns/turn-start.ts";
import { manualClock } from "./manual-clock.ts";
import { defaultRules, dmSource, inbound, keyOf } from "./samples.ts";
import { testDatabase } from "./test-database.ts";
import { testBus } from "./test-intake.ts";

/** What a person has before them. */
export interface Copy {
  replyTo: string | null;
  kind: "reply" | "notice";
  text: string;
  obligation: string;
}

export interface WorldOptions {
  policy?: UnknownPolicy;
  idempotent?: boolean;
  maxRestarts?: number;
}

/**
 * Stores, an inbox and a platform, and every step between them by hand: what a gateway does in one transaction is one call
 * here, so that a crash can be put between any two. Nothing runs by itself.
 */
export function recoveryWorld(options: WorldOptions = {}) {
  const { policy = "redeliver", idempotent = false, maxRestarts = 0 } = options;
  const clock = manualClock();
  const db = testDatabase();
  const stores = { db, ...openStores(db, clock) };
  const { directory, inbox, obligations, boots } = stores;
  const staleMs = 24 * 3_600_000;
  const heard: Copy[] = [];
  let booted = 0;
  const leases = createTurnLeases(clock, () => 0);
  const claims = createSessionClaims({
    db,
    stores,
    leases,
    clock,
    readsTranscript: () => false,
    onWakeDropped: () => undefined,
    onRefused: () => undefined,
  });
  const intake = createIntake({
    db,
    directory,
    inbox,
    bus: testBus(),
    clock,
    keyRules: () => defaultRules,
    burst: () => ({ gapMs: -1, capMs: -1 }),
    wake: () => undefined,
    command: () => Promise.resolve(null),
    onBusy: () => undefined,
    onAccepted: () => undefined,
  });
  const now = () => ({ ...clock.machine(), nowMs: clock.nowMs() });
  const settings = {
    maxAgeMs: 3_600_000,
    freshnessMs: 3_600_000,
    delivery: () => ({ policy, staleMs, idempotent }),
  };

  function result(part: Partial<TurnResult> & { text?: string }): TurnResult {
    const { text, ...rest } = part;
    const segments: Segment[] = text === undefined ? [] : [{ kind: "text", text }];
    return {
      outcome: "completed",
      segments,
      usage: null,
      model: null,
      finish: null,
      error: null,
      because: null,
      tell: false,
      ...rest,
    };
  }

  const world = {
    clock,
    db,
    stores,
    heard,
    key: (chat: string): SessionKey => keyOf(dmSource(chat)),

    /** A person's message is accepted; its id is its text. */
    accept: (chat: string, text: string, kind: InboundKind = "message") =>
      intake.accept(inbound(text, { source: dmSource(chat), messageId: text }), kind),

    /** The lane's next turn begins; null where nothing is next up. */
    async start(chat: string): Promise<StartedTurn | null> {
      const key = world.key(chat);
      const claim = await claims.claim(key);
      if (!claim) return null;
      try {
        return await db.write(() =>
          claim.fits()
            ? startNextTurn(stores, key, {
                bootId: `boot ${booted}`,
                nowMs: clock.nowMs(),
                machine: clock.machine(),
                chooseAgent: () => "practice",
                shownText: ({ text }) => text,
              })
            : null,
        );
      } finally {
        claim.release();
      }
    },

    /** A turn ends; it answers with `re <text>` unless something else is said. */
    finish: (turn: StartedTurn, part: Partial<TurnResult> & { text?: string } = {}) =>
      db.write(() =>
        finishTurn(
          stores,
          turn,
          result({ text: `re ${turn.message.replyTo ?? turn.message.text}`, ...part }),
          {
            nowMs: clock.nowMs(),
            transcriptIsDelivery: false,
            autonomousLane: false,
          },
        ),
      ),

    /** The attempt at what the lane owes first is on disk. */
    async attempt(chat: string): Promise<{ row: ObligationRow; fence: number } | null> {
      const row = obligations.next(world.key(chat));
      if (!row || row.state === "attempting") return null;
      const fence = await db.write(() =>
        obligations.attempt(row, { bootId: `boot ${booted}`, pid: 1 }, clock.nowMs()),
      );
      return fence === null ? null : { row, fence };
    },

    /** The platform has it. */
    arrive({ row }: { row: ObligationRow }): void {
      if (idempotent && heard.some((copy) => copy.obligation === row.obligationId)) return;
      const label = row.recovered === 1 ? recoveredLabel(row.cause ?? "") : "";
      heard.push({
        replyTo: row.replyTo,
        kind: row.kind,
        text: `${label}${row.content}`,
        obligation: row.obligationId,
      });
    },

    /** The attempt's outcome is on disk. */
    record: ({ row, fence }: { row: ObligationRow; fence: number }, outcome: SendOutcome) =>
      db.write(() => {
        const { waitMs: _wait, ...to } = decideAfterSend({
          attempts: row.attempts + 1,
          outcome,
          idempotent,
          policy,
          recovered: row.recovered === 1,
          ageMs: 0,
          staleMs,
          retryMs: 1,
        });
        obligations.settle(row.obligationId, fence, to, clock.nowMs());
      }),

    /** Sends what the lane owes, each confirmed. */
    async deliver(chat: string): Promise<void> {
      for (let sent = await world.attempt(chat); sent; sent = await world.attempt(chat)) {
        world.arrive(sent);
        await world.record(sent, { kind: "delivered", remoteId: null });
      }
    },

    /** Whatever was under way is gone, and the gateway starts. */
    boot(part: { clean?: boolean; onUnreadable?: (key: SessionKey) => void } = {}): StoredReport {
      booted += 1;
      const bootId = `boot ${booted}`;
      boots.begin({ bootId, startedAtMs: clock.nowMs(), version: "test", host: "embedded" }, false);
      return recoverBoot(db, stores, {
        bootId,
        now: now(),
        previousExit: "unclean",
        settings: { ...settings, clean: part.clean === true },
        breaker: { maxRestarts, windowMs: 60_000, maxGapMs: 300_000 },
        onUnreadable: part.onUnreadable ?? (() => undefined),
      });
    },

    /** What a person's `recovery.run` does while the gateway runs. */
    recoverNow: (part: { isPaying?: (key: SessionKey) => boolean; apply?: boolean } = {}) =>
      db.write(() =>
        recover(
          stores,
          now(),
          { ...settings, clean: false, breakerTripped: false },
          {
            keys: null,
            isBusy: () => false,
            isPaying: part.isPaying ?? (() => false),
            apply: part.apply ?? true,
            contain: containedIn(db, () => undefined),
          },
        ),
      ),

    /** Everything that waits is answered and delivered. */
    async settle(...chats: string[]): Promise<void> {
      for (const chat of chats) {
        for (let turn = await world.start(chat); turn; turn = await world.start(chat))
          await world.finish(turn);
        await world.deliver(chat);
      }
    },

    texts: (): string[] => heard.map(({ text }) => text),
  };
  return world;
}

export type RecoveryWorld = ReturnType<typeof recoveryWorld>;
