import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BrowserWindow, Menu, app, dialog, ipcMain, protocol, session, shell } from "electron";
import { SignalboxError } from "../core/contract/errors.ts";
import type { Gateway, StopOptions } from "../core/gateway.ts";
import type { GatewayApi } from "../core/gateway-api.ts";
import { PANEL_SCHEME, PANEL_URL } from "./channels.ts";
import { confine, refusePermissions } from "./hardening.ts";
import { openDoor } from "./ipc.ts";
import { menuTemplate } from "./menu.ts";
import { panelFiles } from "./panel-files.ts";
import { reloadAfterCrash } from "./reload-after-crash.ts";
import { createWindow, raise } from "./window.ts";

/** What the desktop host needs of the gateway that it owns. */
export type OwnedGateway = GatewayApi & Pick<Gateway, "start" | "stop" | "onStopRequested">;

export interface DesktopParts {
  dataDir: string;
  /** Path of the built preload script. */
  preload: string;
  /** Folder of the built panel. */
  panel: string;
  /** Opens the gateway of `dataDir`; asked once the app is ready. @throws {SignalboxError} E_OWNED and what else keeps it from starting. */
  createGateway(): OwnedGateway;
  /** Who runs on `dataDir`, in one sentence; asked only when another window does. */
  describeOwner(): string;
}

/**
 * The desktop host: one gateway, one window on it, no port. Resolves when the window is up, or the process
 * has been told to end because it cannot be.
 */
export async function runDesktop(parts: DesktopParts): Promise<void> {
  // The page's profile lies beside the data it shows, which also makes "one instance" mean one per data directory.
  const profile = join(parts.dataDir, "desktop");
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath("userData", profile);
  app.setPath("sessionData", profile);
  if (!app.requestSingleInstanceLock()) {
    say(`${parts.describeOwner()} Its window was brought to the front.`);
    app.exit(1);
    return;
  }
  protocol.registerSchemesAsPrivileged([
    { scheme: PANEL_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
  app.enableSandbox();

  let window: BrowserWindow | null = null;
  app.on("second-instance", () => {
    if (window) raise(window);
  });
  app.on("window-all-closed", () => {
    app.quit();
  });
  await app.whenReady();

  let gateway: OwnedGateway;
  try {
    gateway = parts.createGateway();
    await gateway.start();
  } catch (thrown) {
    refuseToStart(thrown);
    return;
  }
  stopBeforeQuit(gateway);

  refusePermissions(session.defaultSession);
  protocol.handle(PANEL_SCHEME, panelFiles(parts.panel));
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform)));
  window = createWindow(parts.preload, join(profile, "window.json"));
  window.on("closed", () => {
    window = null;
  });
  reloadAfterCrash(window, () => performance.now());
  confine(window.webContents, (url) => shell.openExternal(url));
  openDoor(ipcMain, gateway, window.webContents);
  await window.loadURL(PANEL_URL).catch(() => {
    // Closed before it was shown; anything else Chromium tells in the window itself.
  });
}

/** Ends the process only after the gateway has drained; a second request to quit changes nothing. */
function stopBeforeQuit(gateway: OwnedGateway): void {
  let stopping = false;
  let given: StopOptions = {};
  gateway.onStopRequested((options) => {
    given = options;
    app.quit();
  });
  app.on("before-quit", (event) => {
    event.preventDefault();
    if (stopping) return;
    stopping = true;
    gateway.stop("quit", given).then(
      () => {
        if (given.restart === true) app.relaunch();
        app.exit(0);
      },
      (thrown: unknown) => {
        say(`Signalbox could not stop cleanly: ${inWords(thrown)}`);
        app.exit(1);
      },
    );
  });
}

/** Says why, where a person sees it: in the terminal it was started from, and in a dialog for one who used an icon. */
function refuseToStart(thrown: unknown): void {
  const why = inWords(thrown);
  say(`Signalbox cannot start: ${why}`);
  dialog.showErrorBox("Signalbox cannot start", why);
  app.exit(1);
}

const inWords = (thrown: unknown): string =>
  thrown instanceof SignalboxError || thrown instanceof Error ? thrown.message : String(thrown);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
