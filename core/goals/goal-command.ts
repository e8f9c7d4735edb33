import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import { actedOn } from "../turns/command-once.ts";
import type { Goal, GoalChange } from "./goal.ts";
import type { GoalAct, Goals, GoalResult } from "./goals.ts";

export type GoalWish =
  | { kind: "show" }
  | { kind: "start"; objective: string }
  | { kind: "clear" }
  | { kind: "change"; change: GoalChange };

const usage = "Usage: /goal <text> | edit <text> | pause | resume | complete | block | clear";

/** What `/goal` was asked for (state-awareness 11.2). Free text is an objective. */
export function readGoalWish(text: string): GoalWish | { problem: string } {
  const [first = "", ...others] = text.trim().split(/\s+/);
  const rest = text.trim().slice(first.length).trim();
  const note = rest === "" ? {} : { note: rest };
  const word = first.toLowerCase();
  switch (word) {
    case "":
    case "show":
      return others.length === 0 ? { kind: "show" } : { kind: "start", objective: text.trim() };
    case "start":
    case "set":
    case "create":
      return rest === "" ? { problem: usage } : { kind: "start", objective: rest };
    case "edit":
      return rest === ""
        ? { problem: usage }
        : { kind: "change", change: { action: "edit", objective: rest } };
    case "pause":
    case "resume":
    case "block":
    case "complete":
      return { kind: "change", change: { action: word, ...note } };
    case "blocked":
      return { kind: "change", change: { action: "block", ...note } };
    case "done":
      return { kind: "change", change: { action: "complete", ...note } };
    case "clear":
      return others.length === 0 ? { kind: "clear" } : { kind: "start", objective: text.trim() };
    default:
      return { kind: "start", objective: text.trim() };
  }
}

const byPerson: GoalAct = { actor: { type: "human", id: null }, surface: "words" };

const shown = (goal: Goal | null | undefined): string => {
  if (!goal) return "No goal. /goal <text> sets one.";
  const note = goal.note === null ? "" : `\n${goal.note}`;
  const budget =
    goal.tokenBudget === null ? "" : `, ${goal.tokensUsed} of ${goal.tokenBudget} tokens`;
  return `Goal (${goal.status.replaceAll("_", " ")}${budget}): ${goal.objective}${note}`;
};

export interface GoalCommandDeps {
  db: Database;
  goals: Goals;
  clock: Clock;
  changed(key: SessionKey): void;
}

/** `/goal`, in any chat. @returns the line that answers it. @throws {SignalboxError} what the change refuses. */
export function goalCommand({ db, goals, clock, changed }: GoalCommandDeps) {
  function apply(
    key: SessionKey,
    wish: Exclude<GoalWish, { kind: "show" }>,
    nowMs: number,
  ): GoalResult {
    switch (wish.kind) {
      case "start": {
        const found = goals.get(key);
        if (found)
          throw new SignalboxError(
            "E_CONFLICT",
            `${shown(found)}\nThis session has a goal already: /goal edit changes it, /goal clear removes it.`,
          );
        return goals.start(key, { objective: wish.objective, tokenBudget: null }, byPerson, nowMs);
      }
      case "clear":
        return goals.clear(key, null, byPerson, nowMs);
      case "change":
        return goals.update(key, null, wish.change, byPerson, nowMs);
    }
  }

  return async (key: SessionKey, text: string): Promise<string> => {
    const wish = readGoalWish(text);
    if ("problem" in wish) return wish.problem;
    if (wish.kind === "show") return shown(goals.get(key));
    const acted = actedOn();
    const { goal } = await db.write(() => {
      const done = apply(key, wish, clock.nowMs());
      acted?.();
      return done;
    });
    changed(key);
    return goal === null ? "The goal was removed." : shown(goal);
  };
}
