import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { failpointNames } from "./failpoint.ts";

/** Names of the places in the sources, as often as they stand there. */
function placed(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "failpoint.ts",
  );
  return files.flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/failpoint\("([^"]+)"\)/g),
    ].map(([, name = ""]) => name),
  );
}

describe("the places at which the crash test ends the process", () => {
  test("every name stands in the sources, and no other one", () => {
    expect([...new Set(placed())].toSorted()).toEqual([...failpointNames].toSorted());
  });

  test("a name means one place", () => {
    const names = placed();
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("there are at least forty, and none is listed twice", () => {
    expect(failpointNames.length).toBeGreaterThanOrEqual(40);
    expect(new Set(failpointNames).size).toBe(failpointNames.length);
  });
});
