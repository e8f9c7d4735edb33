import { defineConfig } from "playwright/test";
import { chromiumOptions } from "./support/chromium.ts";
import type { HostKind } from "./support/host.ts";

const TIMED = /@perf/;

/**
 * Whole-gateway tests: each spec runs unchanged on both hosts, through the page that a person uses. What only one
 * host has is in `*.headless.spec.ts` and `*.desktop.spec.ts`.
 *
 * "desktop" runs on Electron where its runtime is installed and SIGNALBOX_E2E_ELECTRON=1 asks for it, else on
 * the stand-in (docs/decisions/0003). Reporters are the command line's to choose.
 */
export default defineConfig<{ hostKind: HostKind }>({
  testDir: ".",
  testMatch: "**/*.spec.ts", // `*.test.ts` beside them is vitest's
  outputDir: "../test-results",
  fullyParallel: true,
  forbidOnly: Boolean(process.env["CI"]),
  workers: 2,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: {
    launchOptions: chromiumOptions,
    trace: "off",
    locale: "en-GB",
    timezoneId: "UTC",
  },
  projects: [
    {
      name: "headless",
      testIgnore: ["support/*", "*.desktop.spec.ts"],
      grepInvert: TIMED,
      use: { hostKind: "headless" },
    },
    {
      name: "desktop",
      testIgnore: ["support/*", "*.headless.spec.ts"],
      grepInvert: TIMED,
      use: { hostKind: "desktop" },
    },
    { name: "stand-in", testMatch: "support/*.spec.ts" },
    // Timed on whatever machine this is, so only when asked for, and with nothing beside it.
    ...(process.env["SIGNALBOX_E2E_PERF"] === "1"
      ? [{ name: "perf", grep: TIMED, workers: 1, use: { hostKind: "headless" as const } }]
      : []),
  ],
});
