import { join } from "node:path";
import { openStores } from "../compose/stores.ts";
import { silentLog } from "../log/log.ts";
import { openDatabase } from "../state/database.ts";
import { figure, quantile, repeat, timed } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seedSessions } from "./seed.ts";
import { diskDir } from "./workplace.ts";

const runs = 5;

/** The Sessions screen's questions at 10,000 sessions: they are asked on the thread that serves the window. */
export async function benchList(): Promise<Figures> {
  const dir = diskDir();
  await seedSessions(dir, 10_000);
  const db = openDatabase(join(dir, "state.db"), silentLog);
  const { list } = openStores(db);
  const page = (filter: string, sort: string) =>
    repeat(runs, async () =>
      quantile(
        await repeat(50, () =>
          timed(() => list.list({ filter, sort, limit: 100, cursor: null, offset: 0 }, Date.now())),
        ),
        0.5,
      ),
    );
  const figures = {
    first_page: figure(await page("", "-updated"), "ms"),
    first_page_by_title: figure(await page("", "title"), "ms"),
    first_page_filtered: figure(await page("channel:telegram idle:>1h person", "-updated"), "ms"),
    counts: figure(
      await repeat(runs, async () => quantile(await repeat(50, () => timed(list.counts)), 0.5)),
      "ms",
    ),
  };
  await db.close();
  return figures;
}
