/**
 * The crash test: `npm run test:crash -- [--kills N] [--seed S] [--short] [--json]`. Kills a gateway again and again
 * while people write to it, and judges what they got (architecture, "The promise"); then plays a few stories with a known
 * end. The same seed makes the same choices; what they meet depends on the machine.
 */
import { parseArgs } from "node:util";
import { failpointNames } from "../../core/failpoint.ts";
import { judge } from "./checker.ts";
import { forget, storm } from "./storm.ts";
import { stories } from "./stories.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    /** 60 kills, as `npm test` runs it. */
    short: { type: "boolean", default: false },
    /** The last line is one JSON value. */
    json: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills ?? (values.short ? 60 : 200));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed))
  throw new Error("--kills and --seed are whole numbers");

const startedMs = performance.now();
const say = (line: string): void => {
  console.log(
    `${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${line}`,
  );
};
let passed = 0;
let failed = 0;
const ended = (name: string, fault: string | null): void => {
  if (fault === null) passed += 1;
  else failed += 1;
  say(`${fault === null ? "ok    " : "FAILED"} ${name}${fault === null ? "" : `: ${fault}`}`);
};

for (const { name, run } of stories) {
  try {
    await run();
    ended(name, null);
  } catch (cause) {
    ended(name, cause instanceof Error ? cause.message : String(cause));
  }
}

say(`${kills} kills, seed ${seed}`);
const result = await storm({ kills, seed, say });
const { faults, ...numbers } = judge(result.evidence);
for (const fault of faults.slice(0, 50)) say(`fault  ${fault}`);
const unreached = failpointNames.filter((name) => !result.reached.has(name));
say(`died at ${result.reached.size} of ${failpointNames.length} named places`);
if (unreached.length > 0) say(`not at ${unreached.join(", ")}`);
if (faults.length > 0) say(`everything that was written is in ${result.dir}`);
else forget(result);
const figures = { ...numbers, kills: result.kills };
ended(
  `accepted ${numbers.accepted}, answered once ${numbers.answered}, recovered ${numbers.recovered}, told ${numbers.told}, lost ${numbers.lost}, unlabelled duplicates ${numbers.duplicates}, out of order ${numbers.outOfOrder}`,
  faults.length === 0 ? null : `${faults.length} faults`,
);
if (failed > 0) process.exitCode = 1;
console.log(values.json ? JSON.stringify(figures) : `${passed} passed, ${failed} failed`);
