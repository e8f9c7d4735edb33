import type { RecoveryLists } from "../contract/calls-recovery.ts";
import type { SessionKey } from "../contract/ids.ts";
import { failpoint } from "../failpoint.ts";
import { isPlatformWait } from "../delivery/after-send.ts";
import { debtAgeMs, decideDebt } from "../delivery/boot-sweep.ts";
import type { UnknownPolicy } from "../delivery/boot-sweep.ts";
import type { ObligationRow } from "../delivery/obligation-store.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { applyVerdict, endOrphan, tell } from "./apply.ts";
import { decideLane } from "./boot-decision.ts";
import type { BootSettings } from "./boot-decision.ts";
import { examineLane, lanesToExamine } from "./examine.ts";
import type { Now } from "./examine.ts";
import { givenUp } from "./given-up.ts";
import { debtEntry, laneEntry, reportLists } from "./report.ts";

export interface RecoverySettings extends BootSettings {
  /** Of a channel, by its id. */
  delivery(channelId: string): { policy: UnknownPolicy; staleMs: number; idempotent: boolean };
}

export interface RecoveryScope {
  /** Only these lanes; null = all that have something. */
  keys: readonly SessionKey[] | null;
  /** Lanes that are served now: not looked at. */
  isBusy(key: SessionKey): boolean;
  /** Lanes whose debts are being paid now: what a living process sends is never taken from it (lifecycle 11.6). */
  isPaying(key: SessionKey): boolean;
  /** False: says what it would do. */
  apply: boolean;
  /**
   * Runs the work on one lane; where its records cannot be read, that work alone is undone. Throws on, where the disk itself
   * refuses. Returns whether it was done.
   */
  contain(key: SessionKey, work: () => void): boolean;
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
  const inScope = (key: SessionKey): boolean => scope.keys === null || scope.keys.includes(key);
  const mayTouch = (key: SessionKey): boolean => inScope(key) && !scope.isBusy(key);
  const titleOf = (key: SessionKey): string => routing.get(key)?.title ?? "";

  function settleDebt(debt: ObligationRow): void {
    const verdict = decideDebt({
      state: debt.state,
      attempts: debt.attempts,
      ageMs: debtAgeMs(debt, now),
      recovered: debt.recovered === 1,
      ...settings.delivery(debt.channelId),
    });
    if (scope.apply) applyDebt(stores, debt, verdict, now.nowMs);
    const entry = debtEntry(verdict, { ...debt, title: titleOf(debt.sessionKey) });
    if (entry) report.add(entry.list, entry.item);
  }

  // Debts first: what the ledger owns is settled before any turn is looked at (lifecycle 10.3, step 7).
  const earlier = obligations.open();
  for (const debt of earlier)
    if (inScope(debt.sessionKey) && !scope.isPaying(debt.sessionKey)) settleDebt(debt);
  failpoint("boot.debts_decided");

  for (const key of scope.keys ?? lanesToExamine(stores)) {
    const row = mayTouch(key) ? routing.get(key) : undefined;
    if (!row) continue;
    const readable = scope.contain(key, () => {
      const found = examineLane(stores, row, now);
      const verdict = decideLane(found, settings);
      if (scope.apply) applyVerdict(stores, row, verdict, now.nowMs);
      if (verdict.kind === "resume" || verdict.kind === "hold") candidates += 1;
      const entry = laneEntry(row, found, verdict);
      if (entry) report.add(entry.list, entry.item);
    });
    if (!readable)
      report.add("held", {
        key,
        title: row.title,
        evidence: "Its records could not be read; it was left as it is.",
        deliveryId: null,
      });
  }
  // A reply that was found in a transcript is a debt of now, and may have been shown already.
  const known = new Set(earlier.map((debt) => debt.obligationId));
  for (const debt of obligations.open())
    if (debt.state === "attempting" && mayTouch(debt.sessionKey) && !known.has(debt.obligationId))
      settleDebt(debt);
  for (const input of inbox.started())
    if (input.kind !== "command" && mayTouch(input.sessionKey) && !isMarked(stores, input)) {
      if (scope.apply) scope.contain(input.sessionKey, () => endOrphan(stores, input, now.nowMs));
      report.add("givenUp", {
        key: input.sessionKey,
        title: titleOf(input.sessionKey),
        evidence: "Its turn had no end, and the session has moved on.",
        deliveryId: null,
      });
    }
  failpoint("boot.lanes_decided");

  for (const key of inbox.waitingLanes()) {
    if (!inScope(key)) continue;
    if (scope.apply && !scope.isBusy(key)) {
      dropUnreadable(stores, key, now.nowMs);
      if (routing.get(key)?.resumeHeldAt == null) inbox.promote(key);
    }
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

const isMarked = (
  { directory }: TurnFinishStores,
  input: { sessionKey: SessionKey; turnId: string | null },
): boolean => directory.routing.get(input.sessionKey)?.activeTurnToken === input.turnId;

/** A waiting message that cannot be read would stop its lane for ever: it is ended, and its person told. */
function dropUnreadable(stores: TurnFinishStores, key: SessionKey, nowMs: number): void {
  for (const item of stores.inbox.waiting(key)) {
    try {
      decodeInbound(item.eventJson);
    } catch {
      stores.inbox.end(item.seq, "failed", nowMs);
      const row = stores.directory.routing.get(key);
      if (row) tell(stores, { ...row, activeTurnToken: null }, null, givenUp.unreadable, nowMs);
    }
  }
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
  // Our own pauses end with a restart; what the platform asked for does not.
  const nextAttemptAt = isPlatformWait(debt.lastError) ? debt.nextAttemptAt : null;
  switch (verdict.kind) {
    case "leave":
      return;
    case "send-plain":
    case "repeat":
      settle({ state: "pending", error: debt.lastError, nextAttemptAt });
      return;
    case "send-labelled":
      settle({
        state: "pending",
        error: debt.lastError,
        nextAttemptAt,
        labelled: debt.cause ?? "the gateway was restarted during its delivery",
      });
      return;
    case "ask":
      settle({
        state: "unknown",
        error: debt.lastError ?? "The gateway ended while it was being sent.",
      });
      return;
    case "expire":
      settle({ state: "abandoned", error: debt.lastError ?? "Too old to be sent." });
  }
}
