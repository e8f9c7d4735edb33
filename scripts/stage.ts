import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, tool } from "./paths.ts";

/** How many checks or tests of a stage passed and failed. */
export interface Tally {
  passed: number;
  failed: number;
}

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
});

/** A stage that failed without a failed test to show for it still counts as one: nothing red may look green. */
export const honest = (tally: Tally, succeeded: boolean): Tally =>
  succeeded || tally.failed > 0 ? tally : { ...tally, failed: 1 };

export function heading(name: string): void {
  console.log(`\n── ${name} ──`);
}

interface Check {
  name: string;
  script: string;
  args: string[];
}

const checks: Check[] = [
  {
    name: "format",
    script: tool("prettier/bin/prettier.cjs"),
    args: ["--check", "--cache", "--log-level", "warn", "."],
  },
  { name: "lint", script: tool("oxlint/bin/oxlint"), args: [] },
  { name: "types", script: tool("typescript/bin/tsc"), args: ["-b", "--pretty"] },
  { name: "unused", script: tool("knip/bin/knip.js"), args: ["--no-progress"] },
];

/** Runs one check to its end. Its output is shown only when it fails, so that parallel checks do not mix. */
function runCheck({ name, script, args }: Check): Promise<Tally> {
  const startedAtMs = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("close", (code) => {
      const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
      console.log(`${code === 0 ? "passed" : "FAILED"}  ${name} (${seconds} s)`);
      if (code !== 0) process.stdout.write(Buffer.concat(output));
      resolve(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
    });
  });
}

/** Format, lint, types and unused code, side by side. */
export async function runChecks(): Promise<Tally> {
  heading("checks");
  return sum(await Promise.all(checks.map(runCheck)));
}

/** Runs a tool in this terminal while it writes its numbers to a file, and hands back what it wrote. */
function runWithReport(
  script: string,
  args: readonly string[],
  env: Record<string, string>,
): { succeeded: boolean; report: unknown } {
  const run = spawnSync(process.execPath, [script, ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const file = env["REPORT_FILE"] ?? "";
  const report: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return { succeeded: run.status === 0, report };
}

/** Gives `body` a path for a report, in a folder that is gone afterwards. */
function withReportFile<T>(body: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-report-"));
  try {
    return body(join(folder, "report.json"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one of the projects of vitest.config.ts. */
export function runVitest(project: "unit" | "gate" | "clean-clone"): Tally {
  heading(project === "clean-clone" ? "clean clone" : "unit tests");
  return withReportFile((file) => {
    const { succeeded, report } = runWithReport(
      tool("vitest/vitest.mjs"),
      [
        "run",
        `--project=${project}`,
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
      ],
      { REPORT_FILE: file },
    );
    const numbers = report as { numPassedTests: number; numFailedTests: number } | undefined;
    return honest(
      { passed: numbers?.numPassedTests ?? 0, failed: numbers?.numFailedTests ?? 0 },
      succeeded,
    );
  });
}

/** Runs Playwright's tests; `chromium` is the browser they drive. A test that passed when tried again has passed. */
export function runPlaywright(chromium: string, args: readonly string[] = []): Tally {
  heading("whole-gateway tests");
  return withReportFile((file) => {
    const { succeeded, report } = runWithReport(
      tool("playwright/cli.js"),
      ["test", "--config", "e2e/playwright.config.ts", "--reporter=line,json", ...args],
      { REPORT_FILE: file, PLAYWRIGHT_JSON_OUTPUT_FILE: file, SIGNALBOX_CHROMIUM: chromium },
    );
    const numbers = report as
      { stats: { expected: number; unexpected: number; flaky: number } } | undefined;
    const { expected = 0, unexpected = 0, flaky = 0 } = numbers?.stats ?? {};
    return honest({ passed: expected + flaky, failed: unexpected }, succeeded);
  });
}

/** Reads the last `N passed, M failed` of a program's output. */
export function readTally(output: string): Tally | undefined {
  const last = [...output.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  return last && { passed: Number(last[1]), failed: Number(last[2]) };
}

/** Runs a program of ours that says how it went in a line `N passed, M failed`. */
export function runCounted(name: string, script: string, args: readonly string[] = []): Tally {
  heading(name);
  const run = spawnSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  process.stdout.write(run.stdout);
  const said = readTally(run.stdout);
  const succeeded = run.status === 0;
  return honest(said ?? { passed: succeeded ? 1 : 0, failed: 0 }, succeeded);
}
