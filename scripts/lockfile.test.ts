import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withPrebuiltDatabase } from "./lockfile.ts";
import { ROOT } from "./paths.ts";

interface Lockfile {
  packages: Record<string, { gypfile?: boolean; resolved?: string; version?: string }>;
}

const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
const lockfile = JSON.parse(text) as Lockfile;

test("npm ci needs no compiler: the lockfile says that the database comes prebuilt", () => {
  expect(lockfile.packages["node_modules/better-sqlite3"]?.gypfile).toBe(false);
});

test("the mark is put back once, and only where it is missing", () => {
  const bare = text.replace(/\n\s+"gypfile": false,/, "");
  expect(withPrebuiltDatabase(bare)).toBe(text);
  expect(withPrebuiltDatabase(text)).toBe(text);
});

test("every dependency is pinned to one version", () => {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  for (const [name, version] of Object.entries({ ...own.dependencies, ...own.devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(lockfile.packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});

test("the lockfile works with any registry", () => {
  const elsewhere = Object.entries(lockfile.packages).filter(
    ([, { resolved }]) => resolved?.startsWith("http") === true,
  );
  expect(elsewhere).toEqual([]);
});
