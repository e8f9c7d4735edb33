import { expect, test, vi } from "vitest";
import { openStores } from "../compose/stores.ts";
import { silentLog } from "../log/log.ts";
import { testDatabase } from "../testing/test-database.ts";
import { openDatabase } from "./database.ts";

/** Every statement that the stores keep ready, on one line each. */
function preparedStatements(): string[] {
  const db = testDatabase();
  const prepare = vi.spyOn(db.sql, "prepare");
  openStores(db);
  const statements = prepare.mock.calls.map(([sql]) => sql.replace(/\s+/g, " ").trim());
  prepare.mockRestore();
  return [...new Set(statements)];
}

/** How SQLite would go about it: `SEARCH` by an index, `SCAN` through a table. */
function planOf(statement: string): string[] {
  const db = openDatabase(":memory:", silentLog);
  try {
    const values = Array.from(statement.match(/\?/g) ?? [], () => 1);
    return db.sql
      .prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .all(...values)
      .map((step) => (step as { detail: string }).detail);
  } finally {
    void db.close();
  }
}

test("what is asked about one lane is found by an index, whatever else is stored", () => {
  const ofOneLane = preparedStatements().filter((statement) =>
    /^SELECT [^()]* WHERE (\w+\.)?session_key = \? AND [^()]*(\([^()]*\)[^()]*)?$/.test(statement),
  );
  expect(ofOneLane.length).toBeGreaterThan(10);
  const walks = ofOneLane.filter((statement) =>
    planOf(statement).some((step) => step.startsWith("SCAN")),
  );
  expect(walks).toEqual([]);
});
