/** One measured number: the median of `runs` runs. */
export interface Figure {
  value: number;
  unit: string;
  runs: number;
}

/** Named figures, `part.what`, in the order in which they were measured. */
export type Figures = Record<string, Figure>;

/** The middle one of the sorted values, or the upper of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The value that `share` (0 to 1) of all values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

export const figure = (values: readonly number[], unit: string): Figure => ({
  value: rounded(median(values)),
  unit,
  runs: values.length,
});

/** Runs `measure` that often, one after the other. */
export async function repeat<T>(
  runs: number,
  measure: (run: number) => T | Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let run = 0; run < runs; run += 1) results.push(await measure(run));
  return results;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
