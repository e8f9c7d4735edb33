import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { startNode, waitForOutput } from "../support/child.ts";
import type { Child, Ended } from "../support/child.ts";
import { stringify } from "yaml";

const cli = join(import.meta.dirname, "..", "..", "core", "cli.ts");
const readyLine = z.object({ url: z.string(), token: z.string() });
const reply = z.object({
  ok: z.boolean(),
  value: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** One life of a gateway. */
export interface Life {
  readonly child: Child;
  /** Where it answers; null where it ended before it was ready. */
  readonly ready: Promise<{ url: string; token: string } | null>;
  readonly ended: Promise<Ended>;
  kill(): Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
}

/** Writes the settings of a data directory that is not in use. */
export function writeConfig(dataDir: string, config: unknown): void {
  writeFileSync(join(dataDir, "config.yaml"), stringify(config));
}

/** Starts a gateway on a data directory, with a failpoint armed (`name@nth`) or none. */
export function startGateway(dataDir: string, failpoint: string | null): Life {
  const child = startNode([cli, "--data", dataDir, "--json", "serve", "--port", "0"], {
    SIGNALBOX_FAILPOINT: failpoint ?? "",
    NODE_COMPILE_CACHE: join(dataDir, "..", "compile-cache"), // hundreds of starts of the same code
  });
  const ready = waitForOutput(child, () => {
    const line = child.stdout().split("\n")[0] ?? "";
    return child.stdout().includes("\n") ? readyLine.parse(JSON.parse(line)) : undefined;
  }).then(
    ({ url, token }) => ({ url: url.replace(/\/$/, ""), token }),
    () => null,
  );
  return {
    child,
    ready,
    ended: child.ended,
    kill() {
      child.process.kill("SIGKILL");
      return child.ended;
    },
    signal(signal) {
      child.process.kill(signal);
    },
  };
}

/** One call through the script door. @throws {Error} with the gateway's own words where it refuses. */
export async function rpc(
  at: { url: string; token: string },
  method: string,
  params: unknown = {},
): Promise<unknown> {
  const response = await fetch(`${at.url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${at.token}` },
    body: JSON.stringify({ method, params }),
  });
  const said = reply.parse(await response.json());
  if (!said.ok) throw new Error(`${method}: ${JSON.stringify(said.error)}`);
  return said.value;
}
