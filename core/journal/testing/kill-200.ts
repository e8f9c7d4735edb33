import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killSignals } from "./kill-signals.ts";

/** `node core/journal/testing/kill-200.ts [KILLS]`: the long form of the kill test, by hand. */
const kills = Number(process.argv[2] ?? 200);
const dir = mkdtempSync(join(tmpdir(), "signalbox-kill-"));
const faults = await killSignals(join(dir, "data"), kills, (line) => {
  process.stdout.write(`${line}\n`);
});
process.stdout.write(faults.length === 0 ? `${kills} kills, no fault\n` : `${faults.join("\n")}\n`);
if (faults.length === 0) rmSync(dir, { recursive: true });
process.exitCode = faults.length === 0 ? 0 : 1;
