import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openStores } from "../compose/stores.ts";
import { createGateway } from "../gateway.ts";
import { silentLog } from "../log/log.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import { openDatabase } from "../state/database.ts";
import { chatRef, encodeInbound, senderRef } from "../turns/inbound-json.ts";
import { startNextTurn } from "../turns/turn-start.ts";
import { systemClock } from "../clock.ts";
import { figure, repeat } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seededSource, seedSessions } from "./seed.ts";
import { diskDir } from "./workplace.ts";

const runs = 5;
const rules = { groupSessionsPerUser: true, threadSessionsPerUser: false };

/** What a start has to take up: waiting messages in many lanes, cut turns, a ledger full of debts. */
export async function benchRecovery(): Promise<Figures> {
  const root = diskDir();
  const nested = (name: string): string => {
    const dir = join(root, name);
    mkdirSync(dir);
    return dir;
  };
  const waiting = await repeat(runs, async (run) => {
    const dir = nested(`waiting-${run}`);
    await seedWaiting(dir, 50, 10);
    return answerAll(dir);
  });
  await startOf(nested("warm-up"));
  const full = await repeat(runs, async (run) => {
    const dir = nested(`full-${run}`);
    await seedSessions(dir, 10_000);
    await seedLedger(dir, 1_000);
    return startOf(dir);
  });
  return {
    waiting_500_open: figure(
      waiting.map((one) => one.openMs),
      "ms",
    ),
    waiting_500_answered: figure(
      waiting.map((one) => one.answeredMs),
      "ms",
    ),
    start_sessions_10000_ledger_1000: figure(full, "ms"),
  };
}

/** Lanes with messages that wait; in every other one a turn was cut. */
async function seedWaiting(dataDir: string, lanes: number, each: number): Promise<void> {
  const db = openDatabase(join(dataDir, "state.db"), silentLog);
  const stores = openStores(db);
  const { directory, inbox } = stores;
  const nowMs = Date.now();
  db.writeNow(() => {
    for (let lane = 1; lane <= lanes; lane += 1) {
      const source = seededSource(lane);
      const key = buildSessionKey(source, rules);
      const identity = laneIdentity(source, rules);
      directory.ensureLane({ key, identity, channelId: "simulator", source }, nowMs);
      for (let nth = 0; nth < each; nth += 1) {
        const messageId = `w${lane}-${nth}`;
        const message = { channelId: "simulator", source, text: `Message ${nth}`, messageId };
        inbox.insert({
          sessionKey: key,
          channelId: "simulator",
          chatRef: chatRef(message),
          platformMessageId: messageId,
          senderRef: senderRef(message),
          kind: "message",
          place: nth === 0 ? "slot" : "fifo",
          eventJson: encodeInbound(message),
          acceptedAt: nowMs,
        });
      }
      if (lane % 2 === 0)
        startNextTurn(stores, key, {
          bootId: "before",
          nowMs,
          machine: systemClock.machine(),
          chooseAgent: () => "practice",
          shownText: ({ text }) => text,
        });
    }
  });
  await db.close();
}

/** Replies that are owed, sent but not confirmed, refused; one in each of many lanes. */
async function seedLedger(dataDir: string, count: number): Promise<void> {
  const db = openDatabase(join(dataDir, "state.db"), silentLog);
  const { obligations } = openStores(db);
  db.writeNow(() => {
    for (let n = 1; n <= count; n += 1) {
      const target = seededSource(n);
      const debt = { channelId: "simulator", target, messageId: null, turnId: null };
      obligations.owe(
        {
          ...debt,
          kind: "reply",
          sessionKey: buildSessionKey(target, rules),
          content: `Reply ${n}`,
          replyTo: `m${n}`,
          ref: `m${n}`,
        },
        Date.now(),
        n % 3 === 0,
      );
    }
  });
  await db.close();
}

/** Starts a gateway in this process; until its lanes are open, and until every waiting message is answered. */
async function answerAll(dataDir: string): Promise<{ openMs: number; answeredMs: number }> {
  const startedMs = performance.now();
  const gateway = createGateway({ dataDir, host: "embedded", discoverAgents: false });
  await gateway.start();
  const openMs = performance.now() - startedMs;
  for (;;) {
    const { counts } = await gateway.call("gateway.status", {});
    if (counts.queued === 0 && counts.running === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const answeredMs = performance.now() - startedMs;
  await gateway.stop("bench", { now: true });
  return { openMs, answeredMs };
}

/** From the start of a process to a gateway that accepts messages. */
async function startOf(dir: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, "start-worker.ts"), dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exited]);
  const took = performance.now() - startedMs;
  if (child.exitCode !== null) throw new Error("The gateway ended before it was ready.");
  child.kill("SIGTERM");
  await exited;
  return took;
}
