/**
 * `npm test`: the gate. `npm run test:all` (`--all`): everything, on any machine. Both go through every stage, so that
 * all that is broken is seen. Why the gate is smaller: docs/decisions/0005-the-gate.md.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./build.ts";
import { findOrInstallChromium } from "./chromium.ts";
import { ROOT } from "./paths.ts";
import {
  heading,
  runChecks,
  runCounted,
  runPlaywright,
  runVitest,
  sum,
  type Tally,
} from "./stage.ts";

const exists = (path: string) => existsSync(join(ROOT, path));
const one = (succeeded: boolean): Tally => ({
  passed: succeeded ? 1 : 0,
  failed: succeeded ? 0 : 1,
});

async function runWholeGateway(): Promise<Tally> {
  try {
    return runPlaywright(await findOrInstallChromium());
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return one(false);
  }
}

const all = process.argv.includes("--all");
const tallies: Tally[] = [await runChecks(), runVitest(all ? "unit" : "gate")];
if (exists("scripts/vectors.ts")) tallies.push(runCounted("vectors", "scripts/vectors.ts"));

heading("build");
const built = ensureBuilt(["renderer", "core", "electron"]);
if (built) console.log("dist/ is up to date.");
tallies.push(one(built));

if (all && exists("e2e/playwright.config.ts")) tallies.push(await runWholeGateway());
if (all && exists("e2e/crash/crash.ts")) {
  tallies.push(runCounted("crash test", "e2e/crash/crash.ts", ["--short"]));
}
if (all) tallies.push(runVitest("clean-clone"));

const { passed, failed } = sum(tallies);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
