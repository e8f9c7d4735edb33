import css from "./sparkline.module.css";

export interface SparklineProps {
  /** Oldest first; null is a gap in the readings, never a zero. */
  points: readonly (number | null)[];
  /** What the line tells, in words, e.g. "Runs per minute, 0 to 14, now 3". */
  label: string;
}

const WIDTH = 120;
const HEIGHT = 24;

/** A line without axes: the shape of the last while. */
export function Sparkline({ points, label }: SparklineProps) {
  const known = points.filter((point) => point !== null);
  const top = Math.max(1, ...known);
  const step = WIDTH / Math.max(1, points.length - 1);
  let pen = "M";
  const path = points
    .map((point, index) => {
      if (point === null) {
        pen = "M";
        return "";
      }
      const command = `${pen}${(index * step).toFixed(1)} ${(HEIGHT - 1 - (point / top) * (HEIGHT - 2)).toFixed(1)}`;
      pen = "L";
      return command;
    })
    .join("");
  return (
    <svg
      className={css["sparkline"]}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={path} className={css["line"]} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
