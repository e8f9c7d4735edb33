import { defineConfig } from "playwright/test";
import { chromiumOptions } from "./support/chromium.ts";
import type { HostKind } from "./support/host.ts";

/**
 * Whole-gateway tests: each spec runs unchanged on both hosts, through the page that a person uses. What only one
 * host has is in `*.headless.spec.ts` and `*.desktop.spec.ts`.
 *
 * "desktop" runs on Electron where its runtime is installed and SIGNALBOX_E2E_ELECTRON=1 asks for it, else on
 * the stand-in (docs/decisions/0003). Reporters are the command line's to choose.
 */
export default defineConfig<{ hostKind: HostKind }>({
  testDir: ".",
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
      use: { hostKind: "headless" },
    },
    {
      name: "desktop",
      testIgnore: ["support/*", "*.headless.spec.ts"],
      use: { hostKind: "desktop" },
    },
    { name: "stand-in", testMatch: "support/*.spec.ts" },
  ],
});
