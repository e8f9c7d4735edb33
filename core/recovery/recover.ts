import type { RecoveryLists } from "../contract/calls-recovery.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import { decideDebt } from "../delivery/boot-sweep.ts";
import type { UnknownPolicy } from "../delivery/boot-sweep.ts";
import type { ObligationRow } from "../delivery/obligation-store.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { applyVerdict } from "./apply.ts";
import { decideLane } from "./boot-decision.ts";
import type { BootSettings, LaneVerdict } from "./boot-decision.ts";
import { examineLane, lanesToExamine } from "./examine.ts";
import type { Now } from "./examine.ts";
import { debtEntry, laneEntry, reportLists } from "./report.ts";

export interface RecoverySettings extends BootSettings {
  /** Of a channel, by its id. */
  delivery(channelId: string): { policy: UnknownPolicy; staleMs: number; idempotent: boolean };
}

export interface RecoveryScope {
  /** Only these lanes; null = all that have something. */
  keys: readonly SessionKey[] | null;
  /** Lanes in which a turn runs now, and debts that are being paid: not looked at. */
  isBusy(key: SessionKey): boolean;
  /** False: says what it would do. */
  apply: boolean;
}

export interface Recovered {
  lists: RecoveryLists;
  /** Lanes that had something to take up, taken up or held back. */
  candidates: number;
}

/**
 * Examines lanes, debts and queues, decides (pure), applies, and reports. One transaction of the caller: a start that is
 * killed half way is begun again from the same facts.
 */
export function recover(
  stores: TurnFinishStores,
  now: Now,
  settings: RecoverySettings,
  scope: RecoveryScope,
): Recovered {
  const { directory, inbox, obligations } = stores;
  const { routing } = directory;
  const report = reportLists();
  let candidates = 0;
  const inScope = (key: SessionKey): boolean =>
    (scope.keys === null || scope.keys.includes(key)) && !scope.isBusy(key);
  const titleOf = (key: SessionKey): string => routing.get(key)?.title ?? "";

  // Debts first: what the ledger owns is settled before any turn is looked at (lifecycle 10.3, step 7).
  for (const debt of obligations.open()) {
    if (!inScope(debt.sessionKey)) continue;
    const { policy, staleMs, idempotent } = settings.delivery(debt.channelId);
    const verdict = decideDebt({
      state: debt.state,
      attempts: debt.attempts,
      ageMs: Math.max(0, now.nowMs - debt.createdAt),
      recovered: debt.recovered === 1,
      idempotent,
      policy,
      staleMs,
    });
    if (scope.apply) applyDebt(stores, debt, verdict, now.nowMs);
    const entry = debtEntry(verdict, { ...debt, title: titleOf(debt.sessionKey) });
    if (entry) report.add(entry.list, entry.item);
  }

  failpoint("boot.debts_decided");
  for (const key of scope.keys ?? lanesToExamine(stores)) {
    if (!inScope(key)) continue;
    const row = routing.get(key);
    if (!row) continue;
    const found = examineLane(stores, row, now);
    const verdict: LaneVerdict = decideLane(found, settings);
    if (verdict.kind === "resume" || verdict.kind === "hold") candidates += 1;
    if (scope.apply) applyVerdict(stores, row, verdict, now.nowMs);
    const entry = laneEntry(row, found, verdict);
    if (entry) report.add(entry.list, entry.item);
  }

  failpoint("boot.lanes_decided");
  for (const key of inbox.waitingLanes()) {
    if (scope.keys !== null && !scope.keys.includes(key)) continue;
    if (scope.apply && !scope.isBusy(key)) inbox.promote(key);
    for (const item of inbox.waiting(key))
      if (item.kind !== "internal")
        report.add("waiting", {
          key,
          title: titleOf(key),
          evidence: `Accepted ${new Date(item.acceptedAt).toISOString()}, still waiting.`,
          deliveryId: null,
        });
  }
  return { lists: report.lists(), candidates };
}

function applyDebt(
  { obligations }: TurnFinishStores,
  debt: ObligationRow,
  verdict: ReturnType<typeof decideDebt>,
  nowMs: number,
): void {
  const settle = (to: Parameters<typeof obligations.settle>[2]): void => {
    obligations.settle(debt.obligationId, debt.fence, to, nowMs, true);
  };
  switch (verdict.kind) {
    case "leave":
      return;
    case "send-plain":
    case "repeat":
      settle({ state: "pending", error: debt.lastError, nextAttemptAt: debt.nextAttemptAt });
      return;
    case "send-labelled":
      settle({
        state: "pending",
        error: debt.lastError,
        labelled: "the gateway was restarted during its delivery",
      });
      return;
    case "ask":
      settle({
        state: "unknown",
        error: debt.lastError ?? "The gateway ended while it was being sent.",
      });
      return;
    case "abandon":
      settle({
        state: "abandoned",
        error:
          debt.lastError ??
          (verdict.because === "stale" ? "Too old to be sent." : "Not delivered."),
      });
  }
}
