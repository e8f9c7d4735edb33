import type { Clock } from "../clock.ts";
import type { ChannelRow } from "../contract/domain.ts";
import { toWire } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import type { Acceptance, Channel, InboundMessage } from "./channel.ts";

export interface HubDeps {
  clock: Clock;
  log: Log;
  accept(message: InboundMessage): Promise<Acceptance>;
  sessionsPerChannel(): Map<string, number>;
  onChange(): void;
  /** It can send now: what it owes is tried again. */
  onUp(channelId: string): void;
}

/** How long a channel's start is waited for; it goes on starting, in ms. */
const startPatienceMs = 10_000;

interface Entry {
  channel: Channel;
  state: ChannelRow["state"];
  sinceMs: number;
  messagesIn: number;
  messagesOut: number;
  lastError: ChannelRow["lastError"];
}

export type ChannelHub = ReturnType<typeof createChannelHub>;

/** The channels of this gateway and how they are. One that fails to start never keeps another from starting. */
export function createChannelHub(deps: HubDeps) {
  const { clock, log } = deps;
  const entries = new Map<string, Entry>();
  let stopped: Promise<unknown> = Promise.resolve();

  function setState(
    entry: Entry,
    state: ChannelRow["state"],
    error?: { code: string; message: string },
  ): void {
    const nowMs = clock.nowMs();
    if (entry.state !== state) entry.sinceMs = nowMs;
    entry.state = state;
    if (error) entry.lastError = { ...error, atMs: nowMs };
    deps.onChange();
    if (state === "up") deps.onUp(entry.channel.id);
  }

  async function start(entry: Entry): Promise<void> {
    const { channel } = entry;
    setState(entry, "starting");
    try {
      await channel.start({
        clock,
        log: log.area(channel.id),
        accept: (message) => deps.accept(message),
        report: (state, error) => {
          if (entries.get(channel.id) === entry) setState(entry, state, error);
        },
      });
      if (entry.state === "starting") setState(entry, "up");
    } catch (cause) {
      const error = toWire(cause);
      log.error("channel.start_failed", { channel: channel.id, code: error.code }, cause);
      setState(entry, "down", error);
    }
  }

  async function stop(entry: Entry): Promise<void> {
    try {
      await entry.channel.stop();
    } catch (cause) {
      log.error("channel.stop_failed", { channel: entry.channel.id }, cause);
    }
  }

  /** Waits for it, but not for ever: a platform that does not answer keeps the gateway and its other channels from nothing. */
  async function inTime(started: Promise<unknown>): Promise<void> {
    let cancel = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = clock.after(startPatienceMs, resolve);
    });
    await Promise.race([started, patience]);
    cancel();
  }

  return {
    /** The channel, if it can send. */
    sendable(id: string): Channel | undefined {
      const entry = entries.get(id);
      return entry?.state === "up" ? entry.channel : undefined;
    },
    get: (id: string): Channel | undefined => entries.get(id)?.channel,
    /** Kinds of the channels that are up; counts nothing, so that every turn may ask. */
    kindsUp: (): string[] =>
      [...entries.values()].flatMap(({ state, channel }) => (state === "up" ? [channel.kind] : [])),
    /**
     * Starts what is new, stops what is gone, all side by side. Two changes at once end with the later one: what it
     * replaces is not started any more.
     */
    async use(channels: readonly Channel[]): Promise<void> {
      const wanted = new Set(channels);
      const leaving = [...entries.values()].filter((entry) => !wanted.has(entry.channel));
      for (const entry of leaving) entries.delete(entry.channel.id);
      const known = new Set([...entries.values()].map((entry) => entry.channel));
      const arriving = channels
        .filter((channel) => !known.has(channel))
        .map((channel): Entry => ({
          channel,
          state: "starting",
          sinceMs: clock.nowMs(),
          messagesIn: 0,
          messagesOut: 0,
          lastError: null,
        }));
      for (const entry of arriving) entries.set(entry.channel.id, entry);
      stopped = Promise.all([stopped, ...leaving.map(stop)]);
      await stopped;
      const current = arriving.filter((entry) => entries.get(entry.channel.id) === entry);
      await inTime(Promise.all(current.map(start)));
      deps.onChange();
    },
    async stopAll(): Promise<void> {
      const leaving = [...entries.values()];
      entries.clear();
      await Promise.all(leaving.map(stop));
    },
    countIn(id: string): void {
      const entry = entries.get(id);
      if (entry) entry.messagesIn += 1;
    },
    countOut(id: string): void {
      const entry = entries.get(id);
      if (entry) entry.messagesOut += 1;
    },
    rows(): ChannelRow[] {
      const sessions = deps.sessionsPerChannel();
      return [...entries.values()].map(({ channel, ...entry }) => ({
        id: channel.id,
        kind: channel.kind,
        account: channel.account,
        address: channel.address,
        sessions: sessions.get(channel.id) ?? 0,
        ...entry,
      }));
    },
  };
}
