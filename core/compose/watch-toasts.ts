import { asSessionKey } from "../contract/ids.ts";
import type { NoticeChange } from "../journal/publisher.ts";
import type { Base } from "./base.ts";

/** Changes of a pair within this time are one write of the notices panel, in ms. */
const gatherMs = 100;
/** A journal that cannot be written is told of this often at most, in ms. */
const failureMs = 600_000;

/** The operator's notices about watchers (ux.md 8.2): one entry a pair, counting up until it is seen. */
export function watchToasts(base: Base) {
  const { clock, stores } = base;
  const { directory, journal } = stores;
  const gathered = new Map<
    string,
    { change: NoticeChange; count: number; summary: string | null }
  >();
  let cancel: (() => void) | null = null;
  let lastFailureMs: number | null = null;

  const titleOf = (key: string): string => {
    const title = directory.routing.get(asSessionKey(key))?.title ?? "";
    return title === "" ? key : title;
  };

  function flush(): void {
    cancel = null;
    for (const { change, count, summary } of gathered.values()) {
      const { watcher, target } = change;
      const cursor = journal.cursors.get(watcher, target);
      if (cursor?.mutedAt !== null) continue; // muted, or watched no more
      base.raise({
        kind: "watch",
        title: `${titleOf(target.key)} changed`,
        body: `${summary ?? "It changed"}; ${titleOf(watcher)} watches it, and knows it up to version ${cursor.lastSeen}.`,
        link: `/sessions/${encodeURIComponent(target.key)}/changes?since=${cursor.lastSeen}`,
        group: `watch:${JSON.stringify([watcher, target.key, target.agentId])}`,
        add: count,
      });
    }
    gathered.clear();
  }

  return {
    noticed(change: NoticeChange, summary: string | null): void {
      if (change.events === 0) return;
      const id = JSON.stringify([change.watcher, change.target]);
      const held = gathered.get(id);
      gathered.set(id, { change, count: (held?.count ?? 0) + change.events, summary });
      cancel ??= clock.after(gatherMs, flush);
    },
    failed(): void {
      const nowMs = clock.monotonicMs();
      if (lastFailureMs !== null && nowMs - lastFailureMs < failureMs) return;
      lastFailureMs = nowMs;
      base.raise({
        kind: "failed",
        title: "The signal journal could not be written",
        body: "Messages and turns go on; what changed meanwhile may be missing from the journal. The log says why.",
        link: "/journal",
        group: "journal:failed",
      });
    },
    close(): void {
      if (cancel === null) return;
      cancel();
      flush();
    },
  };
}
