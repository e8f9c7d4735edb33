import { onTestFinished } from "vitest";
import type { GatewayOptions, Gateway } from "../gateway.ts";
import { createGateway } from "../gateway.ts";
import { tempDir } from "./temp-dir.ts";

/** A whole gateway on a directory of its own, with the practice agent, stopped at the end of the test. */
export async function startedGateway(
  options: Partial<GatewayOptions> = {},
): Promise<Gateway & { end(): Promise<void> }> {
  const gateway = createGateway({
    dataDir: tempDir(),
    host: "embedded",
    discoverAgents: false,
    ...options,
  });
  const end = (): Promise<void> => gateway.stop("test");
  onTestFinished(end);
  await gateway.start();
  return Object.assign(gateway, { end });
}
