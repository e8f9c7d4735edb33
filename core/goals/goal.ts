import { SignalboxError } from "../contract/errors.ts";
import type { goalStatuses } from "../contract/calls-journal.ts";

export type GoalStatus = (typeof goalStatuses)[number];

/** What a session works towards; one at a time (state-awareness 11.1). Times are epoch ms. */
export interface Goal {
  sessionKey: string;
  goalId: string;
  objective: string;
  status: GoalStatus;
  note: string | null;
  tokenBudget: number | null;
  /** In the present budget window. */
  tokensUsed: number;
  createdAt: number;
  updatedAt: number;
  completedAt: number | null;
}

export const objectiveLimit = 16_000;
export const noteLimit = 2_000;

/** What may be asked of a goal that exists. */
export type GoalChange =
  | { action: "edit"; objective?: string; tokenBudget?: number | null }
  | { action: "pause" | "resume" | "block" | "complete"; note?: string };

const statusOf = {
  pause: "paused",
  resume: "active",
  block: "blocked",
  complete: "complete",
} as const;

const checkedObjective = (text: string): string => {
  const objective = text.trim();
  if (objective === "" || objective.length > objectiveLimit)
    throw new SignalboxError(
      "E_INPUT",
      `A goal needs an objective of 1 to ${objectiveLimit} characters.`,
      { field: "objective" },
    );
  return objective;
};

/** @throws {SignalboxError} E_CONFLICT where there is a goal, finished ones too: clear it first. E_INPUT for a blank or oversized objective. */
export function begunGoal(
  found: Goal | undefined,
  given: { sessionKey: string; goalId: string; objective: string; tokenBudget: number | null },
  nowMs: number,
): Goal {
  if (found)
    throw new SignalboxError("E_CONFLICT", "goal already exists", { goalId: found.goalId });
  return {
    ...given,
    objective: checkedObjective(given.objective),
    status: "active",
    note: null,
    tokensUsed: 0,
    createdAt: nowMs,
    updatedAt: nowMs,
    completedAt: null,
  };
}

/**
 * The goal after a change; the same object where nothing changes (then nothing is recorded either).
 * @throws {SignalboxError} E_NOT_FOUND without a goal; E_CONFLICT where it is complete.
 */
export function changedGoal(found: Goal | undefined, change: GoalChange, nowMs: number): Goal {
  if (!found) throw new SignalboxError("E_NOT_FOUND", "goal not found");
  if (found.status === "complete" && change.action !== "complete")
    throw new SignalboxError("E_CONFLICT", "goal is already complete", { goalId: found.goalId });
  if (change.action === "edit") {
    const objective =
      change.objective === undefined ? found.objective : checkedObjective(change.objective);
    const tokenBudget = change.tokenBudget === undefined ? found.tokenBudget : change.tokenBudget;
    return objective === found.objective && tokenBudget === found.tokenBudget
      ? found
      : { ...found, objective, tokenBudget, updatedAt: nowMs };
  }
  const status = statusOf[change.action];
  if (status === found.status) return found;
  return {
    ...found,
    status,
    note: change.note === undefined ? found.note : change.note.slice(0, noteLimit),
    tokensUsed: change.action === "resume" ? 0 : found.tokensUsed, // a new budget window
    updatedAt: nowMs,
    completedAt: status === "complete" ? nowMs : null,
  };
}

/** The goal after a turn used tokens: over its budget it waits for a word. */
export function chargedGoal(found: Goal, tokens: number, nowMs: number): Goal {
  if (found.status !== "active" || tokens <= 0) return found;
  const tokensUsed = found.tokensUsed + tokens;
  const over = found.tokenBudget !== null && tokensUsed >= found.tokenBudget;
  return {
    ...found,
    tokensUsed,
    ...(over ? { status: "budget_limited" as const, updatedAt: nowMs } : {}),
  };
}

/** A turn that failed pauses what it worked on; the error is its note, and stays out of the journal. */
export const stalledGoal = (found: Goal, error: string, nowMs: number): Goal =>
  found.status === "active"
    ? { ...found, status: "paused", note: error.slice(0, noteLimit), updatedAt: nowMs }
    : found;

/** How a change reads in the journal, by the surface it came through (11.3). */
export function goalSummary(before: Goal, after: Goal): string {
  if (before.status !== after.status) return `goal status changed to ${after.status}`;
  return "goal objective changed";
}

/** What an agent is told of its session's goal; null where there is none to work on. */
export function goalSection(goal: Goal | undefined): string | null {
  if (!goal || goal.status === "complete") return null;
  const lines = [
    "## Goal of this session",
    `Status: ${goal.status}${goal.tokenBudget === null ? "" : `, ${goal.tokensUsed} of ${goal.tokenBudget} tokens used`}`,
    goal.objective,
    ...(goal.note === null ? [] : [`Note: ${goal.note}`]),
  ];
  return lines.join("\n");
}
