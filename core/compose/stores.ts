import { childRunStore } from "../agents/delegations/child-run-store.ts";
import { obligationStore } from "../delivery/obligation-store.ts";
import { goalStore } from "../goals/goal-store.ts";
import { createGoals } from "../goals/goals.ts";
import { openJournal } from "../journal/journal.ts";
import { laneSignals } from "../journal/lane-signals.ts";
import { parentageStore } from "../journal/parentage-store.ts";
import { relayStore } from "../journal/relay-store.ts";
import { retention } from "../journal/retention.ts";
import { noticeStore } from "../live/notice-store.ts";
import { recoveryStore } from "../recovery/recovery-store.ts";
import { sessionDirectory } from "../sessions/session-directory.ts";
import { sessionList } from "../sessions/session-list.ts";
import { actStore } from "../state/act-store.ts";
import { bootStore } from "../state/boot-store.ts";
import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import type { Database } from "../state/database.ts";
import { sendStore } from "../tools/send-store.ts";
import { compressionLockStore } from "../transcripts/compression-lock-store.ts";
import { delegationStore } from "../turns/delegation-store.ts";
import { inboxStore } from "../turns/inbox-store.ts";
import { queueStore } from "../turns/queue-store.ts";
import { turnStore } from "../turns/turn-store.ts";

export type Stores = ReturnType<typeof openStores>;

/** Every table's store on one database; statements are prepared here, once. The clock tells ages by the machine's run. */
export function openStores(db: Database, clock: Clock = systemClock) {
  const journal = openJournal(db);
  const parentage = parentageStore(db);
  const goals = createGoals({ store: goalStore(db), journal, parentage });
  return {
    directory: sessionDirectory(db, laneSignals(journal, goals)),
    inbox: inboxStore(db),
    turns: turnStore(db),
    obligations: obligationStore(db, () => clock.machine()),
    notices: noticeStore(db),
    boots: bootStore(db),
    acts: actStore(db),
    list: sessionList(db),
    delegations: delegationStore(db),
    compressionLocks: compressionLockStore(db),
    recovery: recoveryStore(db, () => clock.machine()),
    queues: queueStore(db),
    journal,
    parentage,
    goals,
    childRuns: childRunStore(db),
    sends: sendStore(db),
    relays: relayStore(db),
    retention: retention(db),
  };
}
