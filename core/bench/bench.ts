import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchDisk } from "./disk.ts";
import type { Figures } from "./figures.ts";
import { benchJournal } from "./journal-bench.ts";
import { benchList } from "./list.ts";
import { benchRecovery } from "./recovery-bench.ts";
import { benchScale } from "./scale.ts";
import { benchStart } from "./start.ts";
import { benchStore } from "./store.ts";
import { benchTurns } from "./turns.ts";
import { cleanUp } from "./workplace.ts";

/** `npm run bench [-- part …] [-- --json FILE]`: measures, prints, judges nothing. */
const parts = {
  disk: benchDisk,
  start: benchStart,
  store: benchStore,
  list: benchList,
  scale: benchScale,
  turns: benchTurns,
  journal: benchJournal,
  recovery: benchRecovery,
} satisfies Record<string, () => Promise<Figures>>;

const { values, positionals } = parseArgs({
  options: { json: { type: "string" } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. Parts: ${Object.keys(parts).join(", ")}.`);
  process.exit(1);
}

const figures: Figures = {};
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const found = await measure();
    for (const [what, { value, unit, runs }] of Object.entries(found))
      console.log(
        `${`${name}.${what}`.padEnd(40)} ${String(value).padStart(10)} ${unit} (${runs} runs)`,
      );
    for (const [what, one] of Object.entries(found)) figures[`${name}.${what}`] = one;
  }
} finally {
  cleanUp();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
