#!/usr/bin/env node
// Plain JavaScript on purpose: this file runs on whatever Node the system has, the rest needs Node 24.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const NEEDED_MAJOR = 24;
const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), "..");

/** The Node 24 that came with `npm ci`. */
function bundledNode() {
  const exe = process.platform === "win32" ? "node.exe" : "node";
  const platform = process.platform === "win32" ? "win" : process.platform;
  const names = [
    "node",
    `node-bin-${platform}-${process.arch}`,
    `node-${platform}-${process.arch}`,
  ];
  const folders = [join(root, "node_modules"), join(root, "node_modules", "node", "node_modules")];
  const candidates = folders.flatMap((folder) =>
    names.map((name) => join(folder, name, "bin", exe)),
  );
  return candidates.find((path) => existsSync(path));
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  process.stderr.write(`signalbox: ${sentence}\n`);
  process.exit(1);
}

/**
 * npm hands a signal to the shell it started us with, and some shells die of it without passing it on. So that
 * ending npm never leaves a gateway behind, one that npm started ends when the process above it does.
 *
 * @param {() => void} end
 */
function endWithNpm(end) {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, 500);
  timer.unref();
}

async function runHere() {
  endWithNpm(() => process.kill(process.pid, "SIGTERM"));
  if (process.env.SIGNALBOX_LAUNCHED === "1") {
    delete process.env.SIGNALBOX_LAUNCHED;
    // A launcher that was killed outright forwards no signal: its closed channel tells us instead.
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
    process.channel?.unref();
  }
  module.enableCompileCache();
  const source = join(root, "core", "cli.ts");
  const built = join(root, "dist", "core", "cli.js");
  const cli = existsSync(source) ? source : built;
  if (!existsSync(cli))
    fail("this copy is incomplete: neither core/cli.ts nor dist/core/cli.js is there.");
  await import(pathToFileURL(cli).href);
}

function runOnNode24() {
  const node =
    bundledNode() ??
    fail(
      `needs Node ${NEEDED_MAJOR} and this is ${process.version}. Run "npm ci" in ${root} to get it, or install Node ${NEEDED_MAJOR}.`,
    );
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, SIGNALBOX_LAUNCHED: "1" },
  });
  endWithNpm(() => child.kill("SIGTERM"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT"); // a terminal has sent Ctrl+C to the child itself
  });
  child.on("error", (error) => fail(`could not start ${node}: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
  });
}

if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) await runHere();
else runOnNode24();
