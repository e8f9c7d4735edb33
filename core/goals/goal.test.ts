import { describe, expect, test } from "vitest";
import { testStores } from "../testing/test-database.ts";
import { refused } from "../testing/refused.ts";
import type { GoalAct } from "./goals.ts";
import { readGoalWish } from "./goal-command.ts";

const key = "agent:main:subagent:worker";
const parent = "agent:main:main";
const byPerson: GoalAct = { actor: { type: "human", id: null }, surface: "words" };
const byPanel: GoalAct = { actor: { type: "human", id: "operator" }, surface: "panel" };
const start = { objective: "All points tested.\nTwice.", tokenBudget: null };

function world() {
  const stores = testStores();
  stores.parentage.put(key, { spawnedBy: parent, parent: null }, 1);
  const summaries = (): string[] =>
    stores.journal.changesSince({ key, agentId: "main" }, 0).events.map((event) => event.summary);
  return { ...stores, summaries };
}

describe("changes of a goal and their signals (state-awareness 11)", () => {
  test("each change is one signal that tells the parent, and none holds a word of the goal", () => {
    const { goals, journal, summaries } = world();
    const { goal } = goals.start(key, start, byPerson, 10);
    goals.update(key, null, { action: "pause" }, byPerson, 11);
    goals.update(key, null, { action: "pause" }, byPerson, 12); // the same status again
    goals.update(key, null, { action: "resume" }, byPerson, 13);
    goals.update(key, null, { action: "edit", objective: "All signals tested." }, byPerson, 14);
    goals.update(key, goal?.goalId ?? "", { action: "complete" }, byPerson, 15);
    goals.clear(key, null, byPerson, 16);
    expect(summaries()).toEqual([
      "goal created",
      "goal status changed to paused",
      "goal status changed to active",
      "goal objective changed",
      "goal status changed to complete",
      "goal cleared",
    ]);
    expect(JSON.stringify(journal.events.past(0, 100))).not.toContain("tested");
    expect(journal.lines.waiting(parent)).toHaveLength(1);
  });

  test("through the panel the action is named", () => {
    const { goals, summaries } = world();
    goals.start(key, start, byPanel, 10);
    goals.update(key, null, { action: "block", note: "no key" }, byPanel, 11);
    goals.clear(key, null, byPanel, 12);
    expect(summaries()).toEqual(["goal start", "goal block", "goal clear"]);
  });

  test("one at a time; a finished one is cleared first; a stale id touches nothing", () => {
    const { goals } = world();
    expect(() => goals.update(key, null, { action: "pause" }, byPerson, 9)).toThrow(
      refused("E_NOT_FOUND"),
    );
    const first = goals.start(key, start, byPerson, 10).goal;
    expect(() => goals.start(key, start, byPerson, 11)).toThrow("goal already exists");
    goals.update(key, null, { action: "complete" }, byPerson, 12);
    expect(() => goals.update(key, null, { action: "resume" }, byPerson, 13)).toThrow(
      "goal is already complete",
    );
    goals.clear(key, null, byPerson, 14);
    goals.start(key, start, byPerson, 15);
    expect(() => goals.clear(key, first?.goalId ?? "", byPerson, 16)).toThrow("goal not found");
    expect(() => goals.update(key, first?.goalId ?? "", { action: "pause" }, byPerson, 16)).toThrow(
      "goal not found",
    );
  });

  test("a budget that is used up, and a turn that failed, are the system's signals", () => {
    const { goals, journal, summaries } = world();
    goals.start(key, { ...start, tokenBudget: 100 }, byPerson, 10);
    goals.charge(key, 60, 11);
    expect(goals.get(key)).toMatchObject({ tokensUsed: 60, status: "active" });
    goals.charge(key, 60, 12);
    expect(goals.get(key)).toMatchObject({ status: "budget_limited" });
    goals.update(key, null, { action: "resume" }, byPerson, 13);
    expect(goals.get(key)).toMatchObject({ tokensUsed: 0, status: "active" });
    goals.stall(key, "The server is down.", 14);
    expect(goals.get(key)).toMatchObject({ status: "paused", note: "The server is down." });
    expect(summaries()).toEqual([
      "goal created",
      "goal status changed to budget_limited",
      "goal status changed to active",
      "goal status changed to paused",
    ]);
    const last = journal.changesSince({ key, agentId: "main" }, 0).events.at(-1);
    expect(last?.actor).toEqual({ type: "system", id: null });
  });

  test("the same operation again gets the first answer; the same id for another one is refused", () => {
    const { goals, summaries } = world();
    const begin = () => goals.start(key, start, byPanel, 10);
    const once = (request: unknown, work: () => ReturnType<typeof begin>, issuedAtMs = 10) =>
      goals.once(key, { operationId: "op-1", issuedAtMs }, request, 10, work);
    const first = once("start", begin);
    expect(once("start", begin)).toEqual({ ...first, replayed: true });
    expect(() => once("clear", begin)).toThrow(refused("E_CONFLICT"));
    expect(() =>
      goals.once(key, { operationId: "op-2", issuedAtMs: 400_000 }, "x", 10, begin),
    ).toThrow(refused("E_INPUT", { field: "issuedAtMs" }));
    expect(summaries()).toEqual(["goal start"]);
  });
});

test.each([
  ["", { kind: "show" }],
  ["show", { kind: "show" }],
  ["set find the fault", { kind: "start", objective: "find the fault" }],
  ["find the fault", { kind: "start", objective: "find the fault" }],
  ["edit find both", { kind: "change", change: { action: "edit", objective: "find both" } }],
  ["done", { kind: "change", change: { action: "complete" } }],
  ["blocked no key", { kind: "change", change: { action: "block", note: "no key" } }],
  ["clear", { kind: "clear" }],
  ["clear the line", { kind: "start", objective: "clear the line" }],
  ["edit", { problem: expect.stringContaining("Usage") as string }],
])("/goal %s", (text, wish) => {
  expect(readGoalWish(text)).toEqual(wish);
});
