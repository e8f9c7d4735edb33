import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sessionStates } from "../contract/domain.ts";
import { deriveState, nextMessageFate } from "./session-state.ts";
import type { StateFacts } from "./session-state.ts";

const rest: StateFacts = {
  suspended: false,
  suspendReason: null,
  resumePending: false,
  turnActive: false,
  queueDepth: 0,
  errorCode: null,
  waitsForPerson: false,
};

/** What alone brings each state about, in the order of precedence. */
const alone: Record<(typeof sessionStates)[number], Partial<StateFacts>> = {
  stuck: { suspended: true, suspendReason: "stuck_loop" },
  failed: { errorCode: "E_AGENT_DOWN" },
  waiting: { waitsForPerson: true },
  suspended: { suspended: true, suspendReason: "operator" },
  running: { turnActive: true },
  queued: { queueDepth: 2 },
  resume_pending: { resumePending: true },
  idle: {},
};

describe("the state shown", () => {
  test.each(sessionStates.map((state) => [state, alone[state]] as const))(
    "%s by itself",
    (state, facts) => {
      expect(deriveState({ ...rest, ...facts })).toBe(state);
    },
  );

  test.each([
    [
      "a failure of the turn before is old news while a turn runs",
      { errorCode: "E", turnActive: true },
      "running",
    ],
    ["a failure outranks a plain suspension", { errorCode: "E", suspended: true }, "failed"],
    ["a stuck loop outranks its own failure", { errorCode: "E", ...alone.stuck }, "stuck"],
    [
      "a turn that runs in a suspended lane is the last one",
      { suspended: true, turnActive: true },
      "suspended",
    ],
    ["waiting work outranks an interrupted turn", { queueDepth: 1, resumePending: true }, "queued"],
  ] as const)("%s", (_, facts, state) => {
    expect(deriveState({ ...rest, ...facts })).toBe(state);
  });

  test("the first that holds wins, whatever else holds", () => {
    const facts = fc.record({
      suspended: fc.boolean(),
      suspendReason: fc.constantFrom(null, "stuck_loop", "operator"),
      resumePending: fc.boolean(),
      turnActive: fc.boolean(),
      queueDepth: fc.nat(3),
      errorCode: fc.constantFrom(null, "E_AGENT_DOWN"),
      waitsForPerson: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const holds = {
          stuck: given.suspended && given.suspendReason === "stuck_loop",
          failed: given.errorCode !== null && !given.turnActive,
          waiting: given.waitsForPerson,
          suspended: given.suspended,
          running: given.turnActive,
          queued: given.queueDepth > 0,
          resume_pending: given.resumePending,
          idle: true,
        };
        expect(deriveState(given)).toBe(sessionStates.find((state) => holds[state]));
      }),
    );
  });
});

describe("what the next message will do (lifecycle 3.3)", () => {
  test.each([
    [{ suspended: true, suspendReason: null, resumePending: true }, "start_fresh", "suspended"],
    [
      { suspended: true, suspendReason: "stuck_loop", resumePending: false },
      "start_fresh",
      "suspended as a stuck loop",
    ],
    [
      { suspended: false, suspendReason: null, resumePending: true },
      "continue_interrupted",
      "the last turn was interrupted",
    ],
    [{ suspended: false, suspendReason: null, resumePending: false }, "continue", null],
  ] as const)("%j: %s", (facts, fate, because) => {
    expect(nextMessageFate(facts)).toEqual({ fate, because });
  });
});
