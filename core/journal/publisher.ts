import type { Target } from "./cursor-store.ts";
import type { EventStore } from "./event-store.ts";
import type { RecordedEvent } from "./kinds.ts";

/** What became of one watcher's notice about one target since the last batch. */
export interface NoticeChange {
  watcher: string;
  target: Target;
  /** Queueing was attempted at least once: a sleeping watcher is to be woken. */
  opened: boolean;
  /** Events that concerned the watcher. */
  events: number;
}

/** What was committed, told once. */
export interface JournalBatch {
  /** Ascending, at most `batchLimit`. */
  events: RecordedEvent[];
  /** Older ones of the batch that are left out: read the list. */
  missed: number;
  notices: NoticeChange[];
}

/** Most events of one batch; a burst beyond it is counted, not carried. */
export const batchLimit = 200;

/**
 * Collects what transactions do to the journal and tells it after their commit. Group commits run their work
 * synchronously, so a microtask comes after them; what was rolled back is not found in the table then.
 */
export function publisher(
  events: EventStore,
  tell: (batch: JournalBatch) => void,
  failed: (cause: unknown) => void,
) {
  let told: number | null = null;
  let scheduled = false;
  let sequences: number[] = [];
  let pairs = new Map<
    string,
    { watcher: string; target: Target; opened: boolean; events: number[] }
  >();

  function flush(): void {
    scheduled = false;
    const noted = sequences;
    const touched = [...pairs.values()];
    sequences = [];
    pairs = new Map();
    const newest = noted.length === 0 ? 0 : events.newest();
    const from = told ?? Math.min(...noted) - 1;
    if (noted.length > 0) told = Math.max(from, newest);
    // A number that was rolled back may have been given out again.
    const kept = [...new Set(noted)].filter((sequence) => sequence > from && sequence <= newest);
    const committed = kept.slice(-batchLimit).flatMap((sequence) => events.get(sequence) ?? []);
    const missed = Math.max(0, kept.length - batchLimit);
    tell({
      events: committed,
      missed,
      notices: touched.map((pair) => ({
        ...pair,
        events: new Set(pair.events.filter((sequence) => sequence <= newest)).size,
      })),
    });
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      try {
        flush();
      } catch (cause) {
        failed(cause); // nobody else would catch it
      }
    });
  }

  return {
    recorded(sequence: number): void {
      sequences.push(sequence);
      schedule();
    },
    touched(watcher: string, target: Target, what: "opened" | "ended", event: number | null): void {
      const id = `${watcher}\0${target.key}\0${target.agentId}`;
      let pair = pairs.get(id);
      if (!pair) {
        pair = { watcher, target, opened: false, events: [] };
        pairs.set(id, pair);
      }
      if (what === "opened") pair.opened = true;
      if (event !== null) pair.events.push(event);
      schedule();
    },
  };
}
