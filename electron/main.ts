/** The desktop app's main process: what `electron` is started with. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { app } from "electron";
import { createGateway } from "../core/gateway.ts";
import { dataDirFor } from "../core/state/data-dir.ts";
import { localTime, readOwnerRecord } from "../core/state/owner-record.ts";
import { runDesktop } from "./desktop.ts";
import { systemCipher } from "./system-cipher.ts";

/** Electron's and Chromium's own switches stand among ours, so unknown ones are let through. */
const { values } = parseArgs({
  args: process.argv.slice(1),
  options: { data: { type: "string" } },
  strict: false,
});
const dataDir = dataDirFor(typeof values.data === "string" ? values.data : undefined);

app.setName("Signalbox");
void runDesktop({
  dataDir,
  preload: join(import.meta.dirname, "preload.cjs"),
  panel: join(import.meta.dirname, "..", "renderer"),
  createGateway() {
    const cipher = systemCipher();
    return createGateway({ dataDir, host: "desktop", ...(cipher ? { cipher } : {}) });
  },
  describeOwner() {
    const owner = readOwnerRecord(dataDir);
    return owner
      ? `${dataDir} is in use by process ${owner.pid}, since ${localTime(owner.startedAtMs)} (local time).`
      : `${dataDir} is in use by another process.`;
  },
});
