import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { vectorRunners } from "./runners.ts";

const built = Object.entries(vectorRunners).filter(([, runner]) => runner !== null);

describe("the bundled vectors", () => {
  test.each(built)("%s", async (file, runner) => {
    const parsed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
    const outcomes = (await runner?.(parsed)) ?? [];
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => outcome.difference !== null)).toEqual([]);
  });
});
