/**
 * The crash test: `npm run test:crash -- [--kills N] [--seed S] [--short] [--json]`. Kills a gateway again and again
 * while people write to it, and judges what they got (architecture, "The promise").
 */
import { parseArgs } from "node:util";
import { failpointNames } from "../../core/failpoint.ts";
import { judge } from "./checker.ts";
import { forget, storm } from "./storm.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    short: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills ?? (values.short ? 60 : 200));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const startedMs = performance.now();
console.log(`${kills} kills, seed ${seed}`);
const result = await storm({ kills, seed, say: (line) => console.log(line) });
const verdict = judge(result.evidence);
const seconds = Math.round((performance.now() - startedMs) / 1000);
for (const fault of verdict.faults.slice(0, 50)) console.log(`FAULT ${fault}`);
const unreached = failpointNames.filter((name) => !result.reached.has(name));
console.log(
  `${result.reached.size} of ${failpointNames.length} places died at, in ${seconds} s; not reached: ${unreached.join(", ") || "none"}`,
);
const { faults, ...numbers } = verdict;
const failed = faults.length > 0;
if (failed) {
  console.log(`kept for a look: ${result.dir}`);
  process.exitCode = 1;
} else forget(result);
if (values.json) console.log(JSON.stringify({ ...numbers, kills: result.kills }));
else {
  console.log(JSON.stringify({ ...numbers, kills: result.kills }));
  console.log(failed ? "0 passed, 1 failed" : "1 passed, 0 failed");
}
