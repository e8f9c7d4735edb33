import type { HookHandler } from "./channels/hook.ts";
import type { Clock } from "./clock.ts";
import { openBase } from "./compose/base.ts";
import { createMachinery } from "./compose/machinery.ts";
import { serveCalls } from "./compose/served.ts";
import type { Cipher } from "./config/secrets.ts";
import type { CallName, CallOutput } from "./contract/calls.ts";
import type { GatewayStatus } from "./contract/domain.ts";
import type { CallContext, GatewayApi } from "./gateway-api.ts";
import { createPushes } from "./live/pushes.ts";
import type { OpenLog } from "./log/create-log.ts";
import { settleBoot } from "./recovery/settle-boot.ts";
import { statusReader } from "./served/status.ts";
import { sessionRowOf } from "./sessions/session-list.ts";
import { messageRows } from "./transcripts/message-view.ts";
import { version } from "./version.ts";

export interface GatewayOptions {
  /** Created with mode 0700 where it is missing; owned by this process until `stop`. */
  dataDir: string;
  host: GatewayStatus["host"];
  capabilities?: Partial<GatewayStatus["capabilities"]>;
  /** Encrypts secrets at rest, where the operating system offers it. */
  cipher?: Cipher;
  clock?: Clock;
  /** False in tests that must not look at this machine's ports. Default true. */
  discoverAgents?: boolean;
}

export interface StopOptions {
  /** Cut running turns at once instead of waiting for them. */
  now?: boolean;
}

export interface Gateway extends GatewayApi {
  readonly startedAtMs: number;
  readonly dataDir: string;
  /** Handlers of `POST /hooks/<name>`, by name; read at each request. */
  readonly hooks: { get(name: string): HookHandler | undefined };
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
  /** Drains (at most `gateway.quit_drain_timeout` s), closes everything, releases the data directory. */
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

  const boot = boots.begin({ bootId, startedAtMs, version, host: options.host });
  let state: GatewayStatus["state"] = "starting";
  let stopping: Promise<void> | null = null;
  let stopRequested: (given: StopOptions) => void = () => undefined;

  const status = statusReader({
    ...stores,
    options,
    bootId,
    startedAtMs,
    clock,
    db,
    lanes,
    problems: () => config.problems,
    previousExit: () => boot.previousExit,
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
  });
  const door = serveCalls(base, machinery, status, (given) => {
    stopRequested(given);
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

  async function stop(reason: string, given: StopOptions): Promise<void> {
    log.info("gateway.stopping", { reason, running: lanes.countRunning() });
    state = "draining";
    bus.emit("status.changed", {});
    lanes.shut();
    registry.stop();
    const budgetMs = given.now === true ? 0 : config.value.gateway.quit_drain_timeout * 1000;
    const left = await lanes.drain(budgetMs);
    await Promise.all(
      left.map((key) =>
        lanes.cut(key, { outcome: "interrupted", because: "The gateway stopped." }),
      ),
    );
    await sender.stop(sendGraceMs);
    await hub.stopAll();
    await agents.releaseAll();
    for (const undo of off) undo();
    boots.end(bootId, clock.nowMs(), left.length === 0 ? "clean" : "cut");
    pushes.close();
    status.close();
    await db.close();
    config.close();
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
    async start() {
      settleBoot({ db, stores, nowMs: clock.nowMs() });
      await machinery.useChannels();
      state = "up";
      lanes.open();
      sender.pumpAll();
      registry.start();
      boots.ready(bootId, clock.nowMs());
      log.info("gateway.up", { version, host: options.host, previousExit: boot.previousExit });
      bus.emit("status.changed", {});
    },
    stop(reason, given = {}) {
      stopping ??= stop(reason, given);
      return stopping;
    },
  };
}
