import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { NoticeStore } from "../live/notice-store.ts";
import type { Log } from "../log/log.ts";
import type { Database } from "../state/database.ts";
import { undoMs } from "../turns/lane-acts.ts";
import { droppedBy, tellDropped } from "../turns/tell-dropped.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { giveUpSuspended, tellHeld } from "./apply.ts";

const dayMs = 24 * 3600 * 1000;
/** How long an ended message is remembered, so that a platform's redelivery is recognised, in ms. */
export const inboxKeptMs = 7 * dayMs;
/** How long a command that was never acted on waits for its redelivery, in ms. */
const commandKeptMs = dayMs;
/** Settled deliveries: as long, and at most so many (lifecycle 11.2). */
export const ledgerKeptMs = 7 * dayMs;
export const ledgerKept = 500;
/** Notices (ux.md 8.5), in ms. */
const noticesKeptMs = 30 * dayMs;

/** Rows that one transaction takes out: the thread that serves the window is held for a moment only. */
const batch = 200;
/** First run and pause between runs, in ms (lifecycle 17.1). */
const firstMs = 60_000;
const everyMs = 300_000;

export interface HousekeepingDeps {
  db: Database;
  stores: TurnFinishStores & { notices: NoticeStore };
  clock: Clock;
  log: Log;
  /** `agent.gateway_auto_continue_freshness` in ms; 0 and less = always fresh. */
  freshnessMs(): number;
  /** Tasks of other parts, run after these. */
  more?: readonly HousekeepingTask[];
  /** Something is owed to the lane's chat. */
  deliver(key: SessionKey): void;
}

/** One kind of left-over; `step` takes at most `batch` of them and returns how many it took. */
export interface HousekeepingTask {
  name: string;
  step(nowMs: number): number;
}

/**
 * Forgets what no longer serves anything, in small batches, and tells people whose messages the operator took out once
 * that can no longer be undone. A task that fails never keeps another from running.
 */
export function createHousekeeping(deps: HousekeepingDeps) {
  const { db, clock, log } = deps;
  const { inbox, obligations, notices } = deps.stores;
  let cancel: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();
  let over = false;
  const owed = new Set<SessionKey>(); // lanes in which something is owed since the last delivery

  function tellRemoved(nowMs: number): number {
    const removed = inbox.removedBefore(nowMs - undoMs, batch);
    for (const input of removed) {
      tellDropped({ obligations }, input, droppedBy.remove, nowMs);
      inbox.setOutcome(input.seq, "dropped");
    }
    for (const { sessionKey } of removed) owed.add(sessionKey);
    return removed.length;
  }

  function tellSuspended(nowMs: number): number {
    const keys = inbox.suspendedResumes(nowMs - undoMs, batch);
    for (const key of keys) {
      giveUpSuspended(deps.stores, key, nowMs);
      owed.add(key);
    }
    return keys.length;
  }

  function tellLongHeld(nowMs: number): number {
    const { directory, recovery } = deps.stores;
    const freshnessMs = deps.freshnessMs();
    if (freshnessMs <= 0) return 0;
    const now = { ...clock.machine(), nowMs };
    for (const key of directory.routing.heldKeys()) {
      const row = directory.routing.get(key);
      const markedAt = row?.lastResumeMarkedAt ?? row?.updatedAt ?? nowMs;
      if (recovery.resumeAgeMs(key, markedAt, now) <= freshnessMs) continue;
      tellHeld(deps.stores, key, nowMs);
      owed.add(key);
    }
    return 0;
  }

  const tasks: HousekeepingTask[] = [
    { name: "removed", step: tellRemoved },
    { name: "suspended", step: tellSuspended },
    { name: "held", step: tellLongHeld },
    { name: "inbox", step: (nowMs) => inbox.prune(nowMs - inboxKeptMs, batch) },
    {
      name: "commands",
      step: (nowMs) => inbox.dropStaleCommands(nowMs - commandKeptMs, nowMs, batch),
    },
    { name: "ledger", step: (nowMs) => obligations.prune(nowMs - ledgerKeptMs, batch) },
    { name: "ledger size", step: () => obligations.pruneBeyond(ledgerKept, batch) },
    {
      name: "notices",
      step: (nowMs) => {
        notices.prune(nowMs - noticesKeptMs);
        return 0;
      },
    },
    ...(deps.more ?? []),
  ];

  async function runTask({ name, step }: HousekeepingTask): Promise<void> {
    try {
      let taken: number;
      do taken = await db.write(() => step(clock.nowMs()));
      while (taken === batch && !over);
    } catch (cause) {
      log.warn("housekeeping.failed", { task: name }, cause);
    }
    for (const key of owed) deps.deliver(key);
    owed.clear();
  }

  async function run(): Promise<void> {
    for (const task of tasks) if (!over) await runTask(task);
  }

  function schedule(ms: number): void {
    cancel = clock.after(ms, () => {
      running = run().finally(() => {
        if (!over) schedule(everyMs);
      });
    });
  }

  /** The operator took a message out: its person is told as soon as that can no longer be undone. */
  function afterRemoval(): void {
    clock.after(undoMs + 50, () => {
      if (!over) running = running.then(run);
    });
  }

  return {
    start(): void {
      schedule(firstMs);
      afterRemoval(); // of the time before this start
    },
    /** One run now. */
    run,
    afterRemoval,
    /** Ends after the batch under way. */
    async stop(): Promise<void> {
      over = true;
      cancel?.();
      await running;
    },
  };
}
