import { join } from "node:path";
import { inspect } from "node:util";
import { pino } from "pino";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { logRing, type LogRing } from "./log-ring.ts";
import type { Log, LogFields } from "./log.ts";
import { openRotatingFile, type RotationLimits } from "./rotating-file.ts";
import { secretFilter } from "./secret-filter.ts";

/** 8 files of 8 MiB: a week or more of an ordinary gateway, never more than 64 MiB. */
const LIMITS: RotationLimits = { maxBytes: 8 * 1024 * 1024, keep: 7 };

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  /** The directory of the log files, `<data>/logs`; made when the first line is written. */
  dir: string;
  bootId: string;
  /** Lines below it go nowhere. Default `info`. */
  level?: LogLevel;
  clock: Clock;
  limits?: RotationLimits;
}

export interface OpenLog {
  log: Log;
  ring: LogRing;
  /** From now on this value never reaches a file, the ring or a listener. */
  addSecret: (value: string) => void;
  /** The text without any secret that is known by now; for what leaves by other ways than the log. */
  hideSecrets: (text: string) => string;
  setLevel: (level: LogLevel) => void;
  /** Lines that the disk refused since the start. */
  droppedLines: () => number;
  close: () => void;
}

/**
 * Opens the structured log: JSON lines `{at, level, area, event, bootId, …}` in `<dir>/signalbox.log`, and a ring.
 * Never throws: on a disk that takes nothing, the ring alone remains.
 */
export function createLog(options: LogOptions): OpenLog {
  const { clock } = options;
  const file = openRotatingFile(
    join(options.dir, "signalbox.log"),
    clock,
    options.limits ?? LIMITS,
  );
  const secrets = secretFilter();
  const ring = logRing();
  const sink = pino(
    {
      level: options.level ?? "info",
      base: { bootId: options.bootId },
      messageKey: "event",
      timestamp: () => `,"at":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line: string) => {
        file.write(secrets.clean(line));
      },
    },
  );

  function write(
    level: LogLevel,
    area: string,
    event: string,
    fields: LogFields = {},
    cause?: unknown,
  ): void {
    if (!sink.isLevelEnabled(level)) return;
    const told = cause === undefined ? fields : { ...fields, cause: describe(cause) };
    sink[level]({ area, ...told }, event);
    const { sessionKey, ...rest } = fields;
    ring.push({
      atMs: clock.nowMs(),
      level,
      area,
      event,
      sessionKey: typeof sessionKey === "string" ? sessionKey : null,
      text: secrets.clean(sentence(rest, cause)),
    });
  }

  const bind = (area: string): Log => ({
    debug: (event, fields) => {
      write("debug", area, event, fields);
    },
    info: (event, fields) => {
      write("info", area, event, fields);
    },
    warn: (event, fields, cause) => {
      write("warn", area, event, fields, cause);
    },
    error: (event, fields, cause) => {
      write("error", area, event, fields, cause);
    },
    area: bind,
  });

  return {
    log: bind("gateway"),
    ring,
    addSecret: secrets.add,
    hideSecrets: secrets.clean,
    setLevel(level) {
      sink.level = level;
    },
    droppedLines: file.dropped,
    close: file.close,
  };
}

/** What the panel shows: the plain sentence where there is one, then the other fields as `name=value`. */
function sentence({ text, ...fields }: LogFields, cause: unknown): string {
  const parts = text === undefined || text === null ? [] : [String(text)];
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) parts.push(`${name}=${value}`);
  if (cause !== undefined) parts.push(cause instanceof Error ? cause.message : words(cause));
  return parts.join(" · ");
}

/** An error with its code, stack and what caused it; causes below the third say nothing new. */
function describe(cause: unknown, depth = 3): unknown {
  if (!(cause instanceof Error)) return words(cause);
  return {
    name: cause.name,
    message: cause.message,
    ...(cause instanceof SignalboxError ? { code: cause.code } : {}),
    stack: cause.stack,
    ...(cause.cause !== undefined && depth > 1 ? { cause: describe(cause.cause, depth - 1) } : {}),
  };
}

/** Something thrown that is no error. */
const words = (cause: unknown): string =>
  typeof cause === "string" ? cause : inspect(cause, { depth: 2, breakLength: Infinity });
