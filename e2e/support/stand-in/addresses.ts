/**
 * A Chromium of its own knows no schemes but the web's, so `app://panel/x` is shown to it as
 * `https://panel.app.stand-in.test/x`: a secure origin as stable as the real one. Nothing outside this folder
 * sees the difference, except the page, in `location`.
 */
const SUFFIX = ".stand-in.test";

const custom = new Set<string>();

/** Makes addresses of this scheme loadable. */
export function register(scheme: string): void {
  custom.add(scheme);
}

/** The address Chromium is given for one of the app's. */
export function shown(address: string): string {
  const url = new URL(address);
  const scheme = url.protocol.slice(0, -1);
  if (!custom.has(scheme)) return address;
  return `https://${url.host}.${scheme}${SUFFIX}${url.pathname}${url.search}${url.hash}`;
}

/** The app's address for one of Chromium's. */
export function real(address: string): string {
  const url = URL.parse(address);
  if (!url?.hostname.endsWith(SUFFIX)) return address;
  const parts = url.hostname.slice(0, -SUFFIX.length).split(".");
  const scheme = parts.pop() ?? "";
  return `${scheme}://${parts.join(".")}${url.pathname}${url.search}${url.hash}`;
}
