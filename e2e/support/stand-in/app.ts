import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChromiumProcess } from "./chromium-process.ts";
import { startChromium } from "./chromium-process.ts";
import { takeInstanceLock } from "./instance-lock.ts";
import { preventable } from "./events.ts";
import { serveContext } from "./session.ts";

let running: ChromiumProcess | undefined;

/** The Chromium of this app; there is one from `ready` on. */
export function chromium(): ChromiumProcess {
  if (!running) throw new Error("Cannot create BrowserWindow before app is ready");
  return running;
}

class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  setName(_name: string): void {
    // shown nowhere in a headless browser
  }
  private readonly paths = new Map<string, string>([
    ["userData", join(tmpdir(), `stand-in-${process.pid}`)],
    ["temp", tmpdir()],
  ]);
  private readonly readied: Promise<void>;
  private leaving = false;
  private locked: { release(): void } | undefined;

  constructor() {
    super();
    // A turn later, so that what must be said before `ready` can be.
    this.readied = new Promise((resolve, reject) => {
      setImmediate(() => {
        if (!this.leaving) this.start().then(resolve, reject);
      });
    });
    this.readied.catch((error: unknown) => {
      process.stderr.write(`stand-in: Chromium did not start: ${String(error)}\n`);
      process.exit(70);
    });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => {
        this.quit(); // as Electron does on POSIX
      });
    }
  }

  private async start(): Promise<void> {
    running = await startChromium(this.getPath("userData"));
    const { context } = running;
    await serveContext(context);
    context.on("page", (page) => {
      if (running?.isOurs(page) === false) void page.close(); // opened by a page, and denied
    });
    this.emit("ready");
  }

  whenReady(): Promise<void> {
    return this.readied;
  }

  enableSandbox(): void {
    // Whether Chromium's own sandbox is on is the tests' choice: see ../chromium.ts.
  }

  getPath(name: string): string {
    const path = this.paths.get(name);
    if (path === undefined) throw new Error(`stand-in: no path '${name}'`);
    return path;
  }

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`Path '${path}' does not exist`);
    this.paths.set(name, path);
  }

  requestSingleInstanceLock(): boolean {
    this.locked ??= takeInstanceLock(this.getPath("userData"), () => {
      this.emit("second-instance", {}, [], process.cwd(), undefined);
    });
    return this.locked !== undefined;
  }

  /** Asks the app first, then closes its windows, then ends. */
  quit(): void {
    const event = preventable({});
    this.emit("before-quit", event);
    if (event.defaultPrevented) return;
    this.exit(0);
  }

  allWindowsClosed(): void {
    if (this.leaving) return;
    if (this.listenerCount("window-all-closed") > 0) this.emit("window-all-closed");
    else this.quit();
  }

  /** Electron starts the app again once it has ended; here whoever looks is told that it would. */
  relaunch(): void {
    process.stderr.write("stand-in: the app would start again\n");
  }

  /** Ends without asking. */
  exit(code = 0): void {
    if (this.leaving) return;
    this.leaving = true;
    this.locked?.release();
    const closed = running?.context.close() ?? Promise.resolve();
    void closed.finally(() => {
      this.emit("quit", {}, code);
      process.exit(code);
    });
  }
}

export const app = new StandInApp();
