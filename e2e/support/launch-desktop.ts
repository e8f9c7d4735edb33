import { join } from "node:path";
import { _electron } from "playwright";
import type { Reply } from "../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import type { DesktopPort } from "../../electron/preload.ts";
import { findElectron } from "../../scripts/desktop.ts";
import { watch } from "./child.ts";
import type { LaunchOptions, Launched } from "./launched.ts";
import { launchOnStandIn } from "./stand-in/launch.ts";

declare const window: Window & { signalbox: DesktopPort };

/** The built host: what ships, not its source. */
const MAIN = join(import.meta.dirname, "..", "..", "dist", "electron", "main.js");

/** The real runtime's executable, where it is installed and asked for (`npm run e2e:desktop`); else undefined. */
export const realElectron = (): string | undefined =>
  process.env["SIGNALBOX_E2E_ELECTRON"] === "1" ? findElectron() : undefined;

/** A desktop host, on the real runtime or on the stand-in. */
export interface LaunchedDesktop extends Launched {
  /** Runs `fn` in the main process with the `electron` module. It is sent as source: it sees nothing of the test. */
  evaluate<A, R>(fn: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>;
}

/**
 * Starts the desktop host and waits for its window's page.
 *
 * @throws {EndedEarly} When it ends before it shows one (on the stand-in).
 */
export async function launchDesktop({
  dataDir,
  env = {},
}: Omit<LaunchOptions, "browser">): Promise<LaunchedDesktop> {
  const args = ["--data", dataDir];
  const executablePath = realElectron();
  if (executablePath === undefined) {
    const app = await launchOnStandIn(MAIN, args, env);
    return { ...app, kind: "desktop", call: callThrough(app.page) };
  }
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : []; // Chromium's sandbox refuses to run as root
  const app = await _electron.launch({
    executablePath,
    args: [...asRoot, MAIN, ...args],
    env: { ...(process.env as Record<string, string>), ...(env as Record<string, string>) },
  });
  const page = await app.firstWindow();
  return {
    kind: "desktop",
    child: watch(app.process()),
    page,
    call: callThrough(page),
    evaluate: <A, R>(fn: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A) =>
      app.evaluate(fn as Parameters<typeof app.evaluate>[0], arg) as Promise<R>,
    reap: () => Promise.resolve(),
  };
}

const callThrough =
  (page: Launched["page"]): Launched["call"] =>
  async <N extends CallName>(name: N, input: CallInput<N>) =>
    (await page.evaluate(([name, input]) => window.signalbox.call(name, input), [
      name,
      input,
    ] as const)) as Reply<CallOutput<N>>;
