import { noticeText } from "../notice-text.ts";

export type ModelStep =
  | { op: "event"; target: string; actor: string; material: boolean; named: string | null }
  | { op: "spawn" | "watch" | "unwatch"; watcher: string; target: string }
  | { op: "take"; watcher: string }
  | { op: "end"; watcher: string; seen: boolean }
  | { op: "settle"; watcher: string; target: string; back: number }
  | { op: "reset"; watcher: string }
  | { op: "delete"; target: string }
  | { op: "prune"; rows: number; slice: number }
  | { op: "restart" };

interface Cursor {
  lastSeen: number;
  notified: number;
  material: number;
}

/** What a session's queue holds about each target, by the version that the notice names. */
interface Queue {
  waiting: Map<string, number>;
  /** Shown to the turn that runs; null where none runs. */
  shown: Map<string, number> | null;
}

/** The journal in the plainest words: lists and maps, one rule a line (state-awareness 4.3, 5, 6.3, 7). */
export function journalModel(watchers: readonly string[]) {
  let rows: { sequence: number; target: string }[] = [];
  let pruned: { sequence: number; target: string }[] = [];
  let last = 0;
  const heads = new Map<string, number>();
  const cursors = new Map<string, Map<string, Cursor>>(watchers.map((key) => [key, new Map()]));
  const queues = new Map<string, Queue>(
    watchers.map((key) => [key, { waiting: new Map(), shown: null }]),
  );

  const held = (watcher: string): Map<string, Cursor> =>
    cursors.get(watcher) ?? new Map<string, Cursor>();
  const queue = (watcher: string): Queue =>
    queues.get(watcher) ?? { waiting: new Map(), shown: null };
  const append = (target: string): number => {
    last += 1;
    rows.push({ sequence: last, target });
    heads.set(target, last);
    return last;
  };
  const open = (watcher: string, target: string, base: number): void => {
    if (queue(watcher).shown?.get(target) !== base) queue(watcher).waiting.set(target, base);
  };
  const forget = (watcher: string, target: string): void => {
    queue(watcher).waiting.delete(target);
    queue(watcher).shown?.delete(target);
  };

  function event(step: Extract<ModelStep, { op: "event" }>): void {
    const sequence = append(step.target);
    if (!step.material) return;
    for (const watcher of watchers) {
      const cursor = held(watcher).get(step.target);
      if (!cursor && step.named !== watcher) continue;
      if (step.actor === watcher) continue;
      const now = cursor ?? { lastSeen: 0, notified: 0, material: 0 };
      if (now.notified === now.lastSeen) now.notified = sequence;
      now.material = sequence;
      held(watcher).set(step.target, now);
      open(watcher, step.target, now.lastSeen);
    }
  }

  function end(watcher: string, seen: boolean): void {
    const { shown, waiting } = queue(watcher);
    queue(watcher).shown = null;
    for (const [target, base] of shown ?? []) {
      const cursor = held(watcher).get(target);
      if (!seen) {
        if (!waiting.has(target)) waiting.set(target, base);
      } else if (cursor) {
        const frozen = cursor.notified;
        cursor.lastSeen = frozen;
        cursor.notified = Math.max(cursor.material, frozen);
        if (cursor.material > frozen) open(watcher, target, frozen);
      }
    }
  }

  function settle(watcher: string, target: string, version: number): void {
    const cursor = held(watcher).get(target);
    if (!cursor || version <= cursor.lastSeen) return;
    forget(watcher, target);
    if (version >= cursor.material) {
      held(watcher).set(target, { lastSeen: version, notified: version, material: version });
      return;
    }
    cursor.lastSeen = version;
    cursor.notified = cursor.material;
    open(watcher, target, version);
  }

  return {
    apply(step: ModelStep): void {
      switch (step.op) {
        case "event":
          event(step);
          return;
        case "spawn": {
          const at = append(step.target);
          held(step.watcher).set(step.target, { lastSeen: at, notified: at, material: at });
          return;
        }
        case "watch": {
          const at = heads.get(step.target) ?? 0;
          if (!held(step.watcher).has(step.target))
            held(step.watcher).set(step.target, { lastSeen: at, notified: at, material: at });
          return;
        }
        case "unwatch":
          held(step.watcher).delete(step.target);
          forget(step.watcher, step.target);
          return;
        case "take": {
          const now = queue(step.watcher);
          if (now.shown !== null) return;
          now.shown = now.waiting;
          now.waiting = new Map();
          return;
        }
        case "end":
          end(step.watcher, step.seen);
          return;
        case "settle":
          settle(step.watcher, step.target, Math.max(0, (heads.get(step.target) ?? 0) - step.back));
          return;
        case "reset":
          held(step.watcher).clear();
          queue(step.watcher).waiting.clear();
          queue(step.watcher).shown?.clear();
          return;
        case "delete":
          rows = rows.filter((row) => row.target !== step.target);
          pruned = pruned.filter((row) => row.target !== step.target);
          heads.delete(step.target);
          for (const watcher of watchers) {
            held(watcher).delete(step.target);
            forget(watcher, step.target);
          }
          return;
        case "prune":
          pruned.push(...rows.slice(0, step.rows));
          rows = rows.slice(step.rows);
          return;
        case "restart":
          for (const watcher of watchers) {
            end(watcher, false);
            for (const [target, cursor] of held(watcher)) {
              if (cursor.material <= cursor.lastSeen) continue;
              cursor.notified = cursor.material;
              open(watcher, target, cursor.lastSeen);
            }
          }
          return;
      }
    },
    waiting: (watcher: string): string[] =>
      [...queue(watcher).waiting].map(([target, base]) => noticeText(target, base)).toSorted(),
    cursor: (watcher: string, target: string): Cursor | undefined => held(watcher).get(target),
    version: (target: string): number => heads.get(target) ?? 0,
    /** Versions worth asking from: each row's edge, kept or not. */
    startsFor: (target: string): number[] => [
      ...new Set([
        0,
        last + 5,
        ...[...rows, ...pruned]
          .filter((row) => row.target === target)
          .flatMap((row) => [row.sequence - 1, row.sequence]),
      ]),
    ],
    /** A gap exactly where something asked for was pruned. */
    changesSince: (target: string, since: number): { gap: boolean; sequences: number[] } => ({
      gap: pruned.some((row) => row.target === target && row.sequence > since),
      sequences: rows
        .filter((row) => row.target === target && row.sequence > since)
        .map((row) => row.sequence),
    }),
  };
}
