import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkSignals } from "./check-signals.ts";

const worker = join(import.meta.dirname, "signals-worker.ts");

/** Places where a transaction of ours is half or just done; others are met by chance. */
const places = [
  "db.before_commit",
  "db.committed",
  "accept.uncommitted",
  "accept.stored",
  "turn.start_uncommitted",
  "turn.started",
  "turn.finish_uncommitted",
  "turn.finished",
];

interface Ended {
  code: number | null;
  ready: boolean;
  stderr: string;
}

/** Runs a worker until it is killed: at a place, or some ms after it was ready. */
function run(
  args: readonly string[],
  kill: { place: string } | { afterMs: number } | null,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      ...(kill && "place" in kill ? { SIGNALBOX_FAILPOINT: kill.place } : {}),
    };
    const child = spawn(process.execPath, [worker, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let ready = false;
    let stderr = "";
    // A place that is never passed is no reason to wait for ever.
    const tooLong = setTimeout(() => child.kill("SIGKILL"), 90_000);
    child.stdout.on("data", () => {
      if (ready) return;
      ready = true;
      if (kill && "afterMs" in kill) setTimeout(() => child.kill("SIGKILL"), kill.afterMs);
      if (kill && "place" in kill) setTimeout(() => child.kill("SIGKILL"), 3_000);
    });
    child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(tooLong);
      resolve({ code, ready, stderr });
    });
  });
}

/**
 * Kills a gateway that often while its sessions change and are told of it, and looks after each kill at what is on the
 * disk; at last lets it settle.
 * @returns what did not hold, each with the number of the kill after which it was seen.
 */
export async function killSignals(
  dataDir: string,
  kills: number,
  tell: (line: string) => void = () => undefined,
): Promise<string[]> {
  const faults: string[] = [];
  const look = (when: string): void => {
    const copy = join(dataDir, "..", "image");
    rmSync(copy, { recursive: true, force: true }); // a log that was left behind would be read with the file
    cpSync(dataDir, copy, { recursive: true }); // looking must not mend what the next start is to find
    for (const fault of checkSignals(join(copy, "state.db"))) faults.push(`${when}: ${fault}`);
  };
  for (let nth = 1; nth <= kills && faults.length === 0; nth += 1) {
    const place = places[nth % (places.length + 4)];
    const kill =
      place === undefined
        ? { afterMs: Math.random() * 400 }
        : { place: `${place}@${1 + Math.floor(Math.random() * 60)}` };
    const { stderr } = await run([dataDir], kill);
    if (stderr !== "") faults.push(`kill ${nth}: the worker said ${stderr.slice(0, 2000)}`);
    look(`kill ${nth} (${JSON.stringify(kill)})`);
    if (nth % 10 === 0) tell(`${nth} kills, ${faults.length} faults`);
  }
  const { code, stderr } = await run([dataDir, "settle"], null);
  if (code !== 0) faults.push(`it did not settle: ${stderr.slice(0, 2000)}`);
  look("settled");
  return faults;
}
