import { obligationStore } from "../delivery/obligation-store.ts";
import { noticeStore } from "../live/notice-store.ts";
import { recoveryStore } from "../recovery/recovery-store.ts";
import { sessionDirectory } from "../sessions/session-directory.ts";
import { sessionList } from "../sessions/session-list.ts";
import { actStore } from "../state/act-store.ts";
import { bootStore } from "../state/boot-store.ts";
import type { Database } from "../state/database.ts";
import { compressionLockStore } from "../transcripts/compression-lock-store.ts";
import { delegationStore } from "../turns/delegation-store.ts";
import { inboxStore } from "../turns/inbox-store.ts";
import { queueStore } from "../turns/queue-store.ts";
import { turnStore } from "../turns/turn-store.ts";

export type Stores = ReturnType<typeof openStores>;

/** Every table's store on one database; statements are prepared here, once. */
export const openStores = (db: Database) => ({
  directory: sessionDirectory(db),
  inbox: inboxStore(db),
  turns: turnStore(db),
  obligations: obligationStore(db),
  notices: noticeStore(db),
  boots: bootStore(db),
  acts: actStore(db),
  list: sessionList(db),
  delegations: delegationStore(db),
  compressionLocks: compressionLockStore(db),
  recovery: recoveryStore(db),
  queues: queueStore(db),
});
