import { describe, expect, test } from "vitest";
import type { SessionId } from "../contract/ids.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";

const origin = laneOrigin();
const { key } = origin;

/** A lane with everything that can hang on a conversation. */
function lane() {
  const stores = testStores();
  const { db, directory } = stores;
  const open = (nowMs: number) => db.writeNow(() => directory.open(origin, true, nowMs).row);
  const { sessionId } = open(1);
  db.writeNow(() => {
    directory.messages.append({ sessionId, role: "user", content: "hello", timestamp: 1 });
    directory.pins.put(key, { sessionId, redacted: false, section: "s", pinnedAtMs: 1 });
    directory.shownLists.put(key, [sessionId], 1);
    directory.approvals.ask({
      sessionKey: key,
      sessionId,
      kind: "destructive",
      question: "?",
      subject: {},
      askedOf: null,
      askedAt: 1,
      expiresAt: 1_000_000,
    });
    directory.settings.setBusyMode(key, "steer");
    directory.setRuntimeOptions(key, { modelOverride: { model: "m" }, reasoningOverride: "high" });
    directory.setMetadata(key, "note", "x");
  });
  return { ...stores, open, sessionId };
}

const boundaries: Record<string, (made: ReturnType<typeof lane>) => void> = {
  reset: ({ db, directory }) => db.writeNow(() => directory.reset(key, "test", null, 2)),
  branch: ({ db, directory }) => db.writeNow(() => directory.branch(key, null, "test", 2)),
  resume({ db, directory, sessionId }) {
    const other = laneOrigin(dmSource("8"));
    db.writeNow(() => {
      const target = directory.open(other, true, 2).row.sessionId;
      expect(target).not.toBe(sessionId);
      directory.switchTo(key, target, "test", 3);
    });
  },
  suspension({ db, directory, open }) {
    db.writeNow(() => directory.suspend(key, "test", null, 2));
    open(3);
  },
};

describe("one funnel clears what belongs to a conversation (lifecycle 6.1)", () => {
  test.each(Object.keys(boundaries))("%s", (name) => {
    const made = lane();
    boundaries[name]?.(made);
    const { directory } = made;
    expect(directory.routing.get(key)?.sessionId).not.toBe(made.sessionId);
    expect(directory.approvals.open(key, 2)).toEqual([]);
    expect(directory.pins.get(key)).toBeNull();
    expect(directory.shownLists.get(key)).toBeNull();
    expect(directory.runtimeOptions(key)).toEqual({
      modelOverride: null,
      reasoningOverride: null,
      serviceTierOverride: null,
    });
    expect(directory.metadata(key, "note")).toBeNull();
    // The lane's own setting outlives its conversations.
    expect(directory.settings.busyMode(key)).toBe("steer");
  });

  test("a table about lanes is cleared at boundaries, or named here as one that is not", () => {
    const { db } = testStores();
    const tables = db.sql
      .prepare<[], string>(
        `SELECT DISTINCT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
          WHERE m.type = 'table' AND c.name = 'session_key' ORDER BY m.name`,
      )
      .pluck()
      .all();
    const cleared = ["approvals", "prompt_pins", "shown_lists"];
    const evidence =
      "sessions turns operator_acts inbound_journal delivery_obligations async_delegations " +
      "goal_receipts session_state_events session_system_events";
    const ofTheLane =
      "gateway_routing lane_settings lane_aliases restart_counts resume_marks session_state_heads " +
      "session_upstream_links session_parentage session_goals last_human_words";
    expect(cleared.filter((name) => !tables.includes(name))).toEqual([]);
    const known = [...cleared, ...evidence.split(" "), ...ofTheLane.split(" ")];
    expect(tables.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("boundaries and other lanes", () => {
  test("a session that another lane is in does not end with this one's reset", () => {
    const { db, directory, sessionId } = lane();
    const other = laneOrigin(dmSource("8"));
    db.writeNow(() => {
      directory.open(other, true, 2);
      directory.switchTo(other.key, sessionId, "test", 3);
      directory.reset(key, "test", null, 4);
    });
    expect(directory.incarnations.get(sessionId)).toMatchObject({
      endReason: null,
      sessionKey: other.key,
    });
  });

  test("compare and swap: a lane that has moved on stays where it is", () => {
    const { db, directory, sessionId } = lane();
    db.writeNow(() => {
      const next = directory.reset(key, "test", null, 2)?.row.sessionId as SessionId;
      expect(directory.switchTo(key, sessionId, "test", 3, sessionId)).toBeNull();
      expect(directory.routing.get(key)?.sessionId).toBe(next);
      expect(directory.setRuntimeOptions(key, { modelOverride: null }, sessionId)).toBe(false);
      expect(directory.setRuntimeOptions(key, { modelOverride: null }, next)).toBe(true);
    });
  });

  test("a session that is not there is refused", () => {
    const { db, directory } = lane();
    expect(() =>
      db.writeNow(() => directory.switchTo(key, "nowhere" as SessionId, "test", 2)),
    ).toThrow("not there any more");
  });
});

describe("old lanes (lifecycle 3.9)", () => {
  test("go, unless something still needs them; transcripts stay", () => {
    const { db, directory, sessionId } = lane();
    const prune = (keep = false) => db.writeNow(() => directory.pruneOld(1_000, 10, () => keep));
    const patch = (change: Parameters<typeof directory.routing.patch>[1]) =>
      db.writeNow(() => directory.routing.patch(key, change));
    for (const [needs, plain] of [
      [{ suspended: 1 }, { suspended: 0 }],
      [{ resumePending: 1 }, { resumePending: 0 }],
      [{ activeTurnToken: "t" }, { activeTurnToken: null }],
      [{ queueDepth: 1 }, { queueDepth: 0 }],
      [{ updatedAt: 1_000 }, { updatedAt: 1 }],
    ] as const) {
      patch(needs);
      expect(prune()).toEqual([]);
      patch(plain);
    }
    expect(prune(true)).toEqual([]);
    expect(prune()).toEqual([key]);
    expect(directory.messages.live(sessionId)).toHaveLength(1);
  });
});
