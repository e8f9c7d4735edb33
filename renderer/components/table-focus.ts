/** A step through a table by keys. Pure, so that the ends are tested once. */
export type Step = "next" | "previous" | "first" | "last" | "pageDown" | "pageUp";

/** The row a step leads to. @returns -1 where there are no rows. */
export function stepTo(step: Step, from: number, rowCount: number, pageRows: number): number {
  if (rowCount === 0) return -1;
  const last = rowCount - 1;
  const inside = (index: number) => Math.min(last, Math.max(0, index));
  switch (step) {
    case "next":
      return inside(from + 1);
    case "previous":
      return inside(from - 1);
    case "first":
      return 0;
    case "last":
      return last;
    case "pageDown":
      return inside(from + pageRows);
    case "pageUp":
      return inside(from - pageRows);
  }
}

/** The selection with everything between two places in it, as far as its keys are known. */
export function withRange(
  selection: ReadonlySet<string>,
  from: number,
  to: number,
  keyAt: (index: number) => string | undefined,
): Set<string> {
  const next = new Set(selection);
  for (let index = Math.min(from, to); index <= Math.max(from, to); index += 1) {
    const key = keyAt(index);
    if (key !== undefined) next.add(key);
  }
  return next;
}
