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
          name: "clean-clone",
          include: ["scripts/clean-clone.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
