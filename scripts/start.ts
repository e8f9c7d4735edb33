/** `npm start`: the desktop window where one can be had, else the same panel in a browser. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./build.ts";
import { chooseHost, findElectron } from "./desktop.ts";
import { DIST, ROOT } from "./paths.ts";

/** Runs the desktop host in this terminal and ends as it ends. */
function runDesktop(electron: string, args: readonly string[]): void {
  const child = spawn(electron, [join(DIST, "electron", "main.js"), ...args], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`signalbox: could not start Electron: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
  });
}

/** Becomes the headless host: the same process, so signals and exit codes are the gateway's own. */
async function runHeadless(args: readonly string[]): Promise<void> {
  const command = join(ROOT, "bin", "signalbox.js");
  process.argv.splice(1, process.argv.length, command, "serve", "--open", ...args);
  await import(pathToFileURL(command).href);
}

const extra = process.argv.slice(2);
const electron = findElectron();
const host = chooseHost({ platform: process.platform, env: process.env, electron });

if (host.kind === "headless" && host.because !== undefined) console.log(host.because);
if (!ensureBuilt(host.kind === "desktop" ? ["renderer", "electron"] : ["renderer"])) {
  console.error("signalbox: the panel could not be built; the reason is above.");
  process.exit(1);
}
if (host.kind === "desktop") runDesktop(host.electron, extra);
else await runHeadless(extra);
