import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isStale, newestChangeMs, writeStamp } from "./stale.ts";

let place = "";
let source = "";
let stamp = "";

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "signalbox-stale-"));
  source = join(place, "source");
  stamp = join(place, "stamp");
  mkdirSync(join(source, "deep"), { recursive: true });
  writeFileSync(join(source, "deep", "a.ts"), "");
  for (const path of [join(source, "deep", "a.ts"), join(source, "deep"), source]) {
    utimesSync(path, 1000, 1000);
  }
});

afterEach(() => {
  rmSync(place, { recursive: true, force: true });
});

test("without a stamp everything is stale", () => {
  expect(isStale(stamp, [source])).toBe(true);
});

test("a build after the last change is fresh", () => {
  writeStamp(stamp, 1_001_000);
  expect(isStale(stamp, [source])).toBe(false);
});

test("a file saved while the build ran makes it stale", () => {
  writeStamp(stamp, 1_001_000);
  utimesSync(join(source, "deep", "a.ts"), 1002, 1002);
  expect(isStale(stamp, [source])).toBe(true);
});

test("a removed file makes it stale", () => {
  writeStamp(stamp, 1_001_000);
  rmSync(join(source, "deep", "a.ts"));
  expect(isStale(stamp, [source])).toBe(true);
});

test("paths that do not exist count for nothing", () => {
  expect(newestChangeMs([join(place, "nowhere")])).toBe(0);
});
