/** What one watcher knows of one target (state-awareness 0.1). At rest `0 <= lastSeen <= notified <= material`. */
export interface Marks {
  /** Known to have been told about. */
  lastSeen: number;
  /** Frozen when the open notice was queued. */
  notified: number;
  /** The newest event that concerns the watcher. */
  material: number;
}

/** Marks of a watch that begins at a version: nothing before it will notify. */
export const seededAt = (sequence: number): Marks => ({
  lastSeen: sequence,
  notified: sequence,
  material: sequence,
});

export const isPending = (marks: Marks): boolean => marks.material > marks.lastSeen;

/** A material event (4.3 step 4): the open notice keeps its frozen mark. A watcher without a cursor begins at 0. */
export function afterMaterial(marks: Marks | undefined, sequence: number): Marks {
  const { lastSeen, notified } = marks ?? seededAt(0);
  return {
    lastSeen,
    notified: notified === lastSeen ? sequence : notified,
    material: sequence,
  };
}

/**
 * A turn took the notice (6.3): the watcher knows up to the frozen mark, not up to the head, so that what arrived
 * while the turn was prepared is not lost. `reopenFrom` is the base of the one follow-up, null where nothing is left.
 */
export function acknowledged({ notified, material }: Marks): {
  marks: Marks;
  reopenFrom: number | null;
} {
  return {
    marks: { lastSeen: notified, notified: Math.max(material, notified), material },
    reopenFrom: material > notified ? notified : null,
  };
}

/** A start (6.5): one drain settles all that came before it. */
export const replayed = (marks: Marks): Marks => ({ ...marks, notified: marks.material });

/**
 * The watcher read everything through a version and says so. `notice` is what becomes of the open one: `close` where
 * nothing is left, `reword` where newer events are, from the version that it has read.
 */
export function settledThrough(
  marks: Marks,
  version: number,
): { marks: Marks; notice: "keep" | "close" | "reword" } {
  if (version <= marks.lastSeen) return { marks, notice: "keep" };
  if (version >= marks.material) return { marks: seededAt(version), notice: "close" };
  return { marks: { ...marks, lastSeen: version, notified: marks.material }, notice: "reword" };
}
