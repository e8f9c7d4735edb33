import { z } from "zod";
import { toWire } from "../contract/errors.ts";
import type { Goal } from "../goals/goal.ts";
import { noteLimit, objectiveLimit } from "../goals/goal.ts";
import type { GoalAct } from "../goals/goals.ts";
import { refused, tool, ToolInputError } from "./tool.ts";
import type { Requester, Tool, ToolAnswer } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

const sessionKey = z
  .string()
  .max(2048)
  .optional()
  .describe("The session whose goal it is; default the calling one.");

const actions = {
  active: "resume",
  paused: "pause",
  blocked: "block",
  complete: "complete",
} as const;

const shownGoal = (goal: Goal | null | undefined): Record<string, unknown> | null =>
  goal
    ? {
        goalId: goal.goalId,
        objective: goal.objective,
        status: goal.status,
        note: goal.note,
        tokenBudget: goal.tokenBudget,
        tokensUsed: goal.tokensUsed,
        updatedAt: goal.updatedAt,
      }
    : null;

/** `goal_set` and `goal_clear` (state-awareness 11.2). */
export function goalTools(deps: ToolDeps): Tool[] {
  const { db, goals, finder, clock, journal } = deps;

  const actOf = (requester: Requester): GoalAct => ({
    actor: { type: "agent", id: requester.key },
    surface: "words",
    chain: requester.chain(),
  });

  async function change(
    requester: Requester,
    given: string | undefined,
    work: (key: string, nowMs: number) => { goal: Goal | null; changed: boolean },
  ): Promise<ToolAnswer> {
    let key: string;
    try {
      key = finder.mustFind(requester.key, given ?? "current").sessionKey;
    } catch (cause) {
      return refused("forbidden", toWire(cause).message);
    }
    try {
      const { goal, changed } = await db.write(() => work(key, clock.nowMs()));
      deps.changed(key);
      const target = { key, agentId: finder.agentOf(key) };
      return {
        result: {
          status: "ok",
          sessionKey: key,
          changed,
          goal: shownGoal(goal),
          stateVersion: journal.version(target),
        },
      };
    } catch (cause) {
      return refused("error", toWire(cause).message);
    }
  }

  const set = tool({
    name: "goal_set",
    title: "Set a goal",
    description:
      "Gives a session a goal (objective), or changes the one it has: its objective, its status (active, paused, blocked, complete), a note, a token budget. A complete goal has to be cleared before another begins.",
    input: z.object({
      sessionKey,
      objective: z.string().min(1).max(objectiveLimit).optional(),
      status: z.enum(["active", "paused", "blocked", "complete"]).optional(),
      note: z.string().max(noteLimit).optional(),
      tokenBudget: z.number().int().positive().optional(),
    }),
    run(requester, args) {
      const { objective, status, note, tokenBudget } = args;
      if (objective === undefined && status === undefined && tokenBudget === undefined)
        throw new ToolInputError("objective, status or tokenBudget is required");
      return change(requester, args.sessionKey, (key, nowMs) => {
        const act = actOf(requester);
        const found = goals.get(key);
        let done: { goal: Goal | null; changed: boolean } = { goal: found ?? null, changed: false };
        if (!found && objective !== undefined)
          done = goals.start(key, { objective, tokenBudget: tokenBudget ?? null }, act, nowMs);
        else if (objective !== undefined || tokenBudget !== undefined)
          done = goals.update(
            key,
            null,
            {
              action: "edit",
              ...(objective === undefined ? {} : { objective }),
              ...(tokenBudget === undefined ? {} : { tokenBudget }),
            },
            act,
            nowMs,
          );
        if (status === undefined || (status === "active" && done.goal?.status === "active"))
          return done;
        const then = goals.update(
          key,
          null,
          { action: actions[status], ...(note === undefined ? {} : { note }) },
          act,
          nowMs,
        );
        return { goal: then.goal, changed: done.changed || then.changed };
      });
    },
  });

  const clear = tool({
    name: "goal_clear",
    title: "Clear a goal",
    description: "Removes the goal of a session.",
    input: z.object({ sessionKey }),
    run: (requester, args) =>
      change(requester, args.sessionKey, (key, nowMs) =>
        goals.clear(key, null, actOf(requester), nowMs),
      ),
  });

  return [set, clear];
}
