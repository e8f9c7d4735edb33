/** Fields of a log line. Message text, tokens and addresses never go in here. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** A structured logger bound to an area. Event names read `<noun>.<verb>`; `fields.text` is a plain sentence. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, cause?: unknown): void;
  error(event: string, fields?: LogFields, cause?: unknown): void;
  area(name: string): Log;
}

/** Says nothing; for tests and tools. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  area: () => silentLog,
};
