import type { Clock } from "../clock.ts";
import type { Bus } from "../live/bus.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import type { MetaStore } from "../state/meta-store.ts";
import type { Lanes } from "./lanes.ts";

/** Why no new turn starts, since when and by whom. */
export interface Paused {
  reason: string | null;
  sinceMs: number;
  by: string;
}

const name = "turns.paused";

export type Pause = ReturnType<typeof createPause>;

/** The global stop for new turns (`/pause`, lifecycle 18). Survives a restart; running turns and commands go on. */
export function createPause(deps: {
  db: Database;
  meta: MetaStore;
  acts: ActStore;
  lanes: Lanes;
  bus: Bus;
  clock: Clock;
}) {
  const { db, meta, lanes, bus, clock } = deps;

  function read(): Paused | null {
    const stored = meta.get(name);
    return stored === null ? null : (JSON.parse(stored) as Paused | null);
  }

  return {
    /** Null where turns may start. */
    now: read,
    /** At start-up, before any turn: what was paused stays paused. */
    restore(): void {
      lanes.setPaused(read() !== null);
    },
    /** Returns whether it changed anything: a second pause keeps the first one's time and gives it a reason. */
    async set(on: boolean, reason: string | null, actor: string): Promise<boolean> {
      const changed = await db.write(() => {
        const before = read();
        const nowMs = clock.nowMs();
        if (!on && before === null) return false;
        if (on && before !== null && (reason === null || reason === before.reason)) return false;
        const paused = on ? { reason, sinceMs: before?.sinceMs ?? nowMs, by: actor } : null;
        meta.set(name, JSON.stringify(paused));
        const summary = on ? (reason ?? "No new turn starts.") : "New turns start again.";
        deps.acts.record({
          at: nowMs,
          actor,
          act: on ? "pause" : "unpause",
          sessionKey: null,
          summary,
        });
        return true;
      });
      lanes.setPaused(on);
      bus.emit("status.changed", {});
      return changed;
    },
  };
}
