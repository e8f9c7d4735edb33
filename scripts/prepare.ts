/** Runs at the end of `npm ci`: builds the page, so that `npx signalbox serve` has one to show. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPrebuiltDatabase } from "./lockfile.ts";
import { ROOT, tool } from "./paths.ts";

/** `npm install` has just rewritten the lockfile, without the mark that spares `npm ci` a compiler. */
function markLockfile(): void {
  const path = join(ROOT, "package-lock.json");
  const text = readFileSync(path, "utf8");
  const marked = withPrebuiltDatabase(text);
  if (marked !== text) writeFileSync(path, marked);
}

/** Inside packaging the build is a step of its own; with production dependencies only there is no bundler. */
const canBuild =
  !["pack", "publish"].includes(process.env["npm_command"] ?? "") && existsSync(tool("vite"));

try {
  if (process.env["npm_command"] === "install") markLockfile();
  if (canBuild) {
    const { ensureBuilt } = await import("./build.ts");
    if (!ensureBuilt(["renderer"])) throw new Error("see above");
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`signalbox: the page could not be built now (${reason}); "npm start" tries again.`);
}
