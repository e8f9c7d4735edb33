import type { Journal } from "./journal.ts";
import { relayStopped } from "./producers.ts";
import { decideRelay, pairOf } from "./relay.ts";
import type { Chain, RelayLimits, RelayStop } from "./relay.ts";
import type { RelayStore } from "./relay-store.ts";

export interface RelayDeps {
  store: RelayStore;
  journal: Journal;
  limits(): RelayLimits & { windowMs: number };
  /** Agents were stopped; told once a chain and limit, inside the transaction. */
  stopped(from: string, to: string, stop: RelayStop): void;
}

export type Relays = ReturnType<typeof createRelays>;

const reasons: Record<RelayStop, string> = {
  hops: "too many relays one after another since a person last spoke",
  chain: "too many messages among agents have come of one message of a person",
  pair: "these two sessions have written to each other too often since a person last spoke in one of them",
};

/** Bounds on what agents make of each other's messages, whatever the number of agents and channels. Part of the caller's transaction. */
export function createRelays({ store, journal, limits, stopped }: RelayDeps) {
  return {
    /** A person spoke: counts of this session's pairs begin anew. */
    heard(key: string, nowMs: number): void {
      store.noteWord(key, nowMs);
    },
    /** The chain of a turn: its message's, the resumed turn's, or a new one. */
    chainOfTurn(turn: { turnId: string; chain: Chain | null; resumes: string | null }): Chain {
      return (
        turn.chain ??
        (turn.resumes === null ? null : store.chainOf(turn.resumes)) ?? {
          id: turn.turnId,
          hops: 0,
        }
      );
    },
    keepChain(turnId: string, chain: Chain, nowMs: number): void {
      if (chain.hops > 0) store.setChain(turnId, chain, nowMs);
    },
    /** One more relay, counted; or the sentence that refuses it. The refusal is a signal of the session it was for. */
    next(
      from: string,
      to: string,
      chain: Chain,
      nowMs: number,
    ): { ok: true; chain: Chain } | { ok: false; error: string } {
      const { windowMs, ...bounds } = limits();
      const hops = chain.hops + 1;
      const pair = pairOf(from, to);
      const sinceMs = nowMs - windowMs;
      const stop = decideRelay(
        {
          hops,
          inChain: store.inChain(chain.id, sinceMs),
          inPair: store.inPair(pair, Math.max(sinceMs, store.lastWord(from, to))),
        },
        bounds,
      );
      if (stop === null) {
        const next = { id: chain.id, hops };
        store.insert(next, pair, nowMs);
        return { ok: true, chain: next };
      }
      const before = journal.events.newest();
      const event = journal.record(relayStopped({ sessionKey: to }, from, stop, chain), nowMs);
      if (event && event.sequence > before) stopped(from, to, stop);
      return {
        ok: false,
        error: `This message was not sent: ${reasons[stop]}. A message of a person opens a new chain.`,
      };
    },
    /** Whether a wake may carry a chain on; a wake is a hop like any other. */
    mayWake: (chain: Chain | null): boolean => chain === null || chain.hops + 1 <= limits().maxHops,
    forget(nowMs: number): void {
      store.forget(nowMs - limits().windowMs);
    },
  };
}
