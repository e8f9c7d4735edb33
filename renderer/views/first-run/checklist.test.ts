import { describe, expect, test } from "vitest";
import { fakeWorld } from "../../bridge/fake/fake-world.ts";
import { isShown, nothingKept, readKept, stepStates, type Kept } from "./checklist.ts";

const world = fakeWorld({ sessions: 0, nowMs: 0 });
const fresh = {
  channels: world.channels
    .filter(({ kind }) => kind === "local" || kind === "simulator")
    .map((row) => ({ ...row, messagesIn: 0 })),
  agents: world.agents
    .filter(({ id }) => id === "practice")
    .map((row) => ({ ...row, isDefault: true })),
};
const kept = (said: Kept["said"], dismissed = false): Kept => ({ said, dismissed });

describe("how far each step is", () => {
  test("on a fresh gateway everything is open", () => {
    expect(stepStates(nothingKept, fresh)).toEqual({
      data: "open",
      channel: "open",
      agent: "open",
      test: "open",
    });
  });

  test("a webhook and a model server that answers are seen", () => {
    expect(stepStates(nothingKept, world)).toMatchObject({ channel: "done", agent: "done" });
  });

  test("what the operator said outranks what is seen", () => {
    expect(stepStates(kept({ agent: "skipped" }), world)).toMatchObject({ agent: "skipped" });
  });
});

describe("whether it is on the Overview", () => {
  const open = stepStates(nothingKept, fresh);
  const complete = stepStates(
    kept({ data: "done", channel: "done", agent: "skipped", test: "done" }),
    fresh,
  );
  test.each([
    { kept: nothingKept, states: open, answered: false, shown: true, when: "fresh" },
    { kept: nothingKept, states: open, answered: true, shown: false, when: "long in use" },
    { kept: kept({ data: "done" }), states: open, answered: true, shown: true, when: "begun" },
    { kept: kept({}, true), states: open, answered: false, shown: false, when: "put away" },
    { kept: nothingKept, states: complete, answered: false, shown: false, when: "complete" },
  ])("$when: $shown", ({ kept: what, states, answered, shown }) => {
    expect(isShown(what, states, answered)).toBe(shown);
  });
});

test.each([
  [null, nothingKept],
  ["{", nothingKept],
  ["7", nothingKept],
  [`{"said":{"data":"done","test":"maybe","x":"done"},"dismissed":1}`, kept({ data: "done" })],
  [`{"said":null,"dismissed":true}`, kept({}, true)],
])("%s is read as %j", (text, read) => {
  expect(readKept(text)).toEqual(read);
});
