import type { SessionFlag } from "../contract/domain.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";

/** Every stored flag that holds, with its evidence (ux.md 3, Flags). */
export function flagsOf(
  row: RoutingRow,
  lastActor: (key: SessionKey, act: string) => string | null,
): SessionFlag[] {
  const flags: SessionFlag[] = [];
  const flag = (
    name: string,
    value: string,
    sinceMs: number | null,
    by: string | null,
    clearedBy: string,
  ): void => {
    flags.push({ name, value, sinceMs, by, clearedBy });
  };
  if (row.suspended === 1)
    flag(
      "suspended",
      row.suspendReason ?? "yes",
      row.suspendedAt,
      row.suspendedBy,
      "the next message, or taking it back",
    );
  if (row.resumePending === 1)
    flag(
      "resume_pending",
      row.resumeReason ?? "yes",
      row.lastResumeMarkedAt,
      "recovery",
      "the next turn that succeeds",
    );
  if (row.isFreshReset === 1)
    flag(
      "is_fresh_reset",
      "yes",
      row.createdAt,
      lastActor(row.sessionKey, "reset"),
      "the first turn",
    );
  if (row.wasAutoReset === 1)
    flag(
      "was_auto_reset",
      row.autoResetReason ?? "yes",
      row.createdAt,
      lastActor(row.sessionKey, "suspend"),
      "the first turn",
    );
  if (row.activeTurnToken !== null)
    flag(
      "active_turn",
      row.activeTurnToken.slice(0, 8),
      row.activeTurnStartedAt,
      null,
      "the end of the turn",
    );
  if (row.errorCode !== null)
    flag("last_turn_failed", row.errorCode, row.stateSince, null, "the next turn, or a reset");
  if (row.expiryFinalized === 1)
    flag("expiry_finalized", "historical", null, null, "nothing; it is kept as read");
  return flags;
}
