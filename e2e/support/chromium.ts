import { existsSync } from "node:fs";
import type { LaunchOptions } from "playwright";

/** The Chromium that the runner found (scripts/chromium.ts), an installed one, else Playwright's own. */
const executable = [process.env["SIGNALBOX_CHROMIUM"], "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);

/** How every Chromium of these tests is started: headless, and with no way to any network but this machine's own. */
export const chromiumOptions: LaunchOptions = {
  headless: true,
  ...(executable === undefined ? {} : { executablePath: executable }),
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), // Chromium's sandbox refuses to run as root
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
  ],
};
