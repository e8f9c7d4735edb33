import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../testing/temp-dir.ts";
import { restartFiles } from "./restart-files.ts";

describe("the receipt of a clean stop (lifecycle 10.1, 10.3)", () => {
  test("is taken once", () => {
    const dir = tempDir();
    const files = restartFiles(dir);
    expect(files.takeCleanShutdown()).toBe(false);
    files.writeCleanShutdown();
    expect(readFileSync(join(dir, ".clean_shutdown"), "utf8")).toBe("");
    expect(files.takeCleanShutdown()).toBe(true);
    expect(files.takeCleanShutdown()).toBe(false);
  });

  test("whatever stands there under its name counts; what cannot be removed keeps the gateway from starting", () => {
    const dir = tempDir();
    mkdirSync(join(dir, ".clean_shutdown"));
    writeFileSync(join(dir, ".clean_shutdown", "in the way"), "");
    expect(() => restartFiles(dir).takeCleanShutdown()).toThrow(
      expect.objectContaining({ code: "E_READ_ONLY" }) as Error,
    );
  });
});

describe("what other tools read", () => {
  test("counts and boots, in the documented shapes; no counts, no file", () => {
    const dir = tempDir();
    const files = restartFiles(dir);
    const counts = join(dir, "restart_counts.json");
    files.writeCounts([{ key: "agent:main:telegram:dm:7", restarts: 2 }]);
    expect(JSON.parse(readFileSync(counts, "utf8"))).toEqual({ "agent:main:telegram:dm:7": 2 });
    files.writeCounts([]);
    expect(existsSync(counts)).toBe(false);
    files.writeLoop(Array.from({ length: 60 }, (_, n) => n * 1_000));
    const { boots } = JSON.parse(
      readFileSync(join(dir, "gateway", "restart_loop.json"), "utf8"),
    ) as {
      boots: number[];
    };
    expect(boots).toHaveLength(50);
    expect(boots.at(-1)).toBe(59);
  });
});
