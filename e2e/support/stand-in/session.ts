import type { Session } from "electron";
import type { BrowserContext, Request as PageRequest } from "playwright";
import { real, register, shown } from "./addresses.ts";
import { contentsOf } from "./web-contents.ts";
import type { StandInWebContents } from "./web-contents.ts";

type Check = NonNullable<Parameters<Session["setPermissionCheckHandler"]>[0]>;
type FetchHandler = (request: Request) => Response | Promise<Response>;

const schemes = new Map<string, FetchHandler>();
let check: Check = () => true; // Electron's own default

/** Electron's names of permissions, and what Chromium is told for each. */
const permissions: { name: Parameters<Check>[1]; descriptor: { name: string } }[] = [
  { name: "clipboard-sanitized-write", descriptor: { name: "clipboard-write" } },
  { name: "clipboard-read", descriptor: { name: "clipboard-read" } },
  { name: "geolocation", descriptor: { name: "geolocation" } },
  { name: "notifications", descriptor: { name: "notifications" } },
  { name: "media", descriptor: { name: "microphone" } },
];

/** The app's one session: what may be asked for, and what its own schemes answer. */
export const defaultSession = {
  setPermissionRequestHandler(_handler: Parameters<Session["setPermissionRequestHandler"]>[0]) {
    // A headless Chromium asks nobody: the check below decides alone.
  },
  setPermissionCheckHandler(handler: Check | null) {
    check = handler ?? (() => true);
  },
  setDevicePermissionHandler(_handler: Parameters<Session["setDevicePermissionHandler"]>[0]) {
    // no devices are there
  },
};

export const protocol = {
  registerSchemesAsPrivileged(list: { scheme: string }[]): void {
    for (const { scheme } of list) register(scheme);
  },
  handle(scheme: string, handler: FetchHandler): void {
    schemes.set(scheme, handler);
  },
};

/** Answers every request of the browser from the app's own schemes; nothing else is reachable. */
export async function serveContext(context: BrowserContext): Promise<void> {
  await context.route("**/*", async (route) => {
    const request = route.request();
    const contents = ownerOf(request);
    if (!contents) {
      await route.abort("blockedbyclient");
      return;
    }
    const url = real(request.url());
    if (request.isNavigationRequest()) {
      const isMainFrame = request.frame().parentFrame() === null;
      if (!contents.mayNavigate(request.url(), isMainFrame)) {
        await route.abort("aborted");
        return;
      }
      if (isMainFrame) await applyPermissions(contents, url);
    }
    const handler = schemes.get(new URL(url).protocol.slice(0, -1));
    if (!handler) {
      await route.abort("blockedbyclient");
      return;
    }
    const method = request.method();
    const body = method === "GET" || method === "HEAD" ? null : request.postData();
    const response = await handler(new Request(url, { method, body }));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
}

/** Chromium asks at any time and at once, so the app is asked for each permission before its page is there. */
async function applyPermissions(contents: StandInWebContents, url: string): Promise<void> {
  const asked = { getURL: () => url } as Parameters<Check>[0]; // as it will be: the page is not there yet
  for (const { name, descriptor } of permissions) {
    const granted = check(asked, name, new URL(url).origin, { isMainFrame: true });
    await contents.permit(new URL(shown(url)).origin, descriptor, granted);
  }
}

/** @returns undefined for a page that no window of the app made: one being opened by a page, and about to be denied. */
function ownerOf(request: PageRequest): StandInWebContents | undefined {
  try {
    return contentsOf(request.frame().page());
  } catch {
    return undefined; // it is so new that it has no frame yet
  }
}
