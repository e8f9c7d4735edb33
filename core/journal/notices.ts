import { agentOf } from "./agent-key.ts";
import type { CursorRow, CursorStore, Target } from "./cursor-store.ts";
import { acknowledged, replayed, settledThrough } from "./marks.ts";
import { contextKeyOf, noticeText, targetOfContext } from "./notice-text.ts";
import type { Chain } from "./relay.ts";
import { ordinaryCap } from "./system-event-store.ts";
import type { SystemEvent, SystemEventStore } from "./system-event-store.ts";

export interface NoticeDeps {
  cursors: CursorStore;
  lines: SystemEventStore;
  /** Something about a pair changed; told after the commit. `event`: the event that did it, if one did. */
  touched(watcher: string, target: Target, what: "opened" | "ended", event: number | null): void;
}

export type Notices = ReturnType<typeof notices>;

/** The life of notices (state-awareness 6.2, 6.3): rows of a queue, moved by the marks of their cursors. Callers bring the transaction. */
export function notices(deps: NoticeDeps) {
  const { cursors, lines } = deps;

  /**
   * Queues the pair's notice, or folds into the one that waits; another text takes its place.
   * @param live The pair's notices that have not ended, where the caller has them already.
   */
  function open(
    watcher: string,
    target: Target,
    base: number,
    chain: Chain | null,
    event: number | null,
    nowMs: number,
    live: readonly SystemEvent[] = lines.liveNotices(watcher, target),
  ): void {
    const same = live.find((row) => row.base === base); // one base, one text
    const waits = live.find((row) => row.state === "waiting");
    if (same) {
      const before = chainOf(same);
      const joined = joinChains(before, chain);
      if (joined !== before) lines.setChain(same.id, joined);
    } else if (waits) lines.reword(waits.id, noticeText(target.key, base), base, chain, nowMs);
    else
      lines.insertNotice(
        {
          watcher,
          target,
          text: noticeText(target.key, base),
          contextKey: contextKeyOf(target.key),
          base,
          chain,
        },
        nowMs,
      );
    deps.touched(watcher, target, "opened", event);
  }

  /** @returns the chain that what ended went on in. */
  function endLive(
    watcher: string,
    target: Target,
    how: "drained" | "withdrawn",
    nowMs: number,
  ): Chain | null {
    const live = lines.liveNotices(watcher, target);
    for (const row of live) lines.end(row.id, how, nowMs);
    if (live.length > 0) deps.touched(watcher, target, "ended", null);
    return chainOfAll(live);
  }

  return {
    open,

    /** What a turn is to be shown, oldest first; it stays unacknowledged until the turn's end says that it was seen. */
    take(sessionKey: string, turnId: string | null): SystemEvent[] {
      return lines.waiting(sessionKey).filter((row) => lines.take(row.id, turnId));
    },

    /** What was shown was seen (6.3, "precisely"): each target once; a follow-up opens for what came in between. */
    acknowledge(sessionKey: string, shown: readonly SystemEvent[], nowMs: number): void {
      const targets = new Map<string, { target: Target; chain: Chain | null }>();
      for (const row of shown) {
        // One that was settled or withdrawn meanwhile has been dealt with.
        if (!lines.end(row.id, "drained", nowMs)) continue;
        const key = row.contextKey === null ? null : targetOfContext(row.contextKey);
        if (key === null) continue;
        const target = { key, agentId: row.targetAgentId ?? agentOf(key) };
        targets.set(JSON.stringify(target), { target, chain: chainOf(row) });
      }
      for (const { target, chain } of targets.values()) {
        const cursor = cursors.get(sessionKey, target);
        if (!cursor) continue;
        const { marks, reopenFrom } = acknowledged(cursor);
        cursors.setMarks(sessionKey, target, marks, nowMs);
        cursors.noteDrained(sessionKey, target, nowMs);
        deps.touched(sessionKey, target, "ended", null);
        if (reopenFrom !== null) open(sessionKey, target, reopenFrom, chain, null, nowMs);
      }
    },

    /** The turn ended before its agent saw them: they wait again, save where a newer one of the pair does. */
    putBack(shown: readonly SystemEvent[], nowMs: number): void {
      for (const row of shown) {
        const newer =
          row.targetKey !== null &&
          row.targetAgentId !== null &&
          lines
            .liveNotices(row.sessionKey, { key: row.targetKey, agentId: row.targetAgentId })
            .some((other) => other.id !== row.id && other.state === "waiting");
        if (newer) lines.end(row.id, "withdrawn", nowMs);
        else lines.putBack(row.id);
      }
    },

    /** The watcher says that it has read everything through a version; false where it holds no cursor. */
    settle(watcher: string, target: Target, version: number, nowMs: number): boolean {
      const cursor = cursors.get(watcher, target);
      if (!cursor) return false;
      const { marks, notice } = settledThrough(cursor, version);
      if (notice === "keep") return true;
      cursors.setMarks(watcher, target, marks, nowMs);
      const chain = endLive(watcher, target, "drained", nowMs);
      if (notice === "reword") open(watcher, target, marks.lastSeen, chain, null, nowMs);
      return true;
    },

    /** One pending pair at a start (6.5). Where its notice still waits, which is the rule here, little is written. */
    replay(cursor: CursorRow, nowMs: number): void {
      const { watcher, lastSeen } = cursor;
      const target = { key: cursor.targetKey, agentId: cursor.targetAgentId };
      const marks = replayed(cursor);
      if (marks.notified !== cursor.notified) cursors.setMarks(watcher, target, marks, nowMs);
      const live = lines.liveNotices(watcher, target);
      open(watcher, target, lastSeen, chainOfAll(live), null, nowMs, live);
    },

    /** The pair's notice means nothing any more: the watch ended, or its target is gone. */
    withdraw(watcher: string, target: Target, nowMs: number): void {
      endLive(watcher, target, "withdrawn", nowMs);
    },

    /**
     * Queues an ordinary line. @returns its number; null where the same one waits already (with a context key: any;
     * without: the newest).
     */
    enqueue(
      sessionKey: string,
      given: string,
      context: string | null,
      nowMs: number,
    ): number | null {
      const text = given.trim();
      if (text === "") return null;
      const contextKey = context?.toLowerCase() ?? null;
      const waits = lines.waiting(sessionKey);
      const again =
        contextKey === null
          ? waits.at(-1)?.contextKey === null && waits.at(-1)?.text === text
          : waits.some((row) => row.contextKey === contextKey && row.text === text);
      if (again) return null;
      const ordinary = waits.filter((row) => row.targetKey === null);
      const oldest = ordinary[0];
      if (oldest && ordinary.length >= ordinaryCap) lines.end(oldest.id, "withdrawn", nowMs);
      return lines.insertLine({ sessionKey, text, contextKey, target: null }, nowMs);
    },
  };
}

export const chainOf = (row: Pick<SystemEvent, "chainId" | "chainHops">): Chain | null =>
  row.chainId === null ? null : { id: row.chainId, hops: row.chainHops };

const chainOfAll = (rows: readonly SystemEvent[]): Chain | null =>
  rows.length === 0 ? null : rows.map(chainOf).reduce(joinChains);

/** Where a person had a part, a new chain begins; of two chains the longer one counts. */
const joinChains = (a: Chain | null, b: Chain | null): Chain | null =>
  a === null || b === null ? null : b.hops > a.hops ? b : a;
