import { createAgentCache } from "../agents/agent-cache.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { SessionKey } from "../contract/ids.ts";
import { silentLog } from "../log/log.ts";
import type { Log } from "../log/log.ts";
import { historyOf } from "../transcripts/message-view.ts";
import { createIntake } from "../turns/intake.ts";
import type { InboundKind } from "../turns/inbox-store.ts";
import { createLanes } from "../turns/lanes.ts";
import type { LaneDeps } from "../turns/lanes.ts";
import { createTurnLeases } from "../turns/turn-lease.ts";
import { manualClock } from "./manual-clock.ts";
import { defaultRules, dmSource, inbound, keyOf } from "./samples.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { testStores } from "./test-database.ts";
import type { TestStores } from "./test-database.ts";
import { testBus } from "./test-intake.ts";

/** Lanes on real stores with an intake before them and a scripted agent behind them. */
export function testLanes(part: Partial<LaneDeps> = {}, stores: TestStores = testStores()) {
  const { db, directory, inbox } = stores;
  const clock = manualClock();
  const bus = testBus();
  const agent = scriptedAgent();
  const delivered: SessionKey[] = [];
  const ended: { key: SessionKey; state: string }[] = [];
  const logged: { event: string; cause: unknown }[] = [];
  const log: Log = {
    ...silentLog,
    error: (event, _fields, cause) => logged.push({ event, cause }),
    area: () => log,
  };
  const lanes = createLanes({
    db,
    stores,
    agents: createAgentCache(),
    bus,
    clock,
    log,
    bootId: "boot",
    limits: () => ({ idleMs: 0, graceMs: 2_000 }),
    chooseAgent: () => agent.runtime.id,
    runtime: () => agent.runtime,
    shownText: ({ text }) => text,
    request: (turn) => ({
      system: "",
      history: historyOf(
        directory.messages
          .live(turn.sessionId)
          .filter(({ id }) => id < (turn.messageIds[0] ?? Number.MAX_SAFE_INTEGER)),
      ),
      text: turn.message.text,
    }),
    channel: () => ({ transcriptIsDelivery: false, autonomousLane: false }),
    onStarted: () => undefined,
    deliver: (key) => delivered.push(key),
    onEnded: ({ key }, state) => ended.push({ key, state }),
    maxConcurrent: () => null,
    onWakeDropped: () => undefined,
    leases: createTurnLeases(clock, () => 1_000),
    ...part,
  });
  const intake = createIntake({
    db,
    directory,
    inbox,
    bus,
    clock,
    keyRules: () => defaultRules,
    burst: () => ({ gapMs: -1, capMs: -1 }),
    wake: (key) => {
      lanes.wake(key);
    },
    command: () => Promise.resolve(""),
    onBusy: () => undefined,
    onAccepted: () => undefined,
  });
  lanes.open();
  return {
    ...stores,
    clock,
    bus,
    agent,
    lanes,
    delivered,
    ended,
    logged,
    /** A message of the chat into its lane. */
    say: (
      chat: string,
      text: string,
      kind: InboundKind = "message",
      more: Partial<InboundMessage> = {},
    ) => intake.accept(inbound(text, { source: dmSource(chat), ...more }), kind),
    key: (chat: string) => keyOf(dmSource(chat)),
    /** What a transcript holds: who said what. */
    transcript(chat: string): string[] {
      const row = directory.routing.get(keyOf(dmSource(chat)));
      return row
        ? directory.messages
            .page(row.sessionId, Number.MAX_SAFE_INTEGER, 500)
            .map((m) => `${m.role}: ${m.text}`)
        : [];
    },
  };
}
