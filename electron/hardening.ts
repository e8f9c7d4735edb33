import type { Session, WebContents, WebPreferences } from "electron";
import { isPanelUrl } from "./channels.ts";

/** What the page may be and do. One object, so that one test can hold it (architecture, "Security"). */
export const webPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false, // its dictionaries would be fetched from the network, unasked
} as const satisfies WebPreferences;

/** The one permission the panel has a use for: its copy buttons write text to the clipboard. */
const granted: ReadonlySet<string> = new Set(["clipboard-sanitized-write"]);

/** Refuses every permission but writing text to the clipboard, for the panel itself as for anything else. */
export function refusePermissions(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, decide) => {
    decide(granted.has(permission) && isPanelUrl(contents.getURL()));
  });
  session.setPermissionCheckHandler(
    (contents, permission) =>
      granted.has(permission) && contents !== null && isPanelUrl(contents.getURL()),
  );
  session.setDevicePermissionHandler(() => false);
}

/**
 * Opens an address in the person's own browser; the only way out of the panel.
 *
 * @param open What the system offers for it (`shell.openExternal`).
 * @returns False where the address was refused: not https, or carrying a name and password.
 */
export function openExternalLink(address: string, open: (url: string) => Promise<void>): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  void open(url.href).catch(() => {
    // No browser is set up on this machine: nothing the panel could do about it.
  });
  return true;
}

/** Keeps a page where it is: no window of its own, no other address in any of its frames, no embedded guests. */
export function confine(page: WebContents, open: (url: string) => Promise<void>): void {
  page.setWindowOpenHandler(({ url }) => {
    openExternalLink(url, open);
    return { action: "deny" };
  });
  page.on("will-frame-navigate", (event) => {
    if (!event.isMainFrame || !isPanelUrl(event.url)) event.preventDefault();
  });
  page.on("will-redirect", (event) => {
    if (!isPanelUrl(event.url)) event.preventDefault();
  });
  page.on("will-attach-webview", (event) => {
    event.preventDefault();
  });
}
