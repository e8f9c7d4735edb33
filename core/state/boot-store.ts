import type { Database } from "./database.ts";

export interface NewBoot {
  bootId: string;
  startedAtMs: number;
  version: string;
  host: string;
}

export type PreviousExit = "first_start" | "clean" | "unclean";

/** The table `boots`: one row a start of the gateway, with how it ended. */
export function bootStore(db: Database) {
  const previous = db.sql.prepare<[], { one: 1 }>(`SELECT 1 AS one FROM boots LIMIT 1`);
  const insert = db.sql.prepare<[NewBoot]>(
    `INSERT INTO boots (boot_id, started_at, version, host) VALUES (@bootId, @startedAtMs, @version, @host)`,
  );
  const ready = db.sql.prepare<[number, string]>(`UPDATE boots SET ready_at = ? WHERE boot_id = ?`);
  const end = db.sql.prepare<[number, string, string]>(
    `UPDATE boots SET ended_at = ?, exit = ? WHERE boot_id = ?`,
  );
  return {
    /** Records this boot and says how the one before it ended; `clean`: it left its receipt (lifecycle 10.1). */
    begin(boot: NewBoot, clean: boolean): { previousExit: PreviousExit } {
      return db.writeNow(() => {
        const first = previous.get() === undefined;
        insert.run(boot);
        return { previousExit: first ? "first_start" : clean ? "clean" : "unclean" };
      });
    },
    ready(bootId: string, nowMs: number): void {
      db.writeNow(() => ready.run(nowMs, bootId));
    },
    /** `clean`: every turn had ended; `cut`: the drain ran out of time. */
    end(bootId: string, nowMs: number, exit: "clean" | "cut"): void {
      db.writeNow(() => end.run(nowMs, exit, bootId));
    },
  };
}
