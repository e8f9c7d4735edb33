import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId, asSessionKey, asTurnId } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { dmSource, laneKey } from "../testing/samples.ts";
import { testDatabase } from "../testing/test-database.ts";
import { entryOf, originOf, routingStore, rowOf } from "./routing-store.ts";
import { freshEntry } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";
import { platforms, sessionSource } from "./session-source.ts";
import type { JsonObject, JsonValue } from "./stored-json.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const timeMs = fc.nat(4_000_000_000_000);
const count = fc.nat(Number.MAX_SAFE_INTEGER);
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const object = fc
  .dictionary(text, json, { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const platform = fc.constantFrom(...platforms);

const source = fc
  .record({
    platform,
    chatId: text,
    chatName: orNull(text),
    chatType: fc.constantFrom("dm", "group", "forum"),
    userId: orNull(text),
    threadId: orNull(text),
    userIdAlt: orNull(fc.constantFrom("alt")),
    scopeId: orNull(fc.constantFrom("T1")),
  })
  .map(sessionSource);

const entry: fc.Arbitrary<SessionEntry> = fc.record({
  sessionKey: text.map((value) => asSessionKey(`k${value}`)),
  sessionId: text.map((value) => asSessionId(`s${value}`)),
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
  origin: orNull(source),
  displayName: orNull(text),
  platform: orNull(platform),
  chatType: text,
  metadata: object,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  totalTokens: count,
  estimatedCostUsd: fc.double({ min: 0, max: 1e6, noNaN: true }),
  costStatus: text,
  lastPromptTokens: count,
  modelOverride: orNull(fc.record({ model: fc.constantFrom("a", "b") })),
  reasoningOverride: json,
  serviceTierOverride: json,
  activeTurnToken: orNull(fc.constant(asTurnId("ab".repeat(16)))),
  activeTurnStartedAtMs: orNull(timeMs),
  transportProfile: orNull(text),
  suspended: fc.boolean(),
  resumePending: fc.boolean(),
  resumeReason: orNull(text),
  lastResumeMarkedAtMs: orNull(timeMs),
  isFreshReset: fc.boolean(),
  wasAutoReset: fc.boolean(),
  autoResetReason: orNull(text),
  resetHadActivity: fc.boolean(),
  prevSessionId: orNull(text.map(asSessionId)),
  expiryFinalized: fc.boolean(),
  unknown: object,
});

const plain = (key = laneKey("a")) =>
  rowOf(freshEntry(key, asSessionId("s1"), dmSource(), 1_000), { channelId: "test", title: "Ada" });

const routes = (waits: (key: SessionKey) => boolean = () => false) =>
  routingStore(testDatabase(), waits);

describe("the routing index", () => {
  test("an entry comes back from its row as it was", () => {
    const store = routes();
    fc.assert(
      fc.property(entry, (given) => {
        store.put(rowOf(given, { channelId: "test" }));
        const row = store.get(given.sessionKey);
        expect(row && entryOf(row)).toEqual(given);
      }),
    );
  });

  test("a second put replaces the whole row", () => {
    const store = routes();
    store.put({ ...plain(), suspended: 1, title: "old" });
    store.put(plain());
    expect(store.get(laneKey("a"))).toEqual(plain());
  });

  test("a patch changes what it names and says whether the lane is there", () => {
    const store = routes();
    store.put(plain());
    expect(store.patch(laneKey("a"), { suspended: 1, suspendedBy: "panel" })).toBe(true);
    expect(store.get(laneKey("a"))).toEqual({ ...plain(), suspended: 1, suspendedBy: "panel" });
    expect(store.patch(laneKey("a"), { suspendedBy: null, suspended: 0 })).toBe(true);
    expect(store.get(laneKey("a"))).toEqual(plain());
    expect(store.patch(laneKey("a"), {})).toBe(true);
    expect(store.patch(laneKey("nobody"), { suspended: 1 })).toBe(false);
    expect(store.patch(laneKey("nobody"), {})).toBe(false);
  });

  test("the state follows the facts, and its time only moves with it", () => {
    const store = routes();
    store.put(plain());
    expect(store.settleState(laneKey("a"), 2_000)).toMatchObject({
      state: "idle",
      stateSince: 1_000,
    });
    store.patch(laneKey("a"), { queueDepth: 1 });
    expect(store.settleState(laneKey("a"), 3_000)).toMatchObject({
      state: "queued",
      stateSince: 3_000,
    });
    store.settleState(laneKey("a"), 4_000);
    expect(store.get(laneKey("a"))).toMatchObject({ state: "queued", stateSince: 3_000 });
    expect(store.settleState(laneKey("nobody"), 1)).toBeUndefined();
  });

  test("whether a question waits for a person is asked where the questions are", () => {
    const store = routes((key) => key === laneKey("a"));
    store.put(plain());
    store.put(plain(laneKey("b")));
    expect(store.settleState(laneKey("a"), 2_000)?.state).toBe("waiting");
    expect(store.settleState(laneKey("b"), 2_000)?.state).toBe("idle");
  });

  test("lanes whose state a restart may have changed are found", () => {
    const store = routes();
    const lanes = {
      still: { state: "idle" },
      running: { state: "running" },
      left: { state: "failed", queueDepth: 1 },
      marked: { state: "resume_pending" },
      gone: { state: "suspended" },
    } as const;
    for (const [name, change] of Object.entries(lanes))
      store.put({ ...plain(laneKey(name)), ...change });
    expect(store.unsettledKeys().toSorted()).toEqual(
      ["left", "marked", "running"].map(laneKey).toSorted(),
    );
  });

  test("a lane is found by its incarnation, and gone when it is removed", () => {
    const store = routes();
    store.put(plain());
    expect(store.bySessionId(asSessionId("s1"))?.sessionKey).toBe(laneKey("a"));
    store.put(plain(laneKey("b")));
    expect([...store.each()].map((row) => row.sessionKey)).toEqual([laneKey("a"), laneKey("b")]);
    store.remove(laneKey("a"));
    expect(store.get(laneKey("a"))).toBeUndefined();
  });

  test("an origin of a platform that only a newer build knows is no place to send to", () => {
    expect(
      originOf({ originJson: JSON.stringify({ platform: "smoke", chat_id: "1" }) }),
    ).toBeNull();
    expect(originOf({ originJson: null })).toBeNull();
  });
});
