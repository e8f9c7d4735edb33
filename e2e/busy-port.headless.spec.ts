import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "./support/host.ts";
import { serve } from "./support/launch-headless.ts";

test("a busy port gives way to the next free one", async ({ dataDir }) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const served = await serve(dataDir, { args: ["--port", String(port)] });
  try {
    const given = Number(new URL(served.url).port);
    expect(given).toBeGreaterThan(port);
    expect((await served.rpc("gateway.status", {})).status).toBe(200);
  } finally {
    served.child.process.kill("SIGTERM");
    other.close();
  }
  expect(await served.child.ended).toEqual({ code: 0, signal: null });
});
