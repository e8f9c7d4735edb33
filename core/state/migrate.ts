import type { Database as SqlDatabase } from "better-sqlite3";
import { SignalboxError } from "../contract/errors.ts";

/** One numbered step. Released steps are never edited. */
export interface Migration {
  version: number;
  up(sql: SqlDatabase): void;
}

/**
 * Applies what is missing, one transaction a step, so that a crash leaves a store which some build can open.
 * A file that holds data is copied first (`<file>.before-v<N>`), so that there is a way back.
 * @throws {SignalboxError} E_STORE_FROM_FUTURE
 */
export function migrate(
  sql: SqlDatabase,
  steps: readonly Migration[],
): { from: number; to: number } {
  const from = sql.pragma("user_version", { simple: true }) as number;
  const to = steps.at(-1)?.version ?? 0;
  if (from > to)
    throw new SignalboxError(
      "E_STORE_FROM_FUTURE",
      `The database is of version ${from}; this build knows up to ${to}.`,
      { from, to },
    );
  if (from > 0 && from < to && !sql.memory)
    sql.prepare("VACUUM INTO ?").run(`${sql.name}.before-v${to}-${Date.now()}`);
  for (const step of steps) {
    if (step.version <= from) continue;
    sql
      .transaction(() => {
        step.up(sql);
        sql.pragma(`user_version = ${step.version}`); // rolls back together with the step
      })
      .immediate();
  }
  return { from, to };
}
