import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import {
  entryAfterReset,
  entryAfterSuspension,
  entryFromStored,
  entryToStored,
  freshEntry,
} from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";
import { sessionSource } from "./session-source.ts";
import { timeFromStored, timeToStored } from "./stored-time.ts";

const KEY = "agent:main:telegram:dm:1";
const least = {
  session_key: KEY,
  session_id: "20260101_120000_deadbeef",
  created_at: "2026-01-01T12:00:00+00:00",
  updated_at: "2026-01-01T13:00:00.250000+01:00",
};

const read = (stored: unknown, key = KEY): SessionEntry => {
  const reading = entryFromStored(key, stored);
  if (!reading.ok) throw new Error(reading.reason);
  return reading.entry;
};

describe("reading an entry (lifecycle 2.3)", () => {
  test("the four required members are enough", () => {
    expect(read(least)).toEqual({
      ...freshEntry(
        asSessionKey(KEY),
        asSessionId(least.session_id),
        null,
        Date.UTC(2026, 0, 1, 12),
      ),
      updatedAtMs: Date.UTC(2026, 0, 1, 12, 0, 0, 250),
    });
  });

  test.each<[string, unknown]>([
    ["no object", []],
    ["no key", { ...least, session_key: undefined }],
    ["another lane's key", { ...least, session_key: "agent:main:telegram:dm:2" }],
    ["no id", { ...least, session_id: "" }],
    ["an id that is no text", { ...least, session_id: 7 }],
    ["an id that leaves its folder", { ...least, session_id: "../x" }],
    ["no creation time", { ...least, created_at: null }],
    ["a time that is none", { ...least, updated_at: "yesterday" }],
  ])("%s: quarantined as it is", (_, stored) => {
    expect(entryFromStored(KEY, stored)).toMatchObject({ ok: false, quarantined: stored });
  });

  test.each<[string, object, Partial<SessionEntry>]>([
    ["unknown platform", { platform: "pigeon" }, { platform: null }],
    ["origin that is no object", { origin: "x" }, { origin: null }],
    ["origin that cannot be read", { origin: { platform: "pigeon" } }, { origin: null }],
    [
      "mark that is no time",
      { resume_pending: true, last_resume_marked_at: "x" },
      { resumePending: true, lastResumeMarkedAtMs: null },
    ],
    [
      "half a marker: time only",
      { active_turn_started_at: least.created_at },
      { activeTurnToken: null, activeTurnStartedAtMs: null },
    ],
    [
      "half a marker: empty token",
      { active_turn_token: "", active_turn_started_at: least.created_at },
      { activeTurnStartedAtMs: null },
    ],
    ["the fence's old name", { memory_flushed: true }, { expiryFinalized: true }],
    [
      "the fence's own name wins",
      { memory_flushed: true, expiry_finalized: false },
      { expiryFinalized: false },
    ],
    [
      "credentials in an override",
      { model_override: { model: "m", api_key: "secret", base_url: "" } },
      { modelOverride: { model: "m" } },
    ],
    [
      "counts that are no numbers",
      { input_tokens: "many", total_tokens: 2.7 },
      { inputTokens: 0, totalTokens: 2 },
    ],
  ])("%s: the entry survives", (_, member, expected) => {
    expect(read({ ...least, ...member })).toMatchObject(expected);
  });
});

describe("whatever is in the file", () => {
  test("reading never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (key, value) => {
        entryFromStored(key, value);
        entryFromStored(KEY, { ...least, ...(value as object) });
      }),
    );
  });

  test("bad values under known names never throw and never reach the disk as a surprise", () => {
    const names = Object.keys(entryToStored(read(least)));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
        const reading = entryFromStored(KEY, { ...least, [name]: value });
        if (reading.ok) expect(read(entryToStored(reading.entry))).toEqual(reading.entry);
      }),
    );
  });

  test("unknown members go through load and save untouched", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((name) => `future_${name}`),
          fc.jsonValue(),
        ),
        (future) => {
          const stored = entryToStored(read({ ...least, ...future }));
          expect(stored).toMatchObject(future);
          expect(entryToStored(read(stored))).toEqual(stored);
        },
      ),
    );
  });

  test("an origin of a newer build survives this one, until the lane gets one of its own", () => {
    const origin = { platform: "pigeon", chat_id: "1" };
    const entry = read({ ...least, origin });
    expect(entryToStored(entry)).toMatchObject({ origin });
    const source = sessionSource({ platform: "telegram", chatId: "1" });
    expect(entryToStored({ ...entry, origin: source })).toMatchObject({
      origin: { platform: "telegram" },
    });
  });
});

describe("times (lifecycle 2.3)", () => {
  const local = new Date(2026, 5, 1, 12, 30, 5, 123).getTime();
  test.each<[unknown, number | null]>([
    ["2026-06-01T12:30:05Z", Date.UTC(2026, 5, 1, 12, 30, 5)],
    ["2026-06-01 12:30:05.999999+0530", Date.UTC(2026, 5, 1, 7, 0, 5, 999)],
    ["2026-06-01T12:30:05.123456", local], // no offset: host-local
    ["2026-02-29T00:00:00Z", null],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["2026-06-01T25:00:00Z", null],
    ["2026-13-01T00:00:00Z", null],
    ["0001-01-01T00:00:00+00:00", 0], // very old, but not refused
    ["", null],
    [1780000000, null],
  ])("%j", (stored, ms) => {
    expect(timeFromStored(stored)).toBe(ms);
  });

  test("written in UTC, read back exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
        expect(timeToStored(ms)).toMatch(/Z$/);
        expect(timeFromStored(timeToStored(ms))).toBe(ms);
      }),
    );
  });
});

describe("the entry after a boundary (lifecycle 3.5, 6)", () => {
  const source = sessionSource({ platform: "telegram", chatId: "1", chatName: "Ann" });
  const old: SessionEntry = {
    ...freshEntry(asSessionKey(KEY), asSessionId("old"), source, 1),
    displayName: "Ann's chat",
    suspended: true,
    resumePending: true,
    modelOverride: { model: "m" },
    lastPromptTokens: 5,
  };

  test("suspension: marked as a reset that the person did not ask for", () => {
    expect(entryAfterSuspension(old, asSessionId("new"), source, 9)).toMatchObject({
      sessionId: "new",
      createdAtMs: 9,
      suspended: false,
      resumePending: false,
      modelOverride: null,
      wasAutoReset: true,
      autoResetReason: "suspended",
      resetHadActivity: true,
      prevSessionId: "old",
    });
  });

  test("reset: place and name stay, everything else starts over", () => {
    expect(entryAfterReset(old, asSessionId("new"), 9)).toEqual({
      ...freshEntry(asSessionKey(KEY), asSessionId("new"), source, 9),
      displayName: "Ann's chat",
      isFreshReset: true,
    });
  });
});
