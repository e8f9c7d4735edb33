import type { Browser, Page } from "playwright";
import type { Reply } from "../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import type { Child } from "./child.ts";

/** A host that runs, with its panel open in front of a person. Both kinds look the same to a test. */
export interface Launched {
  readonly kind: "headless" | "desktop";
  readonly child: Child;
  readonly page: Page;
  /** One call of the contract, from outside the panel's own code: `POST /rpc`, or the preload's `call`. */
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<Reply<CallOutput<N>>>;
  /** What is left to clean up once the process has ended: its page, or its browser. */
  reap(): Promise<void>;
}

export interface LaunchOptions {
  dataDir: string;
  /** Of the test's own Chromium; the desktop hosts have one of theirs. */
  browser: Browser;
  env?: NodeJS.ProcessEnv;
}
