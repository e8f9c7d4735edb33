import type { LogLine } from "../contract/domain.ts";

/** Enough for an hour of an ordinary day, and under a megabyte. */
const RING_LINES = 2000;

const RANK: Record<LogLine["level"], number> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
};

export interface TailFilter {
  /** Newest lines wanted, at most. Default 200. */
  limit?: number | undefined;
  /** Only lines with a greater `seq`. */
  after?: number | undefined;
  /** This level and worse. */
  level?: LogLine["level"] | undefined;
  sessionKey?: string | undefined;
}

export interface LogRing {
  /** The newest lines that match, oldest of them first. */
  tail(filter?: TailFilter): LogLine[];
  /** Called with every line as it is written, until the returned function is called. */
  onLine(listener: (line: LogLine) => void): () => void;
}

/** The last lines, kept in memory for the panel. */
export function logRing(capacity = RING_LINES): LogRing & {
  push(line: Omit<LogLine, "seq">): void;
} {
  const lines: LogLine[] = []; // circular: line `seq` is at (seq - 1) % capacity
  const listeners = new Set<(line: LogLine) => void>();
  let seq = 0;
  return {
    push(line) {
      seq += 1;
      const numbered = { seq, ...line };
      lines[(seq - 1) % capacity] = numbered;
      for (const listener of listeners) listener(numbered);
    },
    tail({ limit = 200, after = 0, level = "trace", sessionKey } = {}) {
      const found: LogLine[] = [];
      const oldest = Math.max(after, seq - capacity) + 1;
      for (let at = seq; at >= oldest && found.length < limit; at--) {
        const line = lines[(at - 1) % capacity];
        if (line === undefined || RANK[line.level] < RANK[level]) continue;
        if (sessionKey !== undefined && line.sessionKey !== sessionKey) continue;
        found.push(line);
      }
      return found.toReversed();
    },
    onLine(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
