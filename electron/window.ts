import { BrowserWindow, app, nativeTheme, screen } from "electron";
import { isReachable, readPlace, writePlace } from "./window-place.ts";
import { webPreferences } from "./hardening.ts";

const DEFAULT_SIZE = { width: 1280, height: 800 };
const SMALLEST = { minWidth: 640, minHeight: 480 };

/** Ground 0 of the panel's themes (renderer/theme/tokens.css), so that nothing flashes before its first paint. */
const ground = { light: "#FFFFFF", dark: "#14161A" };

/**
 * Makes the window, hidden until its page has something to show, where it was when it was last closed.
 *
 * @param preload Path of the built preload script.
 * @param placeFile Where size and position are kept.
 */
export function createWindow(preload: string, placeFile: string): BrowserWindow {
  const kept = readPlace(placeFile);
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  const { maximized, ...area } = kept ?? { maximized: false, ...DEFAULT_SIZE };
  const window = new BrowserWindow({
    ...(kept && isReachable(kept, screens) ? area : { width: area.width, height: area.height }),
    ...SMALLEST,
    show: false,
    title: "Signalbox",
    autoHideMenuBar: true,
    backgroundColor: nativeTheme.shouldUseDarkColors ? ground.dark : ground.light,
    webPreferences: { ...webPreferences, preload },
  });
  if (maximized) window.maximize();
  window.once("ready-to-show", () => {
    window.show();
  });
  const keepPlace = () => {
    if (window.isDestroyed()) return;
    writePlace(placeFile, { ...window.getNormalBounds(), maximized: window.isMaximized() });
  };
  window.on("close", keepPlace);
  app.on("before-quit", keepPlace); // quitting ends the process without closing the window first
  return window;
}

/** Brings the window to the front, from wherever it is. */
export function raise(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
