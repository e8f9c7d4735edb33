import { enableCompileCache } from "node:module";

/** A gateway of its own for `start.ts`: says `ready` and stops at SIGTERM. Cached code, as `bin/signalbox.js` has it. */
enableCompileCache();
const { createGateway } = await import("../gateway.ts");
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("Usage: start-worker.ts DIR");
const gateway = createGateway({ dataDir, host: "embedded", discoverAgents: false });
await gateway.start();
process.stdout.write("ready\n");
const idle = setInterval(() => undefined, 60_000);
process.once("SIGTERM", () => {
  clearInterval(idle);
  void gateway.stop("bench", { now: true });
});
