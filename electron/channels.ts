/** The two names that cross between the page's preload and the desktop host: one each way. */
export const CALL_CHANNEL = "signalbox:call";
export const PUSH_CHANNEL = "signalbox:push";

/** Where the panel lives inside the desktop host: a scheme of our own, so that no port is opened. */
export const PANEL_SCHEME = "app";
export const PANEL_HOST = "panel";
export const PANEL_URL = `${PANEL_SCHEME}://${PANEL_HOST}/`;

/** True for addresses of the panel's own pages. `URL.origin` is "null" for schemes Node does not know, hence by parts. */
export function isPanelUrl(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === `${PANEL_SCHEME}:` && url.host === PANEL_HOST;
}
