import { readdirSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { refused } from "../testing/refused.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";

const first: Migration = {
  version: 10,
  up: (sql) => sql.exec("CREATE TABLE a (n INTEGER) STRICT"),
};
const second: Migration = {
  version: 20,
  up: (sql) => sql.exec("ALTER TABLE a ADD COLUMN m INTEGER; UPDATE a SET m = n * 2"),
};
const broken: Migration = {
  version: 30,
  up(sql) {
    sql.exec("ALTER TABLE a ADD COLUMN o INTEGER");
    throw new Error("half-way");
  },
};

function open(file = ":memory:"): Sqlite.Database {
  const sql = new Sqlite(file);
  onTestFinished(() => {
    sql.close();
  });
  return sql;
}
const version = (sql: Sqlite.Database) => sql.pragma("user_version", { simple: true });

describe("migrations", () => {
  test("only what is missing runs, each step with its number", () => {
    const sql = open();
    expect(migrate(sql, [first])).toEqual({ from: 0, to: 10 });
    sql.exec("INSERT INTO a (n) VALUES (21)");
    expect(migrate(sql, [first, second])).toEqual({ from: 10, to: 20 });
    expect(sql.prepare("SELECT n, m FROM a").all()).toEqual([{ n: 21, m: 42 }]);
    expect(migrate(sql, [first, second])).toEqual({ from: 20, to: 20 });
  });

  test("a step that breaks leaves the store at the step before it", () => {
    const sql = open();
    migrate(sql, [first]);
    expect(() => migrate(sql, [first, second, broken])).toThrow("half-way");
    expect(version(sql)).toBe(20);
    expect(sql.prepare("SELECT name FROM pragma_table_info('a')").pluck().all()).toEqual([
      "n",
      "m",
    ]);
  });

  test("a file that holds data is copied before the first step that changes it", () => {
    const dir = tempDir();
    const sql = open(join(dir, "state.db"));
    migrate(sql, [first]);
    sql.exec("INSERT INTO a (n) VALUES (7)");
    expect(readdirSync(dir)).toEqual(["state.db"]); // a new file has nothing to go back to
    migrate(sql, [first, second]);
    const copy = readdirSync(dir).find((name) => name.startsWith("state.db.before-v20"));
    const before = open(join(dir, copy ?? "none"));
    expect(version(before)).toBe(10);
    expect(before.prepare("SELECT n FROM a").all()).toEqual([{ n: 7 }]);
  });

  test("a store of a newer build is refused", () => {
    const sql = open();
    sql.pragma("user_version = 30");
    expect(() => migrate(sql, [first, second])).toThrow(
      refused("E_STORE_FROM_FUTURE", { from: 30, to: 20 }),
    );
  });

  test("the steps of this build count upwards in tens", () => {
    const numbers = migrations.map((step) => step.version);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
