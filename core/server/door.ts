import type { IncomingMessage } from "node:http";
import { SignalboxError } from "../contract/errors.ts";

/**
 * Whether a request is addressed to us by our own name, and comes from our own page or from no page (no `Origin`).
 * Guards against DNS rebinding and foreign pages; it proves nothing about who asks.
 *
 * @returns the checked host, e.g. `127.0.0.1:4000`.
 * @throws {SignalboxError} E_INPUT for a missing or malformed Host or target, E_SENDER for a foreign one.
 */
export function checkDoor(request: IncomingMessage, port: number): string {
  const hosts = request.rawHeaders.filter(
    (text, at) => at % 2 === 0 && text.toLowerCase() === "host",
  );
  const host = request.headers.host?.toLowerCase();
  if (
    host === undefined ||
    hosts.length !== 1 ||
    !/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/.test(host)
  )
    throw new SignalboxError("E_INPUT", "The Host header is missing or malformed.");
  // `GET http://elsewhere/` names a second host, which nothing here would look at.
  if (request.url?.startsWith("/") !== true)
    throw new SignalboxError("E_INPUT", "The request target must be a path.");
  if (!ownHosts(port).has(host))
    throw new SignalboxError("E_SENDER", "This gateway is not reached by that host name.");
  const origin = request.headers.origin;
  if (origin !== undefined && origin !== `http://${host}`)
    throw new SignalboxError("E_SENDER", "Pages of another origin are refused.");
  return host;
}

/** Equality, never a prefix. Browsers leave out port 80. */
function ownHosts(port: number): Set<string> {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])]);
}
