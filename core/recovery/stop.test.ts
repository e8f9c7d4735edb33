import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGateway } from "../gateway.ts";
import { openDatabase } from "../state/database.ts";
import { silentLog } from "../log/log.ts";
import { scriptedChannel } from "../testing/scripted-channel.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testGateway } from "../testing/test-gateway.ts";
import type { TestGatewayOptions } from "../testing/test-gateway.ts";
import { settle, until } from "../testing/until.ts";

const receipt = (dir: string): boolean => existsSync(join(dir, ".clean_shutdown"));
const impatient: TestGatewayOptions = { settings: { gateway: { quit_drain_timeout: 0.05 } } };

/** Reads a stopped gateway's database. */
function read(dir: string, sql: string): unknown {
  const db = openDatabase(join(dir, "state.db"), silentLog);
  try {
    return db.sql.prepare(sql).pluck().get();
  } finally {
    void db.close();
  }
}

describe("a stop (lifecycle 10.7)", () => {
  test("waits for a turn that ends in time, and leaves the receipt of a clean one", async () => {
    const dir = tempDir();
    const first = await testGateway({ dataDir: dir });
    await first.channel.post("!sleep 60ms hello");
    await first.untilState("running");
    await first.gateway.stop("test");
    expect(receipt(dir)).toBe(true);
    expect(read(dir, `SELECT exit FROM boots`)).toBe("clean");
    expect(first.replies()).toEqual(["You said: hello"]);

    const second = await testGateway({ dataDir: dir });
    expect(receipt(dir)).toBe(false);
    expect((await second.call("gateway.status")).previousExit).toBe("clean");
    expect(second.replies()).toEqual([]);
  });

  test("parks a turn that outlives the budget; the next start takes it up and its reply comes once", async () => {
    const dir = tempDir();
    const first = await testGateway({ dataDir: dir, ...impatient });
    await first.channel.post("!sleep 300ms hello");
    await first.channel.post("and then this");
    await first.untilState("running");
    await first.gateway.stop("test");
    expect(receipt(dir)).toBe(false);
    expect(read(dir, `SELECT resume_reason FROM gateway_routing`)).toBe("shutdown_timeout");
    expect(read(dir, `SELECT exit FROM boots`)).toBe("cut");
    expect(JSON.parse(readFileSync(join(dir, "restart_counts.json"), "utf8"))).toEqual({
      [first.key]: 1,
    });
    expect(first.replies()).toEqual([]);

    const second = await testGateway({ dataDir: dir });
    expect((await second.call("recovery.report")).lists.resumed.count).toBe(1);
    expect(await second.replied(2)).toEqual(["You said: hello", "You said: and then this"]);
    const { flags } = await second.call("sessions.get", { key: second.key });
    expect(flags.map(({ name }) => name)).not.toContain("resume_pending");
    expect((await second.call("recovery.loops")).loops).toEqual([]);
  });

  test("gives up waiting when it is asked again to stop now", async () => {
    const dir = tempDir();
    const { gateway, channel, untilState } = await testGateway({ dataDir: dir });
    await channel.post("!sleep 60s hello");
    await untilState("running");
    const patient = gateway.stop("quit");
    await settle();
    await gateway.stop("now", { now: true });
    await patient;
    expect(receipt(dir)).toBe(false);
  });

  test("a message that comes while it drains waits for the next start", async () => {
    const dir = tempDir();
    const first = await testGateway({ dataDir: dir });
    await first.channel.post("!sleep 100ms one");
    await first.untilState("running");
    const stopped = first.gateway.stop("quit");
    expect(await first.channel.post("two")).toMatchObject({ kind: "accepted" });
    await stopped;
    expect(first.replies()).toEqual(["You said: one"]);
    expect(receipt(dir)).toBe(true);
    const second = await testGateway({ dataDir: dir });
    expect(await second.replied(1)).toEqual(["You said: two"]);
  });

  test("a turn that begins at the very moment of a stop is waited for, or counts as cut", async () => {
    for (let round = 0; round < 10; round += 1) {
      const dir = tempDir();
      const first = await testGateway({ dataDir: dir, ...impatient });
      const said = first.channel.post("!sleep 400ms hello");
      for (let turns = round; turns > 0; turns -= 1) await settle(1);
      const stopped = first.gateway.stop("quit");
      const accepted = await said.then(
        () => true,
        () => false,
      );
      await stopped;
      const second = await testGateway({ dataDir: dir });
      if (accepted) expect(await second.replied(1)).toEqual(["You said: hello"]);
      await second.stop();
    }
  }, 30_000);
});

describe("a start that fails leaves behind what it found", () => {
  test("no receipt is written over the turn that a crash had cut", async () => {
    const dir = tempDir();
    const first = await testGateway({ dataDir: dir, ...impatient });
    await first.channel.post("!sleep 300ms hello");
    await first.untilState("running");
    await first.gateway.stop("test"); // parked: as good as a crash for what follows
    const db = openDatabase(join(dir, "state.db"), silentLog);
    db.sql
      .prepare(
        `UPDATE gateway_routing SET active_turn_token = (SELECT turn_id FROM turns), active_turn_started_at = 1, resume_pending = 0`,
      )
      .run();
    db.sql.prepare(`UPDATE turns SET state = 'running'`).run();
    await db.close();

    mkdirSync(join(dir, ".clean_shutdown")); // a receipt that cannot be taken
    writeFileSync(join(dir, ".clean_shutdown", "in the way"), "");
    const broken = createGateway({ dataDir: dir, host: "embedded", discoverAgents: false });
    await expect(broken.start()).rejects.toMatchObject({ code: "E_READ_ONLY" });
    await broken.stop("start failed", { now: true });
    expect(read(dir, `SELECT count(*) FROM turns WHERE state = 'running'`)).toBe(1);
    expect(existsSync(join(dir, ".clean_shutdown", "in the way"))).toBe(true);
  });
});

describe("a restart says what it found", () => {
  test("its report has the exit before it, timed phases, and what was done", async () => {
    const dir = tempDir();
    const first = await testGateway({ dataDir: dir, ...impatient });
    await first.channel.post("!sleep 200ms hello");
    await first.channel.post("waits");
    await first.untilState("running");
    await first.gateway.stop("test");
    const channel = scriptedChannel();
    const second = await testGateway({ dataDir: dir, channel });
    const report = await second.call("recovery.report");
    expect(report).toMatchObject({
      previousExit: "unclean",
      exit: null,
      lists: { resumed: { count: 1, items: [{ key: second.key }] }, waiting: { count: 1 } },
    });
    expect(report.phases.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["open", "recovery", "channels", "lanes"]),
    );
    const { boots } = await second.call("recovery.boots");
    expect(boots.map(({ exit }) => exit)).toEqual([null, "cut"]);
    await until("the replies", () => channel.sent.length === 2);
  });
});
