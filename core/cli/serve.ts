import { basename, join } from "node:path";
import { systemClock } from "../clock.ts";
import type { Gateway, StopOptions } from "../gateway.ts";
import type { RunningServer } from "../server/server.ts";
import { browserCookie, loadToken } from "../server/token.ts";
import { version } from "../version.ts";
import { openBrowser } from "./open-browser.ts";
import type { Terminal } from "./terminal.ts";
import { problemText } from "./words.ts";

export interface ServeOptions {
  dataDir: string;
  /** Overrides the settings; 0 = any free one. */
  port?: number | undefined;
  open?: boolean | undefined;
  json: boolean;
}

/** A second signal this soon is the same wish: a terminal and a launcher may both pass one on. */
const SAME_WISH_MS = 1000;

/**
 * Runs the gateway and its loopback server in this process until it is told to stop; resolves when it has stopped.
 *
 * SIGTERM and SIGINT drain; a later second one ends the process at once, which loses nothing that was accepted. A restart
 * (`/restart`) drains and begins anew in this process, at the same address if it can be had, so that links and clients hold.
 *
 * @throws {SignalboxError} E_OWNED naming the owner, and whatever else keeps the data or the port from opening.
 */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<void> {
  const wishes = stopSwitch();
  let ended = await serveOnce(options, terminal, wishes, true);
  while (ended.restarts) {
    const again = { ...options, port: ended.port };
    ended = await serveOnce(again, terminal, wishes, false);
  }
}

async function serveOnce(
  options: ServeOptions,
  terminal: Terminal,
  wishes: StopSwitch,
  first: boolean,
): Promise<{ restarts: boolean; port: number }> {
  const { createGateway } = await import("../gateway.ts");
  const gateway = createGateway({ dataDir: options.dataDir, host: "headless" });
  const stopping = wishes.of(gateway);
  let server: RunningServer;
  try {
    await gateway.start();
    server = await openServer(gateway, options);
  } catch (cause) {
    await gateway.stop("start failed", { now: true });
    throw cause;
  }
  gateway.publishUrl(server.url);
  const wantedPort = options.port ?? gateway.serverSettings.port;
  if (wantedPort !== 0 && wantedPort !== server.port)
    terminal.err(`Port ${wantedPort} is in use; ${server.port} is used instead.\n`);
  if (first) await tellReady(gateway, server, options, terminal);
  else terminal.err("The gateway has restarted.\n");

  const { reason, ...wish } = await stopping;
  await gateway.stop(reason, wish);
  await server.close();
  return { restarts: wish.restart === true && !wishes.isOver(), port: server.port };
}

async function openServer(gateway: Gateway, options: ServeOptions): Promise<RunningServer> {
  const { startServer } = await import("../server/server.ts");
  const token = loadToken(options.dataDir);
  gateway.log.addSecret(token);
  gateway.log.addSecret(browserCookie(token).value);
  return startServer({
    gateway,
    hooks: gateway.hooks,
    clients: gateway.clients,
    token,
    panelDir: panelDir(import.meta.dirname),
    port: options.port ?? gateway.serverSettings.port,
    host: gateway.serverSettings.host,
    clock: systemClock,
    log: gateway.log.log.area("server"),
  });
}

async function tellReady(
  gateway: Gateway,
  server: RunningServer,
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  const { problems } = await gateway.call("config.get", { path: "server" });
  for (const problem of problems) terminal.err(problemText(problem));
  if (options.json) {
    const token = loadToken(options.dataDir);
    terminal.out(`${JSON.stringify({ url: server.url, token, pid: process.pid })}\n`);
  } else {
    terminal.out(
      `Signalbox ${version} runs on ${options.dataDir} (process ${process.pid}).\n` +
        `Open the panel: ${server.loginLink()}\n` +
        "The link works once, within ten minutes; `signalbox open` gives another. Ctrl+C stops.\n",
    );
  }
  if (options.open !== true) return;
  const opened = await openBrowser(server.loginLink(), terminal.env);
  if (!opened) terminal.err("There is no browser to open here; use the link.\n");
}

interface StopWish extends StopOptions {
  reason: string;
}

interface StopSwitch {
  /** The first reason for this gateway to stop: a signal, a launcher that is gone, or a call. */
  of(gateway: Gateway): Promise<StopWish>;
  /** The process itself is to end: nothing starts again. */
  isOver(): boolean;
}

/** One for the process, whatever number of gateways it runs one after the other. */
function stopSwitch(): StopSwitch {
  let gateway: Gateway | null = null;
  let tell: (wish: StopWish) => void = () => undefined;
  let ending: StopWish | null = null;
  let firstMs: number | null = null;
  let hurried = false;
  const end = (reason: string): void => {
    ending ??= { reason };
    tell(ending);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    firstMs ??= nowMs;
    end(signal);
    if (nowMs - firstMs <= SAME_WISH_MS) return;
    if (hurried) process.exit(1); // asked three times: nothing more to wait for
    hurried = true;
    void gateway?.stop(signal, { now: true });
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  // With a terminal only: under nohup, the terminal's end is no wish to stop.
  if (process.stdin.isTTY || process.platform === "win32") process.on("SIGHUP", onSignal);
  if (process.connected)
    process.once("disconnect", () => {
      end("the launcher is gone");
    });
  return {
    isOver: () => ending !== null,
    of(next) {
      gateway = next;
      return new Promise((resolve) => {
        tell = resolve;
        if (ending) resolve(ending);
        next.onStopRequested((options) => {
          resolve({ reason: "asked by a call", ...options });
          if (options.now === true) void next.stop("asked by a call", options); // a drain under way is cut
        });
      });
    },
  };
}

/**
 * Where the built panel is, seen from this file in the sources or in a bundle.
 *
 * @param here This module's directory: `core/cli`, or `dist/core` and below.
 */
export function panelDir(here: string): string {
  for (const base of [join(here, ".."), join(here, "..", "..")])
    if (basename(base) === "dist") return join(base, "renderer");
  return join(here, "..", "..", "dist", "renderer");
}
