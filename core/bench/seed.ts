import { join } from "node:path";
import { silentLog } from "../log/log.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import { sessionDirectory } from "../sessions/session-directory.ts";
import { sessionSource } from "../sessions/session-source.ts";
import type { Platform, SessionSource } from "../sessions/session-source.ts";
import { openDatabase } from "../state/database.ts";
import type { Database } from "../state/database.ts";

const minuteMs = 60_000;
/** One transaction's worth: a larger one only makes the log larger. */
const chunk = 10_000;
const platforms: readonly Platform[] = ["telegram", "discord", "slack", "local"];
const rules = { groupSessionsPerUser: true, threadSessionsPerUser: false };

export interface SeedOptions {
  /** The channel that is said to carry the lanes. Default `simulator`. */
  channelId?: string;
  /** Pairs of message and answer in each. Default 1. */
  exchanges?: number;
  /** When the first of them was last active; each next one a minute earlier. Epoch ms; default now. */
  newestAtMs?: number;
}

/** Where session `n` (from 1) takes place. */
export function seededSource(n: number): SessionSource {
  const name = `Person ${String(n).padStart(6, "0")}`;
  return sessionSource({
    platform: platforms[n % platforms.length] ?? "local",
    chatId: String(100_000 + n),
    chatName: name,
    chatType: "dm",
    userId: String(500_000 + n),
    userName: name,
  });
}

/** Adds `count` idle sessions to an open database, with the stores that the gateway writes with. */
export function seedInto(db: Database, count: number, options: SeedOptions = {}): void {
  const directory = sessionDirectory(db);
  const newestAtMs = options.newestAtMs ?? Date.now();
  const exchanges = options.exchanges ?? 1;
  for (let from = 1; from <= count; from += chunk)
    db.writeNow(() => {
      for (let n = from; n < from + chunk && n <= count; n += 1) {
        const source = seededSource(n);
        const lane = {
          key: buildSessionKey(source, rules),
          identity: laneIdentity(source, rules),
          channelId: options.channelId ?? "simulator",
          source,
        };
        const timestamp = newestAtMs - n * minuteMs;
        const { sessionId, sessionKey } = directory.ensureLane(lane, timestamp);
        const row = { sessionId, timestamp };
        for (let exchange = 0; exchange < exchanges; exchange += 1) {
          directory.messages.append({ ...row, role: "user", content: `Message ${n}` });
          directory.messages.append({
            ...row,
            role: "assistant",
            content: `You said: Message ${n}`,
          });
        }
        directory.routing.patch(sessionKey, {
          messageCount: exchanges * 2,
          turnCount: exchanges,
          totalTokens: n % 9_000,
        });
      }
    });
}

/** The same for the data directory of a gateway that does not run. */
export async function seedSessions(
  dataDir: string,
  count: number,
  options: SeedOptions = {},
): Promise<void> {
  const db = openDatabase(join(dataDir, "state.db"), silentLog);
  seedInto(db, count, options);
  await db.close();
}
