import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import { figure, quantile, repeat, timed } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { diskDir } from "./workplace.ts";

const writes = 100;

/** What durability costs here: everything else is to be read against it. */
export async function benchDisk(): Promise<Figures> {
  const dir = diskDir();
  const file = openSync(join(dir, "file"), "w");
  const page = Buffer.alloc(4096, 1);
  const fsync = await repeat(5, async () => {
    const took = await repeat(writes, () =>
      timed(() => {
        writeSync(file, page);
        fsyncSync(file);
      }),
    );
    return { median: quantile(took, 0.5), p95: quantile(took, 0.95) };
  });
  closeSync(file);

  const db = openDatabase(join(dir, "state.db"), silentLog);
  const put = db.sql.prepare("INSERT OR REPLACE INTO state_meta (key, value) VALUES ('bench', ?)");
  const commit = await repeat(5, async () =>
    quantile(await repeat(writes, (n) => timed(() => db.write(() => put.run(String(n))))), 0.5),
  );
  await db.close();
  return {
    fsync: figure(
      fsync.map((run) => run.median),
      "ms",
    ),
    fsync_p95: figure(
      fsync.map((run) => run.p95),
      "ms",
    ),
    durable_commit: figure(commit, "ms"),
  };
}
