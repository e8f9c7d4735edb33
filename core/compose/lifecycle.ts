import type { AgentCache } from "../agents/agent-cache.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Acceptance, InboundMessage } from "../channels/channel.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { goalCommand } from "../goals/goal-command.ts";
import { metaStore } from "../state/meta-store.ts";
import { actKit } from "../turns/act-kit.ts";
import { createBackgroundRuns } from "../turns/background-runs.ts";
import { busyModeOf, createBusyInput } from "../turns/busy-input.ts";
import type { BusySettings } from "../turns/busy-input.ts";
import { createCommands } from "../turns/commands.ts";
import { createConfirmations } from "../turns/commands/confirmation.ts";
import type { RestartRequest } from "../turns/commands/gateway-commands.ts";
import type { Asked } from "../turns/commands/asked.ts";
import { createCompressActs } from "../turns/compress-acts.ts";
import { createLaneActs } from "../turns/lane-acts.ts";
import { createLaneGuard } from "../turns/lane-guard.ts";
import type { Lanes } from "../turns/lanes.ts";
import { createPause } from "../turns/pause.ts";
import { createTranscriptActs } from "../turns/transcript-acts.ts";
import type { TurnLeases } from "../turns/turn-lease.ts";
import { shownText } from "../turns/turn-request.ts";
import type { RunLimits } from "../turns/turn-run.ts";
import type { Base } from "./base.ts";

export interface LifecycleParts {
  lanes: Lanes;
  leases: TurnLeases;
  agents: AgentCache;
  registry: AgentRegistry;
  limits(): RunLimits;
  chooseAgent(row: RoutingRow): string;
  connectedPlatforms(): readonly string[];
  readsTranscript(channelId: string): boolean;
  /** Puts a message into a lane, never merged. */
  enqueue(key: SessionKey, message: InboundMessage): Promise<Acceptance>;
  /** Something is owed to the lane's chat. */
  deliver(key: SessionKey): void;
  /** Child runs that the lane asked for; returns how many are being stopped. */
  stopChildren(key: SessionKey, because: string): number;
}

/** A summary that takes longer than this is told of later, in ms: no channel waits for a model. */
const patienceMs = 5_000;

export type RestartAnswer = { already: boolean; running: number } | null;
export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Everything a person can do to a conversation, by whatever door (lifecycle 18). */
export function createLifecycle(base: Base, parts: LifecycleParts) {
  const { clock, config, db, stores, bus, bootId, openLog } = base;
  const { directory, inbox, turns, acts, delegations, obligations } = stores;
  const { lanes, leases, agents, registry } = parts;
  const log = openLog.log.area("turns");
  let restart: (request: RestartRequest) => RestartAnswer = () => null;

  const guard = createLaneGuard({ lanes, directory, inbox, leases });
  const actDeps = {
    db,
    directory,
    inbox,
    turns,
    obligations,
    acts,
    lanes,
    guard,
    agents,
    bus,
    clock,
  };
  const kit = actKit(actDeps);
  const background = createBackgroundRuns({
    db,
    directory,
    inbox,
    delegations,
    bus,
    clock,
    log,
    owner: { bootId, pid: process.pid },
    chooseAgent: (row) => parts.chooseAgent(row),
    runtime: (id) => registry.get(id),
    limits: () => parts.limits(),
    wake: (key) => {
      lanes.wake(key);
    },
  });
  const compression = createCompressActs({
    ...actDeps,
    kit,
    locks: stores.compressionLocks,
    runtimeFor: (row) => registry.get(parts.chooseAgent(row)),
    limits: () => parts.limits(),
    mode: () => config.value.compression.mode,
  });
  const laneActs = createLaneActs({
    ...actDeps,
    kit,
    stopDetached: (key, sessionId, reason) =>
      background.stopFor(key, sessionId, reason) + parts.stopChildren(key, reason),
    stopCompression: (key) => compression.stop(key),
    deliver: (key) => {
      parts.deliver(key);
    },
  });
  const transcripts = createTranscriptActs({ ...actDeps, kit });
  const pause = createPause({ db, meta: metaStore(db), acts, lanes, bus, clock });

  function busySettings(key: SessionKey, platform: string): BusySettings {
    const { display } = config.value;
    return {
      lane: directory.settings.busyMode(key),
      legacyText: display.busy_text_mode,
      platform: display.platforms[platform]?.busy_input_mode ?? null,
      display: display.busy_input_mode,
    };
  }
  const busyInput = createBusyInput({
    db,
    inbox,
    lanes,
    clock,
    log,
    mode: (key, message) => busyModeOf(busySettings(key, message.source.platform)),
    isCompressing: (key) => compression.isRunning(key),
    paused: () => pause.now(),
    shownText: (message) => shownText(message, base.keyRules()),
    seesQueue: (channelId) => channelId === "local",
  });

  const confirmations = createConfirmations({
    db,
    directory,
    clock,
    log,
    asksFirst: () => config.value.approvals.destructive_slash_confirm,
    stopAsking: () => void config.set("approvals.destructive_slash_confirm", false),
    onAnswered: (approval, answer) => {
      bus.emit("approval.answered", { id: approval.approvalId, key: approval.sessionKey, answer });
    },
  });

  /** A word from the gateway itself: owed like a notice, or a bar where people read the transcript. */
  async function tellLater({ key, message, inputId }: Asked, line: string): Promise<void> {
    await db.write(() => {
      const nowMs = clock.nowMs();
      const row = directory.routing.get(key);
      if (!row) return;
      if (parts.readsTranscript(message.channelId)) {
        directory.maker.mark(row.sessionId, "notice", line, nowMs);
        return;
      }
      obligations.owe(
        {
          sessionKey: key,
          channelId: message.channelId,
          target: message.source,
          content: line,
          kind: "notice",
          replyTo: message.messageId,
          ref: `in:${inputId}`,
          messageId: null,
          turnId: null,
        },
        nowMs,
      );
    });
    bus.emit("messages.changed", { key });
    parts.deliver(key);
  }

  const commands = createCommands({
    db,
    directory,
    inbox,
    lanes,
    guard,
    clock,
    log,
    acts: laneActs,
    transcripts,
    compression,
    background,
    pause,
    busyInput,
    confirmations,
    goal: goalCommand({
      db,
      goals: stores.goals,
      clock,
      changed: (key) => {
        bus.emit("session.changed", { key, urgent: true });
      },
    }),
    patience: () => new Promise((resolve) => void clock.after(patienceMs, resolve)),
    tellLater,
    isolation: () => base.keyRules(),
    enqueue: (key, message) => parts.enqueue(key, message),
    busyMode: (key, message) => {
      const settings = busySettings(key, message.source.platform);
      return { now: busyModeOf(settings), without: busyModeOf({ ...settings, lane: null }) };
    },
    agentOf: ({ key }) => {
      const row = directory.routing.get(key);
      const runtime = row ? registry.get(parts.chooseAgent(row)) : registry.default();
      return { id: runtime.id, model: runtime.model };
    },
    connectedPlatforms: () => parts.connectedPlatforms(),
    restart: (request) => restart(request),
    // Who sits at this machine may do everything; others are told apart by their channel's access rules.
    isAdministrator: (message) => message.channelId === "local",
  });

  bus.on("session.finalized", ({ key }) => {
    busyInput.forget(key);
  });

  return {
    guard,
    laneActs,
    transcripts,
    compression,
    background,
    pause,
    busyInput,
    confirmations,
    commands,
    busySettings,
    /** The host's way to drain and start anew; without one, `/restart` says that it cannot. */
    onRestart(given: (request: RestartRequest) => RestartAnswer): void {
      restart = given;
    },
    restart: (request: RestartRequest): RestartAnswer => restart(request),
    /** Before any turn: what was paused stays paused, locks of a process that is gone are void. */
    restore(): void {
      pause.restore();
      db.writeNow(() => {
        stores.compressionLocks.dropAll();
        directory.approvals.expire(clock.nowMs());
      });
    },
  };
}
