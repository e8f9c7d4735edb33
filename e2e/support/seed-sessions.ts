import { join } from "node:path";
import { silentLog } from "../../core/log/log.ts";
import { sessionDirectory } from "../../core/sessions/session-directory.ts";
import { buildSessionKey, laneIdentity } from "../../core/sessions/session-key.ts";
import { sessionSource } from "../../core/sessions/session-source.ts";
import { openDatabase } from "../../core/state/database.ts";

const MINUTE = 60_000;
const platforms = ["telegram", "discord", "slack", "local"] as const;
const rules = { groupSessionsPerUser: true, threadSessionsPerUser: false };

/** The name of the session that stands in row `n` (from 1) of the list, newest activity first. */
export const seededName = (n: number): string => `Person ${String(n).padStart(5, "0")}`;

/**
 * Fills the database of a gateway that does not run: `count` idle sessions of four platforms with a message and
 * an answer each, the first of them active a minute ago, each next one a minute earlier.
 */
export async function seedSessions(dataDir: string, count: number): Promise<void> {
  const db = openDatabase(join(dataDir, "state.db"), silentLog);
  const directory = sessionDirectory(db);
  const nowMs = Date.now();
  db.writeNow(() => {
    for (let n = 1; n <= count; n++) {
      const atMs = nowMs - n * MINUTE;
      const platform = platforms[n % platforms.length] ?? "local";
      const source = sessionSource({
        platform,
        chatId: `${100_000 + n}`,
        chatName: seededName(n),
        chatType: "dm",
        userId: `${500_000 + n}`,
        userName: seededName(n),
      });
      const { sessionId, sessionKey } = directory.ensureLane(
        {
          key: buildSessionKey(source, rules),
          identity: laneIdentity(source, rules),
          channelId: "simulator",
          source,
        },
        atMs,
      );
      const row = { sessionId, timestamp: atMs };
      directory.messages.append({ ...row, role: "user", content: `Message ${n}` });
      directory.messages.append({ ...row, role: "assistant", content: `You said: Message ${n}` });
      directory.routing.patch(sessionKey, { messageCount: 2, turnCount: 1, totalTokens: n % 9000 });
    }
  });
  await db.close();
}
