import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { openConfig } from "../config/config.ts";
import type { GatewayOptions } from "../gateway.ts";
import { createBus } from "../live/bus.ts";
import type { NewNotice } from "../live/notice-store.ts";
import { createLog } from "../log/create-log.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { whatsAppMappingFiles } from "../sessions/whatsapp-mapping-files.ts";
import { openStore } from "../state/degraded.ts";
import { acquireOwnership } from "../state/owner-lock.ts";
import { openStores } from "./stores.ts";

export type Base = ReturnType<typeof openBase>;

/**
 * What everything else stands on: ownership of the data directory, log, settings, database, stores, events.
 * @throws {SignalboxError} E_OWNED, E_STORE_FROM_FUTURE, E_STORE_DAMAGED, E_READ_ONLY, E_STORE_FULL; nothing stays open then.
 */
export function openBase(options: GatewayOptions) {
  const clock = options.clock ?? systemClock;
  const bootId = randomBytes(8).toString("hex");
  const startedAtMs = clock.nowMs();
  const self = { pid: process.pid, startedAtMs, host: options.host };
  const ownership = acquireOwnership(options.dataDir, self);
  const openLog = createLog({ dir: join(options.dataDir, "logs"), bootId, clock });
  const log = openLog.log.area("gateway");
  const config = openConfig(options.dataDir, {
    onSecret: openLog.addSecret,
    ...(options.cipher ? { cipher: options.cipher } : {}),
  });
  openLog.setLevel(config.value.log.level);

  function open() {
    try {
      return openStore(
        options.dataDir,
        join(options.dataDir, "sessions"),
        openLog.log.area("state"),
        startedAtMs,
      );
    } catch (cause) {
      log.error("store.refused", {}, cause);
      config.close();
      openLog.close();
      ownership.release();
      throw cause;
    }
  }
  const { db, degraded } = open();
  const stores = openStores(db, clock);
  const bus = createBus((name, cause) => {
    log.error("listener.failed", { event: name }, cause);
  });
  const readMapping = whatsAppMappingFiles(options.dataDir);

  return {
    options,
    clock,
    bootId,
    startedAtMs,
    self,
    ownership,
    openLog,
    log,
    config,
    db,
    /** What is wrong with the database, where a stand-in takes its place (lifecycle 3.10); else null. */
    degraded,
    stores,
    bus,
    /** How lanes are told apart now; read for each message. */
    keyRules: (): KeyRules => ({
      groupSessionsPerUser: config.value.group_sessions_per_user,
      threadSessionsPerUser: config.value.thread_sessions_per_user,
      ofChat: (chat) => {
        const own = config.value.chats[chat];
        return (
          own && {
            groupSessionsPerUser: own.group_sessions_per_user,
            threadSessionsPerUser: own.thread_sessions_per_user,
          }
        );
      },
      readMapping,
    }),
    /** Raises a notice, best effort: a notice that cannot be written never stops what it tells about. */
    raise(notice: NewNotice): void {
      void db
        .write(() => stores.notices.raise(notice, clock.nowMs()))
        .then((raised) => {
          if (raised)
            bus.emit("notice.raised", { notice: raised, unseen: stores.notices.unseen() });
        })
        .catch((cause: unknown) => {
          log.error("notice.lost", { kind: notice.kind }, cause);
        });
    },
  };
}
