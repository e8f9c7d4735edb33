import { randomBytes } from "node:crypto";
import { SignalboxError } from "../contract/errors.ts";
import type { Actor } from "../journal/actor.ts";
import { systemActor } from "../journal/actor.ts";
import type { Journal } from "../journal/journal.ts";
import type { ParentageStore } from "../journal/parentage-store.ts";
import { goalChanged } from "../journal/producers.ts";
import type { Chain } from "../journal/relay.ts";
import { begunGoal, changedGoal, chargedGoal, goalSummary, stalledGoal } from "./goal.ts";
import type { Goal, GoalChange } from "./goal.ts";
import type { GoalStore } from "./goal-store.ts";

export interface GoalDeps {
  store: GoalStore;
  journal: Journal;
  parentage: ParentageStore;
}

/** Who changes a goal and through what: commands and tools name the result, the panel names the action (11.3). */
export interface GoalAct {
  actor: Actor;
  surface: "words" | "panel";
  chain?: Chain | null;
}

/** Repetition of an operation of the panel or a script. */
export interface GoalOperation {
  operationId: string;
  issuedAtMs: number;
}

export interface GoalResult {
  goal: Goal | null;
  changed: boolean;
}

const receiptMs = 86_400_000;
const aheadMs = 300_000;
const receiptCap = 4_096;

export type Goals = ReturnType<typeof createGoals>;

/** Goals of sessions and the signals of their changes (state-awareness 11). Part of the caller's transaction. */
export function createGoals({ store, journal, parentage }: GoalDeps) {
  function tell(key: string, summary: string, act: GoalAct, nowMs: number): void {
    journal.record(
      goalChanged(
        { sessionKey: key },
        {
          actor: act.actor,
          summary,
          lineage: parentage.get(key),
          chain: act.chain ?? null,
        },
      ),
      nowMs,
    );
  }

  function keep(
    before: Goal,
    after: Goal,
    act: GoalAct,
    action: string,
    nowMs: number,
  ): GoalResult {
    if (after === before) return { goal: before, changed: false };
    store.put(after);
    tell(
      after.sessionKey,
      act.surface === "panel" ? `goal ${action}` : goalSummary(before, after),
      act,
      nowMs,
    );
    return { goal: after, changed: true };
  }

  const bySystem: GoalAct = { actor: systemActor, surface: "words" };

  function clear(key: string, goalId: string | null, act: GoalAct, nowMs: number): GoalResult {
    const found = store.get(key);
    if (!found || (goalId !== null && found.goalId !== goalId))
      throw new SignalboxError("E_NOT_FOUND", "goal not found", { key });
    store.drop(key);
    tell(key, act.surface === "panel" ? "goal clear" : "goal cleared", act, nowMs);
    return { goal: null, changed: true };
  }

  return {
    get: (key: string): Goal | undefined => store.get(key),

    /** @throws {SignalboxError} as `begunGoal`. */
    start(
      key: string,
      given: { objective: string; tokenBudget: number | null },
      act: GoalAct,
      nowMs: number,
    ): GoalResult {
      const goalId = randomBytes(8).toString("hex");
      const goal = begunGoal(store.get(key), { sessionKey: key, goalId, ...given }, nowMs);
      store.put(goal);
      tell(key, act.surface === "panel" ? "goal start" : "goal created", act, nowMs);
      return { goal, changed: true };
    },

    /**
     * @param goalId Null: whatever goal it has now; a stale id never touches another goal.
     * @throws {SignalboxError} as `changedGoal`.
     */
    update(
      key: string,
      goalId: string | null,
      change: GoalChange,
      act: GoalAct,
      nowMs: number,
    ): GoalResult {
      const found = store.get(key);
      const meant = goalId === null || found?.goalId === goalId ? found : undefined;
      const after = changedGoal(meant, change, nowMs);
      return meant
        ? keep(meant, after, act, change.action, nowMs)
        : { goal: after, changed: false };
    },

    /** @throws {SignalboxError} E_NOT_FOUND where there is none, or another. */
    clear,

    /** A boundary takes the goal along; its end is a signal like any other (3.3). */
    clearAtBoundary(key: string, actor: Actor, nowMs: number): void {
      if (store.get(key)) clear(key, null, { actor, surface: "words" }, nowMs);
    },

    /** What a turn used counts against the budget; reaching it is a signal. */
    charge(key: string, tokens: number, nowMs: number): void {
      const found = store.get(key);
      if (!found) return;
      const after = chargedGoal(found, tokens, nowMs);
      if (after === found) return;
      if (after.status === found.status) store.put(after);
      else keep(found, after, bySystem, "", nowMs);
    },

    /** A turn failed: an active goal is paused, with the error as its note. */
    stall(key: string, error: string, nowMs: number): void {
      const found = store.get(key);
      if (found) keep(found, stalledGoal(found, error, nowMs), bySystem, "", nowMs);
    },

    /**
     * Runs an operation once: its repetition gets the first answer (11.2).
     * @throws {SignalboxError} E_CONFLICT where the id was used for another request; E_INPUT for a time too far ahead;
     *   E_QUEUE_FULL above 4,096 operations a day of one session.
     */
    once(
      key: string,
      operation: GoalOperation | null,
      request: unknown,
      nowMs: number,
      work: () => GoalResult,
    ): GoalResult & { replayed: boolean } {
      if (operation === null) return { ...work(), replayed: false };
      const { operationId, issuedAtMs } = operation;
      if (issuedAtMs > nowMs + aheadMs)
        throw new SignalboxError("E_INPUT", "The operation comes from the future.", {
          field: "issuedAtMs",
        });
      store.forgetReceipts(nowMs - receiptMs);
      const text = JSON.stringify(request);
      const kept = store.receipt(key, operationId);
      if (kept && kept.request !== text)
        throw new SignalboxError("E_CONFLICT", "This operation id was used for another request.", {
          operationId,
        });
      if (kept) return { ...(JSON.parse(kept.resultJson) as GoalResult), replayed: true };
      if (store.liveReceipts(key, nowMs - receiptMs) >= receiptCap)
        throw new SignalboxError("E_QUEUE_FULL", "Too many operations on this goal today.", {
          key,
        });
      const result = work();
      store.keepReceipt(key, operationId, {
        request: text,
        resultJson: JSON.stringify(result),
        issuedAt: issuedAtMs,
      });
      return { ...result, replayed: false };
    },
  };
}
