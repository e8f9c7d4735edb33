import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{core,electron,renderer,scripts}/**/*.test.{ts,tsx}", "e2e/crash/*.test.ts"],
          exclude: ["**/node_modules/**", "scripts/clean-clone.test.ts"],
        },
      },
      {
        test: {
          name: "gate",
          include: [
            "{renderer,electron,core/contract,core/vectors,core/agents/cache}/**/*.test.{ts,tsx}",
            "core/recovery/boot-decision.test.ts",
            "core/delivery/silence.test.ts",
            "core/sessions/{access,isolation,session-key,session-source,session-entry,session-id,redaction,whatsapp-identity}.test.ts",
            "core/turns/{command-parse,turn-result,inbox-store}.test.ts",
            "core/state/migrate.test.ts",
            "scripts/{stage,stale,chromium,desktop,lint-walls,lockfile,ui-guard}.test.ts",
          ],
        },
      },
      {
        test: {
          name: "clean-clone",
          include: ["scripts/clean-clone.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
