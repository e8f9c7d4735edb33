import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLog } from "../log/log.ts";
import { startServer } from "../server/server.ts";
import { loadToken } from "../server/token.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testGateway } from "../testing/test-gateway.ts";
import { runCommand } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** A command line beside a whole gateway that has imported field case 01. */
async function world() {
  const { gateway, dataDir } = await testGateway();
  const server = await startServer({
    gateway,
    hooks: gateway.hooks,
    token: loadToken(dataDir),
    panelDir: dataDir,
    clock: systemClock,
    log: silentLog,
  });
  onTestFinished(() => server.close());
  gateway.publishUrl(server.url);
  const dir = tempDir();
  cpSync(join(import.meta.dirname, "../testdata/01-store-truncated"), dir, { recursive: true });
  const run = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const said = { out: "", err: "" };
    const terminal: Terminal = {
      out: (text) => (said.out += text),
      err: (text) => (said.err += text),
      env: {},
      interactive: false,
      readInput: () => Promise.resolve(""),
      ask: () => Promise.resolve(""),
      nowMs: () => Date.UTC(2026, 10, 30),
    };
    const code = await runCommand(["--data", dataDir, ...args], terminal);
    return { code, ...said };
  };
  return { run, dir };
}

describe("search, export and import", () => {
  test("from the dry run to the file", async () => {
    const { run, dir } = await world();
    const dry = await run("import", dir, "--dry-run");
    expect(dry.out).toContain("WOULD BE NEW");
    expect(dry.out).toMatch(/Sessions\s+4\s+4\n/);
    expect(dry.out).toContain("its last 142 bytes are half a line");
    expect(dry.out).toContain("Nothing was changed.");
    expect((await run("search", "green")).out).toBe("Nothing was found.\n");

    const taken = await run("import", dir, "--json");
    expect(JSON.parse(taken.out)).toMatchObject({
      state: "done",
      report: { taken: { lanes: 3, sessions: 4, messages: 8 } },
    });
    const found = await run("search", "green*", "--key", "agent:main:main");
    expect(found.out).toMatch(/assistant\s+agent:main:main\s+Green on both targets\.\n/);

    const file = join(tempDir(), "main.md");
    expect((await run("export", "agent:main:main", "--out", file)).out).toBe(
      `Written to ${file}\n`,
    );
    expect(readFileSync(file, "utf8")).toContain("Green on both targets.");
    const again = await run("export", "agent:main:main", "--out", file);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("is there already")]);
    const plain = await run("export", "agent:main:main", "--format", "json");
    expect(JSON.parse(plain.out)).toMatchObject({ session: { key: "agent:main:main" } });
    const wrapped = JSON.parse((await run("--json", "export", "agent:main:main")).out) as {
      text: string;
    };
    expect(wrapped.text).toBe(readFileSync(file, "utf8"));
    const nothing = await run("import", tempDir());
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("Nothing to import")]);
  });
});
