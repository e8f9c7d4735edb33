import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright";
import type { BrowserContext, Page } from "playwright";
import { chromiumOptions } from "../chromium.ts";

/** The Chromium behind one stand-in app. */
export interface ChromiumProcess {
  context: BrowserContext;
  /** Where another process connects to the same Chromium (CDP over a WebSocket). */
  endpoint: string;
  /** A page for a new window. The first one is the page that Chromium starts with. */
  newPage(): Promise<Page>;
  /** Whether `newPage` made it; others were opened by a page. */
  isOurs(page: Page): boolean;
}

/** Starts Chromium on a profile folder of its own below `userData`. */
export async function startChromium(userData: string): Promise<ChromiumProcess> {
  const profile = join(userData, "chromium");
  const portFile = join(profile, "DevToolsActivePort");
  rmSync(portFile, { force: true }); // of a run that was killed
  const context = await chromium.launchPersistentContext(profile, {
    ...chromiumOptions,
    args: [...(chromiumOptions.args ?? []), "--remote-debugging-port=0"],
    viewport: null,
    handleSIGINT: false, // these are the app's own to answer
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const [port, path] = readFileSync(portFile, "utf8").trim().split("\n");
  const ours = new Set<Page>(context.pages());
  let unused = context.pages()[0];
  let opening: Promise<Page> | undefined;
  return {
    context,
    endpoint: `ws://127.0.0.1:${port}${path}`,
    async newPage() {
      const first = unused;
      unused = undefined;
      if (first) return first;
      opening = context.newPage();
      const page = await opening;
      ours.add(page);
      opening = undefined;
      return page;
    },
    isOurs: (page) => ours.has(page) || opening !== undefined,
  };
}
