import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "playwright/test";
import type { Browser, Page } from "playwright";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import type { Ended } from "./child.ts";
import { launchDesktop } from "./launch-desktop.ts";
import { launchHeadless } from "./launch-headless.ts";
import type { Launched } from "./launched.ts";

export type HostKind = Launched["kind"];

/** One host on a data directory of its own, that a test may stop, kill and start again. */
export interface Host {
  readonly kind: HostKind;
  readonly dataDir: string;
  /** The panel, as a person has it open. A start opens a new one. */
  readonly page: Page;
  /** What runs now. @throws where nothing does. */
  readonly running: Launched;
  /** One call of the contract. @throws {Error} Where the gateway refuses it. */
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>>;
  /** Asks it to end (SIGTERM) and waits. */
  stop(): Promise<Ended>;
  /** Ends it as a crash does (SIGKILL) and waits. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The practice agent answers, whatever servers this machine happens to run. */
const CONFIG = "defaultAgent: practice\n";

export interface Options {
  hostKind: HostKind;
  /** The text of the data directory's config file. */
  config: string;
}

/** `host` runs from before the test until after it, on the host of the project. */
export const test = base.extend<Options & { dataDir: string; prepared: string; host: Host }>({
  hostKind: ["headless", { option: true }],
  config: [CONFIG, { option: true }],
  dataDir: async ({}, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
    await use(dataDir);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  },
  /** The data directory as the first start finds it; for specs that fill it before. */
  prepared: async ({ dataDir }, use) => {
    await use(dataDir);
  },
  host: async ({ hostKind, prepared, config, browser }, use, testInfo) => {
    writeFileSync(join(prepared, "config.yaml"), config);
    const host = makeHost(hostKind, prepared, browser);
    await host.start();
    await use(host);
    const output = await host.dispose();
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach("output", { body: output, contentType: "text/plain" });
    }
  },
});
export { expect } from "playwright/test";

function makeHost(
  kind: HostKind,
  dataDir: string,
  browser: Browser,
): Host & { dispose(): Promise<string> } {
  let launched: Launched | undefined;
  let output = "";

  const running = (): Launched => {
    if (!launched) throw new Error("the host does not run");
    return launched;
  };
  const end = async (signal: NodeJS.Signals): Promise<Ended> => {
    const ending = running();
    const { child } = ending;
    launched = undefined;
    child.process.kill(signal);
    const ended = await child.ended;
    await ending.reap();
    output += child.stdout() + child.stderr();
    return ended;
  };
  return {
    kind,
    dataDir,
    get page() {
      return running().page;
    },
    get running() {
      return running();
    },
    async call<N extends CallName>(name: N, input: CallInput<N>) {
      const reply = await running().call(name, input);
      if (!reply.ok) throw new Error(`${name}: ${reply.error.code}: ${reply.error.message}`);
      return reply.value;
    },
    stop: () => end("SIGTERM"),
    async kill() {
      await end("SIGKILL");
    },
    async start() {
      if (launched) throw new Error("the host already runs");
      launched =
        kind === "headless"
          ? await launchHeadless({ dataDir, browser })
          : await launchDesktop({ dataDir });
    },
    async dispose() {
      if (launched) await end("SIGKILL");
      return output;
    },
  };
}
