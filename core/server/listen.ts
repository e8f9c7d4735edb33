import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignalboxError } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { systemCode } from "../state/private-file.ts";

/** After this many busy ports in a row any free one will do. */
const NEIGHBOURS = 20;

const LOOPBACK: Record<string, string> = {
  "127.0.0.1": "127.0.0.1",
  localhost: "127.0.0.1",
  "::1": "[::1]",
};

/**
 * Listens on this machine only. A busy port gives way to the next free one, and the log says so.
 *
 * @returns the port, and the address as it stands in a URL.
 * @throws {SignalboxError} E_REFUSED for any other address; E_INPUT for a port that may not be opened.
 */
export async function listen(
  server: Server,
  host: string,
  wantedPort: number,
  log: Log,
): Promise<{ port: number; address: string }> {
  const address = LOOPBACK[host];
  if (address === undefined)
    throw new SignalboxError(
      "E_REFUSED",
      `The gateway opens its port to this machine only; "${host}" is refused. Use 127.0.0.1, and a tunnel or ssh -L to reach it from elsewhere.`,
      { host },
    );
  const tries =
    wantedPort === 0 ? [0] : Array.from({ length: NEIGHBOURS }, (_, at) => wantedPort + at);
  for (const port of [...tries.filter((port) => port <= 65_535), 0]) {
    try {
      server.listen({ port, host: address.replace(/[[\]]/g, ""), exclusive: true });
      await once(server, "listening");
    } catch (cause) {
      if (systemCode(cause) === "EADDRINUSE") continue;
      throw new SignalboxError(
        "E_INPUT",
        `Port ${port} of ${address} cannot be opened (${systemCode(cause) ?? "unknown reason"}). Choose another with --port.`,
        { port },
        { cause },
      );
    }
    const got = (server.address() as AddressInfo).port;
    if (wantedPort !== 0 && got !== wantedPort)
      log.warn("port.busy", { text: `Port ${wantedPort} is in use; ${got} is used instead.` });
    return { port: got, address };
  }
  throw new SignalboxError("E_INPUT", "No free port was found.");
}
