import type { Channel } from "./channels/channel.ts";
import type { HookHandler } from "./channels/hook.ts";
import type { Clock } from "./clock.ts";
import { openBase } from "./compose/base.ts";
import { createDataParts } from "./compose/data.ts";
import { createMachinery } from "./compose/machinery.ts";
import { breakerSettings, recoverySettings } from "./compose/recovery-settings.ts";
import { serveCalls } from "./compose/served.ts";
import type { Cipher } from "./config/secrets.ts";
import type { CallName, CallOutput } from "./contract/calls.ts";
import type { GatewayStatus } from "./contract/domain.ts";
import { failpoint } from "./failpoint.ts";
import type { CallContext, GatewayApi } from "./gateway-api.ts";
import { createJournalPushes } from "./live/journal-pushes.ts";
import { createPushes } from "./live/pushes.ts";
import type { OpenLog } from "./log/create-log.ts";
import { recoverBoot } from "./recovery/boot.ts";
import { bootNotice } from "./recovery/report.ts";
import { countCut } from "./recovery/recovery-store.ts";
import { restartFiles } from "./recovery/restart-files.ts";
import { statusReader } from "./served/status.ts";
import { sessionRowOf } from "./sessions/session-list.ts";
import { messageRows } from "./transcripts/message-view.ts";
import type { ToolClients } from "./tools/clients.ts";
import { version } from "./version.ts";

export interface GatewayOptions {
  /** Created with mode 0700 where it is missing; owned by this process until `stop`. */
  dataDir: string;
  host: GatewayStatus["host"];
  capabilities?: Partial<GatewayStatus["capabilities"]>;
  /** Encrypts secrets at rest, where the operating system offers it. */
  cipher?: Cipher;
  clock?: Clock;
  /** Opened beside those that the settings name; how a host or a test brings its own. */
  channels?: readonly Channel[];
  /** False in tests that must not look at this machine's ports. Default true. */
  discoverAgents?: boolean;
}

export interface StopOptions {
  /** Cut running turns at once instead of waiting for them. */
  now?: boolean;
  /** The host is to start the gateway again once it has stopped (`/restart`, lifecycle 10.7). */
  restart?: boolean;
}

export interface Gateway extends GatewayApi {
  readonly startedAtMs: number;
  readonly dataDir: string;
  /** Handlers of `POST /hooks/<name>`, by name; read at each request. */
  readonly hooks: { get(name: string): HookHandler | undefined };
  /** Programs outside that use the session tools. */
  readonly clients: ToolClients;
  /** The log of this gateway, for its hosts. */
  readonly log: OpenLog;
  /** Settings that a host needs before it opens anything. */
  readonly serverSettings: { port: number; host: string };
  /** Tells the command line where this gateway answers. */
  publishUrl(url: string): void;
  /** Called when `gateway.stop` was asked for through the contract. */
  onStopRequested(listener: (options: StopOptions) => void): void;
  /** Recovers, opens the channels, lets turns start. Resolves when messages are accepted. */
  start(): Promise<void>;
  /**
   * Drains (at most `gateway.quit_drain_timeout` s), closes everything, releases the data directory. A second call
   * with `now` ends the waiting of the first.
   */
  stop(reason: string, options?: StopOptions): Promise<void>;
}

/** How long sends in flight may take to end at a stop, in ms. */
const sendGraceMs = 5_000;

/**
 * Composes a gateway on a data directory (architecture, "The shape"). Opens the database and takes ownership at once;
 * nothing runs before `start`.
 * @throws {SignalboxError} E_OWNED, E_STORE_FROM_FUTURE, E_STORE_DAMAGED, E_READ_ONLY, E_STORE_FULL.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const base = openBase(options);
  const { clock, bootId, startedAtMs, config, db, stores, bus, openLog, log, ownership } = base;
  const { directory, boots, list } = stores;
  const machinery = createMachinery(base);
  const { lanes, sender, hub, registry, agents } = machinery;
  const data = createDataParts(base);

  const files = restartFiles(options.dataDir);
  let previousExit: GatewayStatus["previousExit"] = "first_start";
  let state: GatewayStatus["state"] = "starting";
  let stopping: Promise<void> | null = null;
  let stopRequested: ((given: StopOptions) => void) | null = null;
  let restarting = false;

  const status = statusReader({
    ...stores,
    options,
    bootId,
    startedAtMs,
    clock,
    db,
    lanes,
    problems: () => [...(base.degraded ? [base.degraded.problem] : []), ...config.problems],
    previousExit: () => previousExit,
    state: () => state,
  });
  const pushes = createPushes({
    bus,
    clock,
    sessionRow: (key) => {
      const row = directory.routing.get(key);
      return row && sessionRowOf(row);
    },
    counts: () => list.counts(),
    messages: (ids) => messageRows(ids.flatMap((id) => directory.messages.get(id) ?? [])),
    status: () => status.read(),
    batchMs: 100,
    onError: (cause) => {
      log.error("push.failed", {}, cause);
    },
  });
  const journalPushes = createJournalPushes({
    ...pushes,
    bus,
    clock,
    batchMs: 100,
    ...machinery.awareness.view,
    child: (runId) => {
      const run = stores.childRuns.get(runId);
      return run && machinery.awareness.view.child(run);
    },
    head: () => stores.journal.events.newest(),
    onError: (cause) => {
      log.error("push.failed", {}, cause);
    },
  });
  const door = serveCalls(base, machinery, data, status, (given) => {
    stopRequested?.(given);
  });
  machinery.lifecycle.onRestart(() => {
    const host = stopRequested;
    if (!host) return null;
    const already = restarting || stopping !== null;
    restarting = true;
    if (!already)
      setImmediate(() => {
        host({ restart: true }); // the answer leaves first
      });
    return { already, running: lanes.countRunning() };
  });

  const off = [
    openLog.ring.onLine((line) => {
      bus.emit("logs.line", line);
    }),
    registry.onChange(() => {
      bus.emit("agents.changed", { agents: registry.list() });
    }),
    config.onChange((path) => {
      openLog.setLevel(config.value.log.level);
      registry.setAgents({
        agents: config.value.agents,
        defaultAgent: config.value.defaultAgent,
      });
      if (path === "" || path.startsWith("channels"))
        machinery.useChannels().catch((cause: unknown) => {
          log.error("channels.change_failed", {}, cause);
        });
      bus.emit("config.changed", { path });
      bus.emit("status.changed", {});
    }),
  ];

  /** The start sequence of lifecycle 10.3; its phases are timed for the boot report. */
  async function start(): Promise<void> {
    const phases: { name: string; ms: number }[] = [];
    let since = clock.monotonicMs();
    const phase = (name: string): void => {
      const now = clock.monotonicMs();
      phases.push({ name, ms: Math.round((now - since) * 10) / 10 });
      since = now;
    };
    data.prepare();
    phase("routing");
    const clean = files.takeCleanShutdown();
    failpoint("boot.receipt_taken");
    ({ previousExit } = boots.begin({ bootId, startedAtMs, version, host: options.host }, clean));
    failpoint("boot.recorded");
    machinery.buildChannels();
    phase("open");
    const report = recoverBoot(db, stores, {
      bootId,
      now: { ...clock.machine(), nowMs: clock.nowMs() },
      previousExit,
      settings: { ...recoverySettings(base, machinery), clean },
      breaker: breakerSettings(base),
      onUnreadable: (key, cause) => {
        log.error("recovery.unreadable", { sessionKey: key }, cause);
      },
    });
    failpoint("boot.recovered");
    phase("recovery");
    await machinery.useChannels();
    failpoint("boot.channels_up");
    phase("channels");
    state = base.degraded ? "degraded" : "up";
    machinery.lifecycle.restore();
    machinery.awareness.recover();
    lanes.open();
    sender.pumpAll();
    await machinery.lifecycle.background.settleBoot();
    await machinery.awareness.start();
    registry.start();
    machinery.pressure.start();
    machinery.watchdog.start();
    machinery.housekeeping.start();
    failpoint("boot.lanes_open");
    phase("lanes");
    finishBoot(report, phases);
    log.info("gateway.up", { version, host: options.host, previousExit });
    bus.emit("status.changed", {});
  }

  function finishBoot(
    report: ReturnType<typeof recoverBoot>,
    phases: { name: string; ms: number }[],
  ): void {
    const { resumed, held } = report.lists;
    db.writeNow(() => {
      stores.recovery.saveReport(bootId, { ...report, phases }, resumed.count + held.count);
    });
    failpoint("boot.report_saved");
    boots.ready(bootId, clock.nowMs());
    failpoint("boot.ready");
    bestEffort("restart_files.write_failed", () => {
      files.writeCounts(stores.recovery.allRestarts());
      files.writeLoop(stores.recovery.resumingBoots(50).toReversed());
    });
    const notice = bootNotice(report.lists, bootId);
    if (notice) base.raise(notice);
  }

  function bestEffort(event: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      log.warn(event, {}, cause);
    }
  }

  const hurry = new AbortController();

  async function stop(reason: string, restarts: boolean): Promise<void> {
    log.info("gateway.stopping", { reason, running: lanes.countRunning() });
    const started = state !== "starting";
    state = "draining";
    bus.emit("status.changed", {});
    lanes.shut();
    failpoint("stop.begun");
    registry.stop();
    machinery.pressure.stop();
    machinery.watchdog.stop();
    await machinery.housekeeping.stop();
    const signals = machinery.awareness.stop();
    const detached = machinery.lifecycle.background.stop(); // their records settle while turns end
    // Who restarts waits for answers; who quits wants to leave (lifecycle 10.7).
    const drainSeconds = restarts
      ? config.value.agent.restart_after_turn_timeout
      : config.value.gateway.quit_drain_timeout;
    const left = await lanes.drain(drainSeconds * 1000, hurry.signal);
    failpoint("stop.drained");
    if (left.length > 0) db.writeNow(() => countCut(stores, left, clock.nowMs()));
    failpoint("stop.cut_counted");
    await Promise.all(
      left.map((key) =>
        lanes.cut(key, { outcome: "parked", because: "shutdown_timeout", tell: false }),
      ),
    );
    await detached;
    await signals;
    failpoint("stop.parked");
    await sender.stop(sendGraceMs);
    failpoint("stop.sends_ended");
    await hub.stopAll();
    failpoint("stop.channels_stopped");
    await agents.releaseAll();
    for (const undo of off) undo();
    // A receipt says that nothing was cut: judged by what is on disk, for a turn may have ended without being saved, and a
    // start that failed leaves behind what it found.
    const clean = started && left.length === 0 && !stores.turns.anyUnended();
    if (started) boots.end(bootId, clock.nowMs(), clean ? "clean" : "cut");
    failpoint("stop.end_recorded");
    const counts = stores.recovery.allRestarts();
    machinery.awareness.close();
    journalPushes.close();
    pushes.close();
    status.close();
    await data.close();
    await db.close();
    failpoint("stop.db_closed");
    config.close();
    bestEffort("restart_files.write_failed", () => {
      files.writeCounts(counts);
      // The last step: whatever fails before it leaves an unclean stop behind, as it should.
      if (clean) files.writeCleanShutdown();
      failpoint("stop.receipt_written");
    });
    log.info("gateway.stopped", { cut: left.length });
    openLog.close();
    ownership.release();
  }

  const system: CallContext = { actor: "rpc", connection: null };
  return {
    bootId,
    startedAtMs,
    dataDir: options.dataDir,
    log: openLog,
    serverSettings: config.value.server,
    hooks: { get: machinery.hook },
    clients: machinery.clients,
    answer: (name, input, context) => door.answer(name, input, context),
    call: <N extends CallName>(name: N, input: unknown, context = system) =>
      door.call(name, input, context) as Promise<CallOutput<N>>,
    connect: (connection, listener) => pushes.connect(connection, listener),
    publishUrl(url) {
      ownership.publish({ ...base.self, url, bootId, version });
    },
    onStopRequested(listener) {
      stopRequested = listener;
    },
    start,
    stop(reason, given = {}) {
      if (given.now === true) hurry.abort(); // also while it drains already
      stopping ??= stop(reason, given.restart === true);
      return stopping;
    },
  };
}
