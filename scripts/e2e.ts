/** `npm run e2e [-- ARGS]`: the whole-gateway tests; with `--desktop`, on the real Electron runtime. */
import { ensureBuilt } from "./build.ts";
import { findOrInstallChromium } from "./chromium.ts";
import { findElectron } from "./desktop.ts";
import { runPlaywright } from "./stage.ts";

const args = process.argv.slice(2);
const desktop = args.includes("--desktop");
const rest = args.filter((arg) => arg !== "--desktop");

if (desktop && findElectron() === undefined) {
  console.log(
    'Skipped: the Electron runtime is not installed. Run "npx install-electron --no" once, then try again.',
  );
  process.exit(0);
}
if (!ensureBuilt(["renderer", "core", "electron"])) process.exit(1);
if (desktop) process.env["SIGNALBOX_E2E_ELECTRON"] = "1";

const chromium = await findOrInstallChromium();
const { failed } = runPlaywright(chromium, desktop ? ["--project=desktop", ...rest] : rest);
process.exitCode = failed > 0 ? 1 : 0;
