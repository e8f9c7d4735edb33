import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tool } from "./paths.ts";

/** What the search may look at and do; injected so that its order can be tested. */
export interface Probes {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
  exists(path: string): boolean;
  /** Where Playwright's own browser is, or would be once downloaded. */
  playwrightPath(): Promise<string>;
  /** @returns Whether the command succeeded. */
  run(command: string, args: readonly string[]): boolean;
  say(line: string): void;
}

const MISSING =
  "No Chromium for the tests. Install Chromium or Google Chrome, or run " +
  '"npx playwright install chromium", or set SIGNALBOX_CHROMIUM to the path of one.';

/** The places where installers put it, most likely first. */
function usualPlaces({ platform, env }: Probes): string[] {
  if (platform === "darwin") {
    return [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ];
  }
  if (platform === "win32") {
    const roots = [env["PROGRAMFILES"], env["PROGRAMFILES(X86)"], env["LOCALAPPDATA"]];
    return roots
      .filter((root) => root !== undefined)
      .flatMap((root) => [
        join(root, "Google", "Chrome", "Application", "chrome.exe"),
        join(root, "Chromium", "Application", "chrome.exe"),
      ]);
  }
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return [...names.map((name) => `/usr/bin/${name}`), "/snap/bin/chromium"];
}

/**
 * A Chromium for the tests: a named one, an installed one, Playwright's, else one that it installs.
 *
 * @returns The path of the executable.
 * @throws {Error} With the sentence to show to a person, when none is there and none can be installed.
 */
export async function findOrInstallChromium(probes: Probes = machineProbes()): Promise<string> {
  const named = probes.env["SIGNALBOX_CHROMIUM"];
  if (named) {
    if (probes.exists(named)) return named;
    throw new Error(`SIGNALBOX_CHROMIUM names ${named}, and there is no such file.`);
  }
  const places = usualPlaces(probes);
  const installed = places.find((path) => probes.exists(path));
  if (installed !== undefined) return installed;
  const own = await probes.playwrightPath();
  if (probes.exists(own)) return own;

  probes.say("No Chromium found: downloading the one that Playwright offers…");
  const playwright = tool("playwright/cli.js");
  const downloaded = probes.run(process.execPath, [playwright, "install", "chromium"]);
  if (downloaded && probes.exists(own)) return own;

  if (probes.isRoot && probes.exists("/etc/debian_version")) {
    probes.say("Playwright's download failed: installing the distribution's Chromium…");
    const done =
      probes.run("apt-get", ["update"]) && probes.run("apt-get", ["install", "-y", "chromium"]);
    const fromDebian = places.find((path) => probes.exists(path));
    if (done && fromDebian !== undefined) return fromDebian;
  }
  throw new Error(MISSING);
}

function machineProbes(): Probes {
  return {
    platform: process.platform,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    exists: existsSync,
    playwrightPath: async () => (await import("playwright")).chromium.executablePath(),
    // Standard output stays free for the path, which is all that a caller of the script wants.
    run: (command, args) => {
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
      return spawnSync(command, args, { stdio: ["ignore", 2, 2], env }).status === 0;
    },
    say: (line) => {
      console.error(line);
    },
  };
}

if (import.meta.main) {
  try {
    console.log(await findOrInstallChromium());
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
