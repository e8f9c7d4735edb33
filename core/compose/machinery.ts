import { createAgentRegistry } from "../agents/registry.ts";
import type { Channel } from "../channels/channel.ts";
import { createChannelHub } from "../channels/channel-hub.ts";
import { localChannel } from "../channels/local.ts";
import { simulatorChannel } from "../channels/simulator.ts";
import { webhookChannel } from "../channels/webhook.ts";
import type { WebhookChannel } from "../channels/webhook.ts";
import { createSender } from "../delivery/sender.ts";
import { createToolClients } from "../tools/clients.ts";
import { createIntake } from "../turns/intake.ts";
import { createLanes } from "../turns/lanes.ts";
import type { Lanes } from "../turns/lanes.ts";
import { createTurnLeases } from "../turns/turn-lease.ts";
import type { StartedTurn } from "../turns/turn-start.ts";
import { debtOf } from "../turns/turn-finish.ts";
import { shownText, turnRequest } from "../turns/turn-request.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { createAwareness } from "./awareness.ts";
import type { Base } from "./base.ts";
import { createUpkeep } from "./upkeep.ts";
import { chooseAgent } from "./choose-agent.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createSessionTools } from "./session-tools.ts";
import { createWarmth } from "./warmth.ts";

/** Time an agent has to notice that it was stopped, in ms. */
const graceMs = 2_000;
/** One attempt at a delivery, in ms: a backstop, above the longest time that a channel may be given by its settings. */
const attemptMs = 310_000;
const freshStartNotice =
  "The session before this message was suspended, so this is a fresh start. /resume goes back to it.";

export type Machinery = ReturnType<typeof createMachinery>;

/** The moving parts, wired: channels → intake → lanes → agents → ledger → channels (architecture, "A message's way through"). */
export function createMachinery(base: Base) {
  const { options, clock, config, db, stores, bus, bootId, openLog, log } = base;
  const { directory, inbox, obligations, list } = stores;

  const registry = createAgentRegistry({
    agents: config.value.agents,
    defaultAgent: config.value.defaultAgent,
    clock,
    log: openLog.log,
    ...(options.discoverAgents === false ? { discoveryPorts: [] } : {}),
    limits: {
      firstTokenMs: config.value.turns.first_token_timeout * 1000,
      idleMs: config.value.turns.idle_timeout * 1000,
    },
  });
  const { agents, ...warmth } = createWarmth(base);

  const local = localChannel();
  const simulator = simulatorChannel();
  let webhooks: WebhookChannel[] = [];
  let channels: Channel[] = [];
  let builtFrom = "";

  /** Makes the channels that the settings name; the same settings keep the same channels. */
  function buildChannels(): void {
    const wanted = config.value.channels;
    const settings = JSON.stringify(wanted);
    if (settings === builtFrom) return;
    builtFrom = settings;
    webhooks = Object.entries(wanted.webhook).flatMap(([name, hook]) =>
      hook.enabled ? [webhookChannel(name, hook)] : [],
    );
    channels = [
      ...(wanted.local.enabled ? [local] : []),
      ...(wanted.simulator.enabled ? [simulator] : []),
      ...webhooks,
      ...(options.channels ?? []),
    ];
  }
  const hub = createChannelHub({
    clock,
    log: openLog.log.area("channels"),
    accept: (message) => intake.accept(message),
    sessionsPerChannel: () => list.sessionsPerChannel(),
    onChange: () => {
      bus.emit("channels.changed", { channels: hub.rows() });
    },
    onUp: () => {
      sender.pumpAll();
    },
  });
  const sender = createSender({
    db,
    obligations,
    channel: (id) => hub.sendable(id),
    bus,
    clock,
    log: openLog.log.area("delivery"),
    owner: { bootId, pid: process.pid },
    attemptMs,
    onSent: (channelId) => {
      hub.countOut(channelId);
    },
    settings: (channelId) => ({
      policy:
        config.value.gateway.delivery_unknown_by_channel[channelId] ??
        config.value.gateway.delivery_unknown,
      staleMs: config.value.gateway.delivery_stale_minutes * 60_000,
      retryMs: config.value.gateway.delivery_retry_seconds * 1000,
    }),
    onGivenUp: (row, state, reason) => {
      base.raise({
        kind: "needs_you",
        title: state === "unknown" ? "A reply may not have arrived" : "A reply was given up",
        body: reason,
        link: `/sessions/${encodeURIComponent(row.sessionKey)}`,
        group: `delivery:${state}:${row.channelId}`,
      });
    },
  });

  const readsTranscript = (channelId: string): boolean =>
    hub.get(channelId)?.capabilities.transcriptIsDelivery === true;

  function oweFreshStartNotice(turn: StartedTurn): void {
    if (turn.replaced !== null && !readsTranscript(turn.message.channelId))
      obligations.owe(debtOf(turn, freshStartNotice, "notice", null), clock.nowMs());
  }

  const leases = createTurnLeases(
    clock,
    () => config.value.agent.gateway_turn_lease_timeout * 1000,
  );
  const limits = () => ({ idleMs: config.value.agent.gateway_timeout * 1000, graceMs });
  const agentOf = (row: RoutingRow): string => chooseAgent(row, config.value, registry);
  const awareness = createAwareness(base, { lanes: () => lanes });
  const tools = createSessionTools(base, awareness, {
    lanes: () => lanes,
    registry,
    chooseAgent: agentOf,
  });
  const lanes: Lanes = createLanes({
    db,
    stores,
    agents,
    bus,
    clock,
    log: openLog.log.area("turns"),
    bootId,
    limits,
    chooseAgent: agentOf,
    runtime: (id) => registry.get(id),
    shownText: (message) => shownText(message, base.keyRules()),
    request: (turn) => {
      const request = turnRequest(directory, turn, {
        isolation: base.keyRules(),
        connectedPlatforms: hub.kindsUp(),
        redactPii: config.value.privacy.redact_pii,
        nowMs: clock.nowMs(),
        pin: (pin) => {
          db.write(() => {
            directory.pins.put(turn.key, pin);
          }).catch((cause: unknown) => {
            log.warn("pin.lost", { sessionKey: turn.key }, cause); // the next turn renders the same anyway
          });
        },
      });
      return awareness.shown(turn, request, (requester) => tools.boxFor(requester));
    },
    channel: (id) => ({
      transcriptIsDelivery: readsTranscript(id),
      autonomousLane: id.startsWith("webhook:"),
    }),
    onStarted: (turn) => {
      registry.turnStarted(turn.agentId);
      oweFreshStartNotice(turn);
      awareness.turnStarted(turn);
      watchdog.onStarted(turn);
    },
    onHung: (turn, replaced) => {
      watchdog.onCut(turn, replaced);
    },
    onEnding: (turn, result, nowMs) => {
      awareness.turnEnding(turn, result, nowMs);
    },
    isStale: (key, message) => awareness.isStale(key, message),
    deliver: (key) => {
      sender.pump(key);
    },
    onEnded: (turn, state, result) => {
      awareness.turnEnded(turn);
      registry.turnEnded(turn.agentId, state === "failed");
      if (state === "failed")
        base.raise({
          kind: "failed",
          title: `${turn.row.title === "" ? turn.key : turn.row.title}: a turn failed`,
          body: result.error?.message ?? "The agent failed.",
          link: `/sessions/${encodeURIComponent(turn.key)}`,
          group: `failed:${turn.key}`,
        });
    },
    maxConcurrent: () => config.value.max_concurrent_sessions,
    leases,
    onWakeDropped: (id) => {
      void db.write(() => {
        if (!awareness.childRuns.dropped(id, "its conversation ended"))
          stores.delegations.setDelivery(id, "dropped");
      });
    },
  });
  const { watchdog, housekeeping } = createUpkeep(base, {
    watched: () => lanes.watched(),
    readsTranscript,
    deliver: (key) => {
      sender.pump(key);
    },
  });
  const lifecycle = createLifecycle(base, {
    lanes,
    leases,
    agents,
    registry,
    limits,
    chooseAgent: agentOf,
    readsTranscript,
    connectedPlatforms: () => hub.kindsUp(),
    enqueue: (key, message) => intake.acceptInto(key, message, "queue"),
    deliver: (key) => {
      sender.pump(key);
    },
    stopChildren: (key, because) => awareness.stopChildren(key, because),
  });
  const { laneActs, commands, busyInput, confirmations } = lifecycle;
  const intake = createIntake({
    db,
    directory,
    inbox,
    bus,
    clock,
    keyRules: base.keyRules,
    burst: () => ({
      gapMs: config.value.turns.burst_gap * 1000,
      capMs: config.value.turns.burst_cap * 1000,
    }),
    wake: (key) => {
      lanes.wake(key);
    },
    command: (parsed, message, key, inputId) => commands.run(parsed, message, key, inputId),
    onAccepted: (message) => {
      hub.countIn(message.channelId);
    },
    isBusy: (key) => lifecycle.guard.isBusy(key) || lanes.whyClosed(key) !== null,
    onBusy: (key, message, inputId) => busyInput.onMessage(key, message, inputId),
    asAnswer: (key, message) => confirmations.asAnswer(key, message),
    heard: (key, message, nowMs) => {
      confirmations.heard(key, message, nowMs);
    },
    signal: (key, message, nowMs) => {
      awareness.accepted(key, message, nowMs);
    },
  });

  return {
    registry,
    agents,
    ...warmth,
    hub,
    sender,
    lanes,
    laneActs,
    lifecycle,
    watchdog,
    housekeeping,
    awareness,
    clients: createToolClients({
      db,
      directory,
      journal: stores.journal,
      tools,
      clock,
      changed: (key) => {
        bus.emit("session.changed", { key, urgent: true });
      },
    }),
    intake,
    local,
    simulator,
    hook: (name: string) => webhooks.find((hook) => hook.name === name)?.handler,
    /** The channel of this id, as the settings name it; it need not be up. */
    channelOf: (id: string): Channel | undefined => channels.find((channel) => channel.id === id),
    buildChannels,
    /** Starts the channels that the settings name, stops the others. */
    async useChannels(): Promise<void> {
      buildChannels();
      await hub.use(channels);
    },
  };
}
