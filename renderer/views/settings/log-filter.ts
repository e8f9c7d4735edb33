import type { LogLine } from "../../../core/contract/domain.ts";

/** The chips above the log: the rare levels stand with their neighbours. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogChip = (typeof logLevels)[number];

const chips: Record<LogLine["level"], LogChip> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

export const chipOf = ({ level }: Pick<LogLine, "level">): LogChip => chips[level];

/** Lines of these chips whose area, event or text hold every word. */
export function matchingLines(
  lines: readonly LogLine[],
  levels: ReadonlySet<LogChip>,
  text: string,
): readonly LogLine[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter((line) => {
    if (!levels.has(chipOf(line))) return false;
    if (words.length === 0) return true;
    const all = `${line.area} ${line.event} ${line.text} ${line.sessionKey ?? ""}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** How many lines each chip stands for. */
export function chipCounts(lines: readonly LogLine[]): Record<LogChip, number> {
  const counts = { debug: 0, info: 0, warn: 0, error: 0 };
  for (const line of lines) counts[chipOf(line)] += 1;
  return counts;
}

/** One JSON object a line, as the log files hold them. */
export const asJsonLines = (lines: readonly LogLine[]): string =>
  lines
    .map(({ atMs, seq, ...rest }) =>
      JSON.stringify({ at: new Date(atMs).toISOString(), seq, ...rest }),
    )
    .join("\n");
