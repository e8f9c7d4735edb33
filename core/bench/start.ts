import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { figure, repeat } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seedSessions } from "./seed.ts";
import { diskDir } from "./workplace.ts";

const runs = 7;

/** From the start of the process to a gateway that accepts messages, code cache warm as after a first start. */
export async function benchStart(): Promise<Figures> {
  const root = diskDir();
  const nested = (name: string): string => {
    const dir = join(root, name);
    mkdirSync(dir);
    return dir;
  };
  await coreReady(nested("warm-up"));
  const empty = await repeat(runs, (run) => coreReady(nested(`empty-${run}`)));
  const seeded = nested("seeded");
  await seedSessions(seeded, 10_000);
  const full = await repeat(runs, () => coreReady(seeded));
  return { empty: figure(empty, "ms"), sessions_10000: figure(full, "ms") };
}

/** Starts a gateway in a process of its own and ends it once it has said that it is ready. */
async function coreReady(dir: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, "start-worker.ts"), dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exited]);
  const took = performance.now() - startedMs;
  if (child.exitCode !== null) throw new Error("The gateway ended before it was ready.");
  child.kill("SIGTERM");
  await exited;
  return took;
}
