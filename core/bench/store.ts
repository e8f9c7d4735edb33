import { join } from "node:path";
import { openStores } from "../compose/stores.ts";
import { silentLog } from "../log/log.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import type { LaneOrigin } from "../sessions/session-directory.ts";
import { openDatabase } from "../state/database.ts";
import { figure, quantile, repeat, timed } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seededSource, seedSessions } from "./seed.ts";
import { diskDir } from "./workplace.ts";

const sessions = 10_000;
const runs = 5;
const steps = 1_000;

/** What single steps on a store of 10,000 sessions cost, without and with the disk's part in them. */
export async function benchStore(): Promise<Figures> {
  const dir = diskDir();
  const file = join(dir, "state.db");
  await seedSessions(dir, sessions);
  const opening = await repeat(runs, async () => {
    let close = (): Promise<void> => Promise.resolve();
    const took = await timed(() => {
      const db = openDatabase(file, silentLog);
      openStores(db);
      close = () => db.close();
    });
    await close();
    return took;
  });

  const db = openDatabase(file, silentLog);
  const { directory } = openStores(db);
  const lane = (n: number): LaneOrigin => {
    const source = seededSource(1 + ((n * 7_919) % sessions)); // all over the file
    const rules = { groupSessionsPerUser: true, threadSessionsPerUser: false };
    return {
      key: buildSessionKey(source, rules),
      identity: laneIdentity(source, rules),
      channelId: "simulator",
      source,
    };
  };
  const lanes = Array.from({ length: steps }, (_, n) => lane(n));
  const nowMs = Date.now();
  const access = (one: LaneOrigin): void => {
    directory.open(one, true, nowMs);
  };
  const append = (one: LaneOrigin): void => {
    const { sessionId } = directory.routing.get(one.key) ?? {};
    if (sessionId !== undefined)
      directory.messages.append({
        sessionId,
        role: "user",
        content: "Hello there.",
        timestamp: nowMs,
      });
  };

  /** One step in a transaction that is open already: what it costs without the disk. */
  const plain = (step: (one: LaneOrigin) => void) =>
    repeat(
      runs,
      async () =>
        (await timed(() => {
          db.writeNow(() => {
            for (const one of lanes) step(one);
          });
        })) / steps,
    );
  /** One step in a commit of its own, on disk. */
  const durable = (step: (one: LaneOrigin) => void) =>
    repeat(runs, async () =>
      quantile(
        await repeat(200, (n) => timed(() => db.write(() => step(lanes[n] ?? lane(0))))),
        0.5,
      ),
    );

  const figures = {
    open_10000: figure(opening, "ms"),
    access: figure(await plain(access), "ms"),
    access_durable: figure(await durable(access), "ms"),
    append: figure(await plain(append), "ms"),
    append_durable: figure(await durable(append), "ms"),
  };
  await db.close();
  return figures;
}
