import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { isPanelUrl } from "./channels.ts";

/** Nothing but the panel's own files; no inline script, no frames, no forms, nobody may embed it. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store", // the files are on this disk already
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

const refuse = (status: 403 | 404 | 405): Response => new Response(null, { status, headers });

const notBuilt = (): Response =>
  new Response(
    '<!doctype html><html lang="en"><title>Signalbox</title><h1>The panel is not built yet</h1>' +
      "<p>The gateway runs. Build its panel with <code>npm run build</code>, then start again.</p>",
    { status: 503, headers: { ...headers, "content-type": types[".html"] ?? "" } },
  );

/** Vite puts here all that the page loads; what is missing from it is a fault, never a place in the panel. */
const ASSETS = "/assets/";

/**
 * Serves the built panel from a folder under `app://panel/`. A path that is no file is a place in the panel
 * and gets its page, so that a reload stays where it was.
 *
 * @returns The handler for `protocol.handle`. It never throws and never reads outside `folder`.
 */
export function panelFiles(folder: string): (request: Request) => Promise<Response> {
  const send = async (path: string, withBody: boolean): Promise<Response> => {
    const bytes = await readFile(join(folder, path));
    const type = types[extname(path)] ?? "application/octet-stream";
    return new Response(withBody ? new Uint8Array(bytes) : null, {
      headers: { ...headers, "content-type": type },
    });
  };
  return async (request) => {
    if (!isPanelUrl(request.url)) return refuse(403);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405);
    const path = safePath(new URL(request.url).pathname);
    if (path === null) return refuse(404);
    const withBody = request.method === "GET";
    try {
      return await send(path, withBody);
    } catch {
      if (path.startsWith(ASSETS)) return refuse(404);
    }
    return send("index.html", withBody).catch(() => notBuilt());
  };
}

/** @returns the decoded path, or null where it is malformed or would lead out of the folder. */
function safePath(pathname: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  const leadsOut = decoded.split("/").includes("..") || /[\\\0]/.test(decoded);
  return leadsOut ? null : decoded;
}
