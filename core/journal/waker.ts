import type { InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import { toWire } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { RoutingStore } from "../sessions/routing-store.ts";
import type { Database } from "../state/database.ts";
import { enqueueInside } from "../turns/enqueue.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import { isWoken } from "./agent-key.ts";
import type { Journal } from "./journal.ts";
import { chainOf } from "./notices.ts";
import type { Chain } from "./relay.ts";

export interface WakerDeps {
  db: Database;
  routing: RoutingStore;
  inbox: InboxStore;
  journal: Journal;
  clock: Clock;
  log: Log;
  wakeLane(key: SessionKey): void;
  /** Whether agents may be woken on behalf of this chain. */
  mayWake(chain: Chain | null): boolean;
}

/** Idle sessions that are woken at once; more wait their turn (state-awareness 15). */
const atOnce = 4;
/** A place that is not given back is taken back: its session waits for something else. */
const placeMs = 60_000;
/** A session that was woken this often in the window is left alone until the oldest leaves it. */
const floodStarts = 5;
const floodMs = 60_000;
/** Pauses before a session is woken again whose agent failed before it saw what waits; the last one repeats. */
const retryMs = [60_000, 300_000, 1_800_000] as const;

export type Waker = ReturnType<typeof createWaker>;

/**
 * Starts a turn in sessions for which notices wait (state-awareness 6.4): through a row of the inbox, one at a time for
 * each session, a few sessions at once. A wake is a hint: what waits is the rows, and a lost wake loses none.
 */
export function createWaker(deps: WakerDeps) {
  const { db, routing, inbox, journal, clock, log } = deps;
  const wanted = new Set<string>();
  /** Sessions whose wake is on its way, with what takes their place back. */
  const placed = new Map<string, () => void>();
  const starts = new Map<string, number[]>();
  const failures = new Map<string, number>();
  /** Sessions that are wanted again later, with what ends the waiting: one of each kind, however much happens. */
  const later = { flood: new Map<string, () => void>(), retry: new Map<string, () => void>() };
  let working = false;
  let open = false;

  const isWake = (message: InboundMessage): boolean => message.provenance?.kind === "wake";

  /** The chain that the wake goes on in; undefined where nothing waits, or nobody may be woken for it. */
  function chainOfWaiting(key: string): Chain | null | undefined {
    const chains = journal.lines.waiting(key).map(chainOf);
    if (chains.length === 0) return undefined;
    if (chains.includes(null)) return null;
    const longest = chains.reduce((a, b) => ((b?.hops ?? 0) > (a?.hops ?? 0) ? b : a), null);
    return deps.mayWake(longest) ? longest : undefined;
  }

  /** Part of a transaction. @returns whether a wake was put into the lane. */
  function insert(key: SessionKey): boolean {
    const row = routing.get(key);
    const source = row ? originOf(row) : null;
    // A suspended session is not woken: its next message shall start fresh, and a wake is nobody's message.
    if (!row || !source || row.suspended === 1 || row.channelId === "mcp") return false;
    const chain = chainOfWaiting(key);
    if (chain === undefined) return false;
    if (inbox.waiting(key).some((item) => isWake(decodeInbound(item.eventJson)))) return false;
    const message: InboundMessage = {
      channelId: row.channelId,
      source,
      text: "",
      messageId: null,
      internal: true,
      expectsReply: false,
      provenance: {
        kind: "wake",
        from: null,
        chain: chain === null ? null : { id: chain.id, hops: chain.hops + 1 },
      },
    };
    enqueueInside({ inbox, routing }, key, message, "internal", clock.nowMs());
    return true;
  }

  /** How long the session is still to be left alone, in ms. */
  function floodedMs(key: string): number {
    const nowMs = clock.monotonicMs();
    const recent = (starts.get(key) ?? []).filter((at) => nowMs - at < floodMs);
    if (recent.length === 0) starts.delete(key);
    else starts.set(key, recent);
    const oldest = recent[0];
    return oldest !== undefined && recent.length >= floodStarts ? oldest + floodMs - nowMs : 0;
  }

  function release(key: string): void {
    placed.get(key)?.();
    placed.delete(key);
  }

  /** @returns whether it was not waited for yet. */
  function wantLater(kind: keyof typeof later, key: string, ms: number): boolean {
    const waiting = later[kind];
    if (waiting.has(key)) return false;
    const cancel = clock.after(ms, () => {
      waiting.delete(key);
      if (open && journal.lines.hasWaiting(key)) want(key);
    });
    waiting.set(key, cancel);
    return true;
  }

  async function wakeOne(key: string): Promise<void> {
    const waitMs = floodedMs(key);
    if (waitMs > 0) {
      if (wantLater("flood", key, waitMs))
        log.info("wake.deferred", { sessionKey: key, ms: Math.round(waitMs) });
      return;
    }
    placed.set(
      key,
      clock.after(placeMs, () => {
        placed.delete(key);
        pump();
      }),
    );
    const made = await db.write(() => insert(asSessionKey(key)));
    if (!made) {
      release(key);
      return;
    }
    starts.set(key, [...(starts.get(key) ?? []), clock.monotonicMs()]);
    deps.wakeLane(asSessionKey(key));
  }

  function pump(): void {
    if (working || !open) return;
    working = true;
    void (async () => {
      try {
        for (const key of wanted) {
          if (placed.size >= atOnce) break;
          wanted.delete(key);
          if (!placed.has(key)) await wakeOne(key);
        }
      } catch (cause) {
        log.warn("wake.failed", { code: toWire(cause).code }, cause); // what waits is told in the next turn
      } finally {
        working = false;
      }
    })();
  }

  function want(key: string): void {
    if (!isWoken(key)) return;
    wanted.add(key);
    pump();
  }

  return {
    want,
    /** A turn of the session began or its wake was dropped: what opens from here on is another wake's. */
    settled(key: string): void {
      release(key);
      pump();
    },
    /** The agent failed before it saw what waits: it is woken again, after a while. */
    retry(key: string): void {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      wantLater("retry", key, retryMs[Math.min(before, retryMs.length - 1)] ?? 0);
    },
    told(key: string): void {
      failures.delete(key);
    },
    /** Whether the next item of a lane is a wake that has nothing to tell any more. */
    isStale(key: SessionKey, message: InboundMessage): boolean {
      if (!isWake(message)) return false;
      return routing.get(key)?.suspended === 1 || !journal.lines.hasWaiting(key);
    },
    /** Lets wakes go out; before, they are only noted. */
    open(): void {
      open = true;
      pump();
    },
    close(): void {
      open = false;
      for (const waiting of [placed, later.flood, later.retry]) {
        for (const cancel of waiting.values()) cancel();
        waiting.clear();
      }
      wanted.clear();
    },
  };
}
