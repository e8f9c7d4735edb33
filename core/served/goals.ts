import type { ChildRuns } from "../agents/delegations/child-runs.ts";
import type { ChildRunStore } from "../agents/delegations/child-run-store.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { GoalChange } from "../goals/goal.ts";
import type { GoalAct, Goals, GoalResult } from "../goals/goals.ts";
import type { RoutingStore } from "../sessions/routing-store.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import type { JournalView } from "./journal-view.ts";
import type { Served } from "./served.ts";

export interface GoalServedDeps {
  db: Database;
  goals: Goals;
  routing: RoutingStore;
  childRuns: ChildRuns;
  childRunStore: ChildRunStore;
  acts: ActStore;
  view: JournalView;
  clock: Clock;
  changed(key: SessionKey): void;
}

interface Operation {
  key: SessionKey;
  operationId?: string | undefined;
  issuedAtMs?: number | undefined;
}

/** The operator, by whichever door (state-awareness 11.3). */
const byOperator: GoalAct = { actor: { type: "human", id: "operator" }, surface: "panel" };

/** The calls `goals.*` and `children.*`. */
export function servedGoals(deps: GoalServedDeps) {
  const { db, goals, routing, childRuns, view, clock } = deps;

  const known = (key: SessionKey): void => {
    if (!routing.get(key))
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
        field: "key",
        key,
      });
  };

  async function change(input: Operation, request: unknown, work: (nowMs: number) => GoalResult) {
    known(input.key);
    const done = await db.write(() => {
      const nowMs = clock.nowMs();
      const operation =
        input.operationId === undefined
          ? null
          : { operationId: input.operationId, issuedAtMs: input.issuedAtMs ?? nowMs };
      return goals.once(input.key, operation, request, nowMs, () => work(nowMs));
    });
    if (done.changed && !done.replayed) deps.changed(input.key);
    return { goal: view.goal(done.goal), changed: done.changed, replayed: done.replayed };
  }

  return {
    "goals.get": async ({ key }) => ({ goal: view.goal(goals.get(key)) }),
    "goals.start": async (input) => {
      const { key, objective, tokenBudget } = input;
      const given = { objective, tokenBudget: tokenBudget ?? null };
      return change(input, ["start", given], (nowMs) => goals.start(key, given, byOperator, nowMs));
    },
    "goals.update": async (input) => {
      const { key, goalId, action, objective, note, tokenBudget } = input;
      const wanted: GoalChange =
        action === "edit"
          ? {
              action,
              ...(objective === undefined ? {} : { objective }),
              ...(tokenBudget === undefined ? {} : { tokenBudget }),
            }
          : { action, ...(note === undefined ? {} : { note }) };
      return change(input, ["update", goalId, wanted], (nowMs) =>
        goals.update(key, goalId, wanted, byOperator, nowMs),
      );
    },
    "goals.clear": async (input) =>
      change(input, ["clear", input.goalId ?? null], (nowMs) =>
        goals.clear(input.key, input.goalId ?? null, byOperator, nowMs),
      ),

    "children.list": async ({ key, open, before, limit }) => {
      const most = limit ?? 50;
      const runs = deps.childRunStore.list({
        key: key ?? null,
        open: open === true,
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: most,
      });
      return {
        children: runs.map((run) => view.child(run)),
        nextBefore: runs.length === most ? (runs.at(-1)?.createdAt ?? null) : null,
      };
    },
    "children.spawn": async ({ key, task, label, timeoutSeconds }, { actor }) => {
      known(key);
      const run = await db.write(() => {
        const nowMs = clock.nowMs();
        const begun = childRuns.begin(
          {
            requester: key,
            task,
            label: label === undefined || label === "" ? null : label,
            timeoutMs: timeoutSeconds === undefined ? null : timeoutSeconds * 1000,
            chain: null,
            into: null,
          },
          nowMs,
        );
        deps.acts.record({
          at: nowMs,
          actor,
          act: "spawn",
          sessionKey: key,
          summary: `Child run ${begun.runId}.`,
        });
        return begun;
      });
      childRuns.begun(run);
      return { run: view.child(run) };
    },
    "children.cancel": async ({ runId }, { actor }) => {
      const run = deps.childRunStore.get(runId);
      if (!run)
        throw new SignalboxError("E_NOT_FOUND", "There is no child run with this id.", {
          field: "runId",
        });
      const changed = await childRuns.stop(runId, "Cancelled.");
      if (changed)
        await db.write(() => {
          deps.acts.record({
            at: clock.nowMs(),
            actor,
            act: "cancel-child",
            sessionKey: run.childKey,
            summary: `Child run ${runId}.`,
          });
        });
      return { changed };
    },
  } satisfies Partial<Served>;
}
