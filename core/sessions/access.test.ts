import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId } from "../contract/ids.ts";
import { decideAccess } from "./access.ts";
import type { Access, AccessQuestion } from "./access.ts";

const a = asSessionId("a");
const b = asSessionId("b");
const entry = { sessionId: a, suspended: false, resumePending: false, lastPromptTokens: 0 };
const open = { tip: a, tipEnded: false };
const ended = { tip: a, tipEnded: true };
const compressed = { tip: b, tipEnded: false };
const usual: AccessQuestion = { entry, route: open, forceNew: false, touchActivity: true };

describe("what the next message does (lifecycle 3.3)", () => {
  test.each<[string, Partial<AccessQuestion>, Access]>([
    ["0 forced", { forceNew: true }, { kind: "create", retires: a }],
    [
      "0 forced, nothing there",
      { forceNew: true, entry: null, route: null },
      { kind: "create", retires: null },
    ],
    [
      "1 no entry",
      { entry: null, route: null },
      { kind: "recover-or-create", because: "no-entry", drops: null },
    ],
    [
      "2 suspended",
      { entry: { ...entry, suspended: true, lastPromptTokens: 3 } },
      { kind: "replace-suspended", retires: a, hadActivity: true },
    ],
    [
      "2 outranks 3",
      { entry: { ...entry, suspended: true }, route: ended },
      { kind: "replace-suspended", retires: a, hadActivity: false },
    ],
    [
      "2 outranks 4",
      { entry: { ...entry, suspended: true, resumePending: true } },
      { kind: "replace-suspended", retires: a, hadActivity: false },
    ],
    [
      "3 stale route",
      { route: ended },
      { kind: "recover-or-create", because: "stale-route", drops: a },
    ],
    [
      "3 outranks 4",
      { entry: { ...entry, resumePending: true }, route: ended },
      { kind: "recover-or-create", because: "stale-route", drops: a },
    ],
    [
      "4 resume pending",
      { entry: { ...entry, resumePending: true } },
      { kind: "continue-interrupted", sessionId: a, repointed: false },
    ],
    [
      "4 on its compression tip",
      { entry: { ...entry, resumePending: true }, route: compressed },
      { kind: "continue-interrupted", sessionId: b, repointed: true },
    ],
    ["5 otherwise", {}, { kind: "continue", sessionId: a, repointed: false, touches: true }],
    [
      "5 for machinery",
      { touchActivity: false },
      { kind: "continue", sessionId: a, repointed: false, touches: false },
    ],
    [
      "5 on its compression tip",
      { route: compressed },
      { kind: "continue", sessionId: b, repointed: true, touches: true },
    ],
    [
      "5 with a database that does not answer",
      { route: null },
      { kind: "continue", sessionId: a, repointed: false, touches: true },
    ],
  ])("%s", (_, change, expected) => {
    expect(decideAccess({ ...usual, ...change })).toEqual(expected);
  });

  test("a suspended session is never continued and never recovered", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(open, ended, compressed, null),
        fc.boolean(),
        (resumePending, forceNew, route, touchActivity) => {
          const { kind } = decideAccess({
            entry: { ...entry, suspended: true, resumePending },
            route,
            forceNew,
            touchActivity,
          });
          expect(kind).toBe(forceNew ? "create" : "replace-suspended");
        },
      ),
    );
  });
});
