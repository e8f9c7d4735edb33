import { InvalidArgumentError } from "commander";
import type { Client } from "./client.ts";
import type { Terminal } from "./terminal.ts";

/** What each command is given: the options that all share, and ways to answer. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly dataDir: string;
  readonly json: boolean;
  /** @throws {SignalboxError} E_NOT_RUNNING. */
  readonly gateway: () => Promise<Client>;
  /** Prints one result: as one JSON value with `--json`, else as text. */
  readonly print: (value: unknown, text: string) => void;
}

/** Reads an option's whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Reads a port. */
export function portNumber(text: string): number {
  const read = wholeNumber(text);
  if (read > 65_535) throw new InvalidArgumentError("A port is at most 65535.");
  return read;
}
