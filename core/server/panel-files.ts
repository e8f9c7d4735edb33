import { createReadStream, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { pipeline } from "node:stream";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The bundler puts a hash of the content into these names: they never change. */
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signalbox</title>
<h1>The panel is not built yet</h1>
<p>The gateway runs. Build its panel with <code>npm run build</code>, then reload this page.</p>
`;

/** Sends a page of ours that needs no file. */
export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": TYPES[".html"], "cache-control": "no-store" });
  response.end(html);
}

/**
 * Serves the built panel. A path without a file and without an extension is a place inside the page: it gets
 * `index.html`. Nothing outside `dir` is ever served.
 */
export function servePanel(
  dir: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const wanted = fileFor(dir, path);
  const index = join(dir, "index.html");
  const file = isFile(wanted) ? wanted : extname(path) === "" && isFile(index) ? index : null;
  if (file === null) {
    if (extname(path) === "") sendPage(response, 503, NOT_BUILT);
    else sendPage(response, 404, "<!doctype html><title>Not found</title><h1>Not found</h1>\n");
    return;
  }
  const immutable = file !== index && path.startsWith("/assets/") && HASHED.test(path);
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (request.method === "HEAD") response.end();
  // A reader that goes away, or a file that is rebuilt meanwhile, ends this answer only.
  else pipeline(createReadStream(file), response, () => undefined);
}

/** @returns null for a path that is no plain path below `dir`. */
function fileFor(dir: string, path: string): string | null {
  let plain: string;
  try {
    plain = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (/[\\\0:]/.test(plain) || plain.split("/").some((part) => part.startsWith("."))) return null;
  const file = join(dir, plain === "/" ? "index.html" : plain);
  return file.startsWith(dir + sep) ? file : null;
}

function isFile(path: string | null): path is string {
  return path !== null && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Set on every answer. `host` is already checked. */
export function securityHeaders(host: string): Record<string, string> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      // Not every engine counts ws: as 'self'.
      `connect-src 'self' ws://${host}`,
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}
