import { describe, expect, test } from "vitest";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import { pruneStaleRoutes } from "./stale-routes.ts";

/** A lane with something said in it, whose session then ended behind its back. */
function world() {
  const stores = testStores();
  const { db, directory } = stores;
  const lane = (chat: string, reason: "agent_close" | "session_reset" | "compression") =>
    db.writeNow(() => {
      const row = directory.ensureLane(laneOrigin(dmSource(chat)), 1_000);
      directory.messages.append({
        sessionId: row.sessionId,
        role: "user",
        content: "hello",
        timestamp: 1_500,
      });
      directory.incarnations.end(row.sessionId, reason, 2_000);
      return row;
    });
  return { ...stores, lane, prune: () => pruneStaleRoutes(db, directory, 3_000) };
}

describe("routes whose session has ended (lifecycle 3.6, step 4)", () => {
  test("one closed by accident is opened again, and keeps its counters", () => {
    const { lane, prune, directory } = world();
    const row = lane("1", "agent_close");
    directory.routing.patch(row.sessionKey, { inputTokens: 7 });
    expect(prune()).toEqual({ repointed: 0, reopened: 1, dropped: 0 });
    expect(directory.routing.get(row.sessionKey)).toMatchObject({
      sessionId: row.sessionId,
      inputTokens: 7,
    });
    expect(directory.incarnations.get(row.sessionId)?.endedAt).toBeNull();
  });

  test("one behind an explicit boundary is dropped, its transcript kept", () => {
    const { lane, prune, directory } = world();
    const row = lane("1", "session_reset");
    expect(prune()).toEqual({ repointed: 0, reopened: 0, dropped: 1 });
    expect(directory.routing.get(row.sessionKey)).toBeUndefined();
    expect(directory.messages.live(row.sessionId)).toHaveLength(1);
  });

  test("a lane whose route was lost goes on with the newest session that is open", () => {
    const { db, lane, prune, directory } = world();
    const row = lane("1", "session_reset");
    const next = db.writeNow(() => {
      directory.routing.remove(row.sessionKey);
      return directory.ensureLane(laneOrigin(dmSource("1")), 4_000);
    });
    db.writeNow(() => {
      directory.messages.append({
        sessionId: next.sessionId,
        role: "user",
        content: "again",
        timestamp: 4_500,
      });
      directory.routing.patch(row.sessionKey, { sessionId: row.sessionId });
    });
    expect(prune()).toEqual({ repointed: 1, reopened: 0, dropped: 0 });
    expect(directory.routing.get(row.sessionKey)).toMatchObject({
      sessionId: next.sessionId,
      updatedAt: 4_500,
      messageCount: 1,
    });
  });

  test("suspended lanes, lanes at work and compressed sessions are not touched", () => {
    const { lane, prune, directory } = world();
    directory.routing.patch(lane("1", "session_reset").sessionKey, { suspended: 1 });
    directory.routing.patch(lane("2", "session_reset").sessionKey, { queueDepth: 1 });
    directory.routing.patch(lane("3", "session_reset").sessionKey, { resumePending: 1 });
    lane("4", "compression");
    expect(prune()).toEqual({ repointed: 0, reopened: 0, dropped: 0 });
  });
});
