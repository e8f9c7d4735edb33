import type { Clock } from "../clock.ts";
import type { PushName, Pushes } from "../contract/bridge.ts";
import type { ChildRun, JournalEvent, WatchNotice } from "../contract/calls-journal.ts";
import type { RecordedEvent } from "../journal/kinds.ts";
import type { NoticeChange } from "../journal/publisher.ts";
import type { Bus } from "./bus.ts";

export interface JournalPushDeps {
  bus: Bus;
  clock: Clock;
  batchMs: number;
  events(rows: readonly RecordedEvent[]): JournalEvent[];
  notice(change: NoticeChange): WatchNotice;
  child(runId: string): ChildRun | undefined;
  head(): number;
  hasClients(): boolean;
  broadcast<P extends PushName>(name: P, payload: Pushes[P]): void;
  onError(cause: unknown): void;
}

/** Most events that one push carries; a client that missed more reads the list. */
const eventLimit = 200;

/** Journal, watchers and child runs for the panel: one push a view and batch, whatever the number of events. */
export function createJournalPushes(deps: JournalPushDeps): { close(): void } {
  const { bus, clock } = deps;
  let events: RecordedEvent[] = [];
  let missed = 0;
  let notices = new Map<string, NoticeChange>();
  let children = new Set<string>();
  let cancel: (() => void) | null = null;

  function clear(): void {
    events = [];
    missed = 0;
    notices = new Map();
    children = new Set();
  }

  function flush(): void {
    cancel = null;
    const held = { events, missed, notices, children };
    clear();
    try {
      if (held.events.length > 0)
        deps.broadcast("journal.append", {
          events: deps.events(held.events),
          missed: held.missed,
          head: deps.head(),
        });
      for (const change of held.notices.values())
        deps.broadcast("watch.notice", deps.notice(change));
      for (const runId of held.children) {
        const run = deps.child(runId);
        if (run) deps.broadcast("child.changed", run);
      }
    } catch (cause) {
      deps.onError(cause);
    }
  }

  function hold(note: () => void): void {
    if (!deps.hasClients()) {
      clear(); // nobody looks; a client that connects pulls
      return;
    }
    note();
    cancel ??= clock.after(deps.batchMs, flush);
  }

  const off = [
    bus.on("journal.appended", (batch) => {
      hold(() => {
        events.push(...batch.events);
        missed += batch.missed + Math.max(0, events.length - eventLimit);
        events = events.slice(-eventLimit);
      });
    }),
    bus.on("watch.changed", (change) => {
      hold(() => {
        const id = JSON.stringify([change.watcher, change.target]);
        const before = notices.get(id);
        notices.set(id, {
          ...change,
          opened: change.opened || before?.opened === true,
          events: change.events + (before?.events ?? 0),
        });
      });
    }),
    bus.on("child.changed", ({ runId }) => {
      hold(() => {
        children.add(runId);
      });
    }),
  ];

  return {
    close() {
      cancel?.();
      for (const stop of off) stop();
    },
  };
}
