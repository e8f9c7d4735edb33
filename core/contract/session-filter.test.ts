import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionRow } from "./domain.ts";
import { asSessionId, asSessionKey } from "./ids.ts";
import { matchesSessionFilter, parseSessionFilter, type SessionTerm } from "./session-filter.ts";

const read: { text: string; terms: SessionTerm[] }[] = [
  { text: "", terms: [] },
  { text: "  ", terms: [] },
  { text: "state:suspended", terms: [{ kind: "state", states: ["suspended"], not: false }] },
  {
    text: "state:Failed,STUCK",
    terms: [{ kind: "state", states: ["failed", "stuck"], not: false }],
  },
  {
    text: "state:needs-me",
    terms: [{ kind: "state", states: ["stuck", "failed", "waiting"], not: false }],
  },
  {
    text: "state:will-resume",
    terms: [{ kind: "state", states: ["resume_pending"], not: false }],
  },
  { text: "-state:idle", terms: [{ kind: "state", states: ["idle"], not: true }] },
  { text: "channel:Telegram", terms: [{ kind: "channel", value: "telegram", not: false }] },
  { text: "agent:main", terms: [{ kind: "agent", value: "main", not: false }] },
  {
    text: "agent:main:telegram:dm:41",
    terms: [{ kind: "key", value: "agent:main:telegram:dm:41", not: false }],
  },
  { text: "key:dm:41", terms: [{ kind: "key", value: "dm:41", not: false }] },
  { text: "idle:>1h", terms: [{ kind: "idle", op: ">", ms: 3_600_000, not: false }] },
  { text: "idle:<30m", terms: [{ kind: "idle", op: "<", ms: 1_800_000, not: false }] },
  { text: "idle:1.5d", terms: [{ kind: "idle", op: ">", ms: 129_600_000, not: false }] },
  {
    text: 'Анна "release notes" -draft',
    terms: [
      { kind: "word", value: "анна", not: false },
      { kind: "word", value: "release notes", not: false },
      { kind: "word", value: "draft", not: true },
    ],
  },
  { text: "-10012345", terms: words("-10012345") },
  { text: "-", terms: [{ kind: "word", value: "-", not: false }] },
  { text: "#ops 12:30", terms: words("#ops", "12:30") },
];

function words(...values: string[]): SessionTerm[] {
  return values.map((value) => ({ kind: "word", value, not: false }));
}

describe("reading a filter", () => {
  test.each(read)("$text", ({ text, terms }) => {
    expect(parseSessionFilter(text)).toEqual({ ok: true, terms });
  });

  test.each([
    { text: "anna colour:red", problem: "unknown_field", at: 5, length: 10 },
    { text: "state:", problem: "missing_value", at: 0, length: 6 },
    { text: "state:idle,asleep", problem: "unknown_state", at: 11, length: 6 },
    { text: "state:idle,", problem: "unknown_state", at: 11, length: 1 },
    { text: "idle:soon", problem: "bad_duration", at: 5, length: 4 },
    { text: "idle:>5", problem: "bad_duration", at: 5, length: 2 },
    { text: 'ok "never closed', problem: "open_quote", at: 3, length: 13 },
    { text: 'key:"', problem: "open_quote", at: 4, length: 1 },
  ])("$text is refused at $at", ({ text, problem, at, length }) => {
    const filter = parseSessionFilter(text);
    expect(filter).toMatchObject({ ok: false, error: { problem, at, length } });
  });

  test("any text gives terms or a fault inside it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const filter = parseSessionFilter(text);
        if (filter.ok) return;
        expect(filter.error.at).toBeGreaterThanOrEqual(0);
        expect(filter.error.at).toBeLessThanOrEqual(text.length);
        expect(filter.error.length).toBeGreaterThan(0);
      }),
    );
  });
});

const row: SessionRow = {
  key: asSessionKey("agent:main:telegram:dm:41"),
  sessionId: asSessionId("s1"),
  title: "Анна",
  platform: "telegram",
  channelId: "tg-home",
  chatType: "dm",
  state: "failed",
  stateSinceMs: 0,
  queueDepth: 0,
  agentId: "Practice",
  messageCount: 0,
  turnCount: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  createdAtMs: 0,
  updatedAtMs: 1_000_000,
  turnStartedAtMs: null,
  error: null,
};

describe("matching a row", () => {
  test.each([
    ["", true],
    ["state:needs-me", true],
    ["state:idle", false],
    ["-state:idle", true],
    ["channel:telegram", true],
    ["channel:TG-home", true],
    ["channel:tele", false],
    ["agent:practice", true],
    ["agent:main:telegram:dm:41", true],
    ["key:DM:4", true],
    ["анна", true],
    ["telegram анна", true],
    ["anna", false],
    ["-anna", true],
    ["idle:>1h", false],
    ["idle:<1h", true],
    ["idle:>30m", true],
  ])("%s → %s", (text, holds) => {
    const filter = parseSessionFilter(text);
    if (!filter.ok) throw new Error(filter.error.message);
    expect(matchesSessionFilter(row, filter.terms, 1_000_000 + 2_400_000)).toBe(holds);
  });
});
