/** The desktop host around a gateway that only echoes: for the stand-in's own tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SignalboxError } from "../../../core/contract/errors.ts";
import type { PushListener } from "../../../core/gateway-api.ts";
import { runDesktop } from "../../../electron/desktop.ts";
import type { OwnedGateway } from "../../../electron/desktop.ts";
import { fakePage } from "./fake-page.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, preload: { type: "string" }, refuse: { type: "string" } },
});
const { data = "", preload = "", refuse } = values;

const panel = join(data, "page");
mkdirSync(panel, { recursive: true });
for (const [name, text] of Object.entries(fakePage)) writeFileSync(join(panel, name), text);

const lines = new Map<string, PushListener>();

const gateway: OwnedGateway = {
  bootId: `boot-${process.pid}`,
  async answer(name, input, { actor, connection }) {
    if (name === "test.push") {
      for (const tell of lines.values()) tell("config.changed", { path: "test" });
    }
    if (name === "test.crash") throw new Error("a fault of the gateway's own");
    return { ok: true, value: { name, input, actor, line: connection?.id, lines: lines.size } };
  },
  call() {
    throw new Error("the desktop host has no use for it");
  },
  connect(connection, listener) {
    lines.set(connection.id, listener);
    return () => lines.delete(connection.id);
  },
  async start() {
    if (refuse !== undefined) throw new SignalboxError("E_OWNED", refuse);
  },
  onStopRequested() {
    // nobody asks through the contract here
  },
  async stop(reason) {
    process.stdout.write(`stopped: ${reason}\n`);
  },
};

void runDesktop({
  dataDir: data,
  preload,
  panel,
  createGateway: () => gateway,
  describeOwner: () => "The data is in use by process 1.",
});
