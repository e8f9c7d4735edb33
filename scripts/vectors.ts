import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "../core/sessions/presence.ts";
import { vectorRunners } from "../core/vectors/runners.ts";
import type { CaseOutcome, VectorRunner } from "../core/vectors/vector-run.ts";
import { ROOT } from "./paths.ts";

// Runs the golden vectors of one folder: SIGNALBOX_VECTORS, else the bundled ones.

const folder = present(process.env["SIGNALBOX_VECTORS"]) ?? join(ROOT, "core", "vectors");

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** All cases of a file; a file that cannot be read as cases is one failure under its own name. */
async function runFile(file: string, runner: VectorRunner): Promise<readonly CaseOutcome[]> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return await runner(parsed);
  } catch (thrown) {
    return [{ id: file, difference: String(thrown) }];
  }
}

let passed = 0;
let failed = 0;
for (const [file, runner] of Object.entries(vectorRunners)) {
  if (!existsSync(join(folder, file))) {
    say(`skipped ${file}: not there`);
    continue;
  }
  if (runner === null) {
    say(`skipped ${file}: not built yet`);
    continue;
  }
  const outcomes = await runFile(file, runner);
  const failures = outcomes.filter((outcome) => outcome.difference !== null);
  for (const { id, difference } of failures) say(`FAILED ${file} ${id}\n${difference ?? ""}`);
  say(`${file}: ${outcomes.length - failures.length} of ${outcomes.length}`);
  passed += outcomes.length - failures.length;
  failed += failures.length;
}
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
