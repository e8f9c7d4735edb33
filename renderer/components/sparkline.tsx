import css from "./sparkline.module.css";

export interface SparklineProps {
  /** Oldest first; null is a gap in the readings, never a zero. */
  points: readonly (number | null)[];
  /** What the line tells, in words, e.g. "Runs per minute, 0 to 14, now 3". */
  label: string;
}

const WIDTH = 120;
const HEIGHT = 24;

/** The line as a path; it breaks where a reading is missing. */
function pathOf(points: readonly (number | null)[]): string {
  const top = Math.max(1, ...points.map((point) => point ?? 0));
  const step = WIDTH / Math.max(1, points.length - 1);
  return points
    .map((point, index) => {
      if (point === null) return "";
      const pen = index === 0 || points[index - 1] === null ? "M" : "L";
      const height = HEIGHT - 1 - (point / top) * (HEIGHT - 2);
      return `${pen}${(index * step).toFixed(1)} ${height.toFixed(1)}`;
    })
    .join("");
}

/** A line without axes: the shape of the last while. */
export function Sparkline({ points, label }: SparklineProps) {
  return (
    <svg
      className={css["sparkline"]}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={pathOf(points)} className={css["line"]} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
