import { chromium } from "playwright";
import type { Page } from "playwright";
import { EndedEarly, startNode } from "../child.ts";
import type { Child } from "../child.ts";
import type { Evaluate, Told } from "./control.ts";

/** A desktop app that runs on the stand-in, seen from a test. */
export interface StandInApp {
  child: Child;
  page: Page;
  /** Runs `fn` in the app's main process with the `electron` module, as Playwright's `electronApp.evaluate`. */
  evaluate<A, R>(fn: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R>;
  /** Ends the browser that the app left behind when it was killed: a real app's windows die with it. */
  reap(): Promise<void>;
}

const REGISTER = new URL("register.ts", import.meta.url).href;

/**
 * Starts an app's main file on the stand-in and waits for its first page.
 *
 * @throws {EndedEarly} When the app ends before it shows one.
 */
export async function launchOnStandIn(
  main: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<StandInApp> {
  const child = startNode(["--import", REGISTER, main, ...args], env, true);
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.process.on("message", (told: Told) => {
      if (told.type === "loaded") resolve(told.endpoint);
    });
    child.ended.then(({ code, signal }) => {
      reject(new EndedEarly(child, code ?? signal));
    }, reject);
  });
  const browser = await chromium.connectOverCDP(endpoint);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error("the stand-in shows no page");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const browserPid = processInfo.find(({ type }) => type === "browser")?.id;

  const asked = new Map<number, (told: Told & { type: "evaluated" }) => void>();
  child.process.on("message", (told: Told) => {
    if (told.type !== "evaluated") return;
    asked.get(told.id)?.(told);
    asked.delete(told.id);
  });
  let asks = 0;
  return {
    child,
    page,
    async evaluate<A, R>(fn: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A) {
      const message: Evaluate = { id: asks++, source: fn.toString(), arg };
      const told = await new Promise<Told & { type: "evaluated" }>((resolve, reject) => {
        asked.set(message.id, resolve);
        void child.ended.then(() => {
          reject(new Error("the app ended before it answered"));
        });
        child.process.send(message);
      });
      if (told.error !== undefined) throw new Error(told.error);
      return told.value as R;
    },
    async reap() {
      if (browserPid !== undefined) {
        try {
          process.kill(browserPid, "SIGKILL");
        } catch {
          // it went with the app
        }
      }
      await browser.close().catch(() => undefined);
    },
  };
}
