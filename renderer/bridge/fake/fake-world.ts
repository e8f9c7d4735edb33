import type {
  AgentRow,
  ChannelRow,
  GatewayStatus,
  LogLine,
  MessageRow,
  Notice,
  Problem,
  SessionRow,
  WaitingItem,
} from "../../../core/contract/domain.ts";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import { needsMeStates } from "../../../core/contract/session-filter.ts";
import { fakeDeliveries } from "./fake-deliveries.ts";
import { fakeDefaults } from "./fake-settings.ts";
import { fakeSession, fakeTranscript, type FakeSeed } from "./fake-seed.ts";

/** Rows by key, which count their changes, so that an answer can be kept as long as it is true. */
export class RowMap extends Map<string, SessionRow> {
  changes = 0;
  override set(key: string, row: SessionRow): this {
    this.changes += 1;
    return super.set(key, row);
  }
  override delete(key: string): boolean {
    this.changes += 1;
    return super.delete(key);
  }
}

/** Everything a fake gateway knows: plain data, changed in place by its calls. */
export interface FakeWorld {
  seed: FakeSeed;
  rows: RowMap;
  transcripts: Map<string, MessageRow[]>;
  waiting: Map<string, WaitingItem[]>;
  live: Map<string, { id: string; startedAtMs: number; text: string }>;
  notices: Notice[];
  logs: LogLine[];
  channels: ChannelRow[];
  agents: AgentRow[];
  deliveries: DeliveryRow[];
  problems: Problem[];
  config: Record<string, unknown>;
}

/** The world of a seed, before anything happened. */
export function fakeWorld(seed: FakeSeed): FakeWorld {
  const rows = Array.from({ length: seed.sessions }, (_, index) => fakeSession(index, seed));
  return {
    seed,
    rows: new RowMap(rows.map((row) => [row.key, row])),
    transcripts: new Map(),
    waiting: new Map(),
    live: new Map(),
    notices: seed.sessions === 0 ? [] : fakeNotices(seed.nowMs, rows),
    logs: fakeLogs(seed.nowMs, rows),
    channels: fakeChannels(seed.nowMs, rows),
    agents: fakeAgents(seed.nowMs),
    deliveries: fakeDeliveries(seed.nowMs, rows),
    problems: [],
    config: {
      ...fakeDefaults,
      agents: {
        claude: {
          baseUrl: "https://models.example/v1",
          model: "large-2",
          apiKey: { hasKey: true },
        },
      },
      channels: {
        ...fakeDefaults.channels,
        webhook: {
          deploys: {
            enabled: true,
            secret: { hasKey: true },
            out: null,
            agent: null,
            chatType: "dm",
          },
        },
      },
    },
  };
}

/** The transcript of a lane, made when it is first asked for. */
export function transcriptOf(world: FakeWorld, row: SessionRow): MessageRow[] {
  const known = world.transcripts.get(row.key) ?? fakeTranscript(row);
  world.transcripts.set(row.key, known);
  return known;
}

export interface Counts {
  all: number;
  needsMe: number;
  running: number;
  suspended: number;
}

/** The segment counts over all sessions. */
export function countsOf(world: FakeWorld): Counts {
  const counts = { all: world.rows.size, needsMe: 0, running: 0, suspended: 0 };
  for (const row of world.rows.values()) {
    if (needsMeStates.includes(row.state)) counts.needsMe += 1;
    if (row.state === "running") counts.running += 1;
    if (row.state === "suspended") counts.suspended += 1;
  }
  return counts;
}

/** The gateway's status line at `nowMs`. */
export function statusOf(world: FakeWorld, nowMs: number): GatewayStatus {
  const counts = countsOf(world);
  return {
    version: "0.1.0",
    bootId: "fake-boot",
    pid: 4_242,
    host: "embedded",
    state: "up",
    startedAtMs: world.seed.nowMs - 11_520_000,
    nowMs,
    dataDir: "~/.signalbox",
    storeVersion: 40,
    storeBytes: 212_400_000,
    counts: {
      sessions: counts.all,
      running: counts.running,
      queued: [...world.rows.values()].reduce((sum, row) => sum + row.queueDepth, 0),
      suspended: counts.suspended,
      needsYou: counts.needsMe,
      unknownDeliveries: world.deliveries.length,
    },
    turns: { today: 184, failedToday: 3 },
    previousExit: "clean",
    memory: { rssBytes: 148_000_000, heapBytes: 61_000_000 },
    freeBytes: 84_600_000_000,
    runtimes: { node: "24.21.0", sqlite: "3.53.1" },
    loopDelayP99Ms: 11,
    problems: world.problems,
    capabilities: { osNotifications: false, tray: false, autostart: false, openPath: false },
  };
}

function fakeNotices(nowMs: number, rows: SessionRow[]): Notice[] {
  const failed = rows.find((row) => row.state === "failed");
  const link = failed === undefined ? null : `/sessions/${encodeURIComponent(failed.key)}`;
  const base = { link: null, count: 1, seen: true };
  return [
    {
      ...base,
      id: 3,
      atMs: nowMs - 120_000,
      kind: "failed",
      title: `${failed?.title ?? "A session"}: the turn failed`,
      body: "The model server did not answer.",
      link,
      seen: false,
    },
    {
      ...base,
      id: 2,
      atMs: nowMs - 5_400_000,
      kind: "channel_down",
      title: "telegram is down",
      body: "The platform refuses the token.",
      link: "/channels",
      count: 4,
    },
    {
      ...base,
      id: 1,
      atMs: nowMs - 11_520_000,
      kind: "info",
      title: "Signalbox started",
      body: "The previous exit was clean.",
    },
  ];
}

function fakeLogs(nowMs: number, rows: SessionRow[]): LogLine[] {
  return Array.from({ length: Math.min(400, rows.length * 2) }, (_, index): LogLine => {
    const row = rows[index % Math.max(1, rows.length)];
    const level = index % 37 === 0 ? "error" : index % 11 === 0 ? "warn" : "info";
    return {
      seq: index + 1,
      atMs: nowMs - (400 - index) * 9_000,
      level,
      area: index % 3 === 0 ? "delivery" : "turns",
      event:
        level === "error" ? "turn.failed" : index % 3 === 0 ? "obligation.settled" : "turn.ended",
      sessionKey: row?.key ?? null,
      text: level === "error" ? "The model server did not answer." : "",
    };
  });
}

function fakeChannels(nowMs: number, rows: SessionRow[]): ChannelRow[] {
  const of = (id: string) => rows.filter((row) => row.channelId === id).length;
  const base = { sinceMs: nowMs - 11_520_000, account: null, lastError: null, address: null };
  return [
    {
      ...base,
      id: "local",
      kind: "local",
      state: "up",
      messagesIn: 312,
      messagesOut: 310,
      sessions: of("local"),
    },
    {
      ...base,
      id: "webhook:deploys",
      kind: "webhook",
      state: "up",
      messagesIn: 88,
      messagesOut: 87,
      sessions: of("webhook:deploys"),
      address: "/hooks/deploys",
    },
    {
      ...base,
      id: "simulator",
      kind: "simulator",
      state: "up",
      messagesIn: 0,
      messagesOut: 0,
      sessions: 0,
    },
    {
      ...base,
      id: "telegram",
      kind: "telegram",
      state: "down",
      account: "@signalbox_bot",
      messagesIn: 1_204,
      messagesOut: 1_180,
      sessions: of("telegram"),
      lastError: {
        code: "E_CHANNEL_DOWN",
        message: "The platform refuses the token.",
        atMs: nowMs - 5_400_000,
      },
    },
  ];
}

function fakeAgents(nowMs: number): AgentRow[] {
  const ok = { state: "ok", atMs: nowMs - 60_000, ms: 21, code: null, message: null } as const;
  return [
    {
      id: "practice",
      runtime: "practice",
      origin: "built-in",
      baseUrl: null,
      model: null,
      hasKey: false,
      isDefault: false,
      running: 0,
      failuresLastHour: 0,
      probe: { ...ok, models: [] },
    },
    {
      id: "ollama",
      runtime: "openai-compatible",
      origin: "found",
      baseUrl: "http://127.0.0.1:11434/v1",
      model: "llama3.2",
      hasKey: false,
      isDefault: true,
      running: 1,
      failuresLastHour: 2,
      probe: { ...ok, models: ["llama3.2", "qwen3:8b"] },
    },
    {
      id: "claude",
      runtime: "openai-compatible",
      origin: "config",
      baseUrl: "https://models.example/v1",
      model: "large-2",
      hasKey: true,
      isDefault: false,
      running: 0,
      failuresLastHour: 0,
      probe: {
        state: "failed",
        atMs: nowMs - 60_000,
        ms: null,
        models: [],
        code: "E_AGENT_KEY",
        message: "The server refuses the key.",
      },
    },
  ];
}
