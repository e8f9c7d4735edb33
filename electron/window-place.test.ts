import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isReachable, readPlace, writePlace } from "./window-place.ts";

const screens = [
  { x: 0, y: 0, width: 1920, height: 1040 },
  { x: 1920, y: -200, width: 1280, height: 1024 },
];

describe("a window can be reached", () => {
  test.each([
    ["on the first screen", { x: 10, y: 10 }, true],
    ["on the second", { x: 2000, y: -150 }, true],
    ["across both", { x: 1800, y: 0 }, true],
    ["half out at the left", { x: -700, y: 100 }, true],
    ["all but a sliver out at the left", { x: -760, y: 100 }, false],
    ["above every screen", { x: 100, y: -30 }, false],
    ["with its bar below the screen", { x: 100, y: 1030 }, false],
    ["on a screen that is no longer there", { x: 4000, y: 100 }, false],
  ])("%s", (_where, corner, reachable) => {
    expect(isReachable({ ...corner, width: 800, height: 600 }, screens)).toBe(reachable);
  });

  test("never where there is no screen", () => {
    expect(isReachable({ x: 0, y: 0, width: 800, height: 600 }, [])).toBe(false);
  });
});

describe("its place", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-place-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const place = { x: -5, y: 20, width: 900, height: 700, maximized: true };

  test("comes back as it was written, and leaves no other file", () => {
    const file = join(folder, "deep", "window.json");
    writePlace(file, { ...place, maximized: false });
    writePlace(file, place);
    expect(readPlace(file)).toEqual(place);
    expect(readdirSync(join(folder, "deep"))).toEqual(["window.json"]);
  });

  test.each(["", "{", "null", '{"x":1}', '{"x":0,"y":0,"width":0,"height":5,"maximized":false}'])(
    "is unknown where the file says %j",
    (text) => {
      const file = join(folder, "window.json");
      writeFileSync(file, text);
      expect(readPlace(file)).toBeNull();
    },
  );

  test("is forgotten in silence where it cannot be written", () => {
    const blocked = join(folder, "file");
    mkdirSync(blocked);
    chmodSync(blocked, 0o500);
    writePlace(blocked, place); // a directory where the file should be
    expect(readPlace(blocked)).toBeNull();
  });
});
