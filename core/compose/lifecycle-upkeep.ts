import type { HousekeepingTask } from "../recovery/housekeeping.ts";
import type { Base } from "./base.ts";

const dayMs = 24 * 3600 * 1000;
/** Answered questions and ended tasks are kept as evidence this long, in ms. */
const evidenceKeptMs = 30 * dayMs;
/** Old lanes are looked for at most this often, in ms (lifecycle 3.9). */
const lanesEveryMs = 3_600_000;
const batch = 200;

/** What the lifecycle leaves behind: unanswered questions, old evidence, lanes that nobody writes in any more. */
export function lifecycleUpkeep(base: Base): HousekeepingTask[] {
  const { stores, config, bus, clock } = base;
  const { directory, delegations } = stores;
  let lanesAtMs: number | null = null;

  function pruneLanes(nowMs: number): number {
    const days = config.value.session_store_max_age_days;
    const ranAgoMs = lanesAtMs === null ? Infinity : clock.monotonicMs() - lanesAtMs;
    if (days <= 0 || ranAgoMs < lanesEveryMs) return 0;
    const gone = directory.pruneOld(nowMs - days * dayMs, batch, () => false);
    if (gone.length < batch) lanesAtMs = clock.monotonicMs();
    for (const key of gone)
      queueMicrotask(() => {
        bus.emit("session.removed", { key });
      });
    return gone.length;
  }

  return [
    {
      name: "questions",
      step(nowMs) {
        directory.approvals.prune(nowMs - evidenceKeptMs);
        return directory.approvals.expire(nowMs) > 0 ? 1 : 0;
      },
    },
    {
      name: "tasks",
      step(nowMs) {
        delegations.prune(nowMs - evidenceKeptMs);
        return 0;
      },
    },
    { name: "lanes", step: pruneLanes },
  ];
}
