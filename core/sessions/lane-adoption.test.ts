import { describe, expect, test } from "vitest";
import { laneOrigin, laneKey } from "../testing/samples.ts";
import { testStores } from "../testing/test-database.ts";
import { sessionSource } from "./session-source.ts";
import { buildSessionKey, legacySessionKeys } from "./session-key.ts";
import type { KeyRules } from "./session-key.ts";

const person = (chatId: string) =>
  sessionSource({ platform: "whatsapp", chatId, chatType: "dm", userId: chatId });

describe("a lane under another spelling of its key (lifecycle 4.7)", () => {
  test("moves to the key of today, with everything that names it", () => {
    const { db, directory, turns } = testStores();
    const learned = new Map<string, string>();
    const rules: KeyRules = {
      groupSessionsPerUser: true,
      threadSessionsPerUser: false,
      readMapping: (file) => learned.get(file) ?? null,
    };
    const origin = (source: ReturnType<typeof person>) => ({
      key: buildSessionKey(source, rules),
      identity: null,
      channelId: "whatsapp",
      source,
      spellings: () => legacySessionKeys(source, rules),
    });
    const byLid = db.writeNow(() => directory.ensureLane(origin(person("240000000000001@lid")), 1));
    db.writeNow(() =>
      turns.insert({
        turnId: "a".repeat(32) as never,
        sessionKey: byLid.sessionKey,
        sessionId: byLid.sessionId,
        bootId: "b",
        agentId: "practice",
        kind: "message",
        attempt: 1,
        startedAt: 1,
        resumes: null,
        machineBoot: null,
        startedUptimeMs: null,
      }),
    );
    learned.set("lid-mapping-240000000000001.json", '"15550001111"');
    learned.set("lid-mapping-15550001111_reverse.json", '"240000000000001"');
    const byPhone = db.writeNow(() =>
      directory.ensureLane(origin(person("15550001111@s.whatsapp.net")), 2),
    );
    expect(byPhone.sessionKey).toBe("agent:main:whatsapp:dm:15550001111");
    expect(byPhone.sessionId).toBe(byLid.sessionId);
    expect(directory.routing.get(byLid.sessionKey)).toBeUndefined();
    expect(directory.incarnations.get(byLid.sessionId)?.sessionKey).toBe(byPhone.sessionKey);
    expect(db.sql.prepare("SELECT session_key FROM turns").pluck().all()).toEqual([
      byPhone.sessionKey,
    ]);
  });

  test("an alias is followed once, and only where the key has no lane of its own", () => {
    const { db, directory } = testStores();
    const old = laneOrigin();
    const { sessionId } = db.writeNow(() => directory.ensureLane(old, 1));
    const key = laneKey("new");
    db.writeNow(() => {
      directory.adoption.setAlias(key, old.key);
    });
    const moved = db.writeNow(() => directory.ensureLane({ ...old, key, identity: null }, 2));
    expect(moved).toMatchObject({ sessionKey: key, sessionId });
    const again = db.writeNow(() => directory.ensureLane({ ...old, identity: null }, 3));
    expect(again.sessionId).not.toBe(sessionId);
  });

  test("a lane at work stays where it is served", () => {
    const { db, directory } = testStores();
    const old = laneOrigin();
    const { sessionId } = db.writeNow(() => directory.ensureLane(old, 1));
    db.writeNow(() => directory.routing.patch(old.key, { queueDepth: 1 }));
    const key = laneKey("new");
    const fresh = db.writeNow(() =>
      directory.ensureLane({ ...old, key, identity: null, spellings: () => [old.key] }, 2),
    );
    expect(fresh.sessionId).not.toBe(sessionId);
  });
});
