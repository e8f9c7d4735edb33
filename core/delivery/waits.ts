import type { Clock } from "../clock.ts";
import type { ObligationRow } from "./obligation-store.ts";

/**
 * How long debts have still to wait. Whichever clock says less: the wall's may have been set back, the monotonic one stands
 * still while a laptop sleeps.
 */
export function createWaits(clock: Clock) {
  const due = new Map<string, { until: number; dueMs: number }>(); // by obligation, on the monotonic clock
  return {
    /** In ms; 0 and less: now. */
    leftMs({
      obligationId,
      nextAttemptAt,
      updatedAt,
    }: Pick<ObligationRow, "obligationId" | "nextAttemptAt" | "updatedAt">): number {
      if (nextAttemptAt === null) return 0;
      const wallMs = nextAttemptAt - clock.nowMs();
      let wait = due.get(obligationId);
      if (wait?.until !== nextAttemptAt) {
        const fullMs = Math.max(0, nextAttemptAt - updatedAt);
        wait = { until: nextAttemptAt, dueMs: clock.monotonicMs() + Math.min(wallMs, fullMs) };
        due.set(obligationId, wait);
      }
      return Math.min(wallMs, wait.dueMs - clock.monotonicMs());
    },
    forget(obligationId: string): void {
      due.delete(obligationId);
    },
  };
}
