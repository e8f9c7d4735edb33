import { join } from "node:path";
import { z } from "zod";
import type { Reply } from "../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../core/contract/calls.ts";
import { startNode, waitForOutput } from "./child.ts";
import type { Child } from "./child.ts";
import type { LaunchOptions, Launched } from "./launched.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const readyLine = z.object({ url: z.string(), token: z.string(), pid: z.number().int() });

const loginReply = z.object({ value: z.object({ url: z.string() }) });

/** A headless gateway, ready, without a page. */
export interface Served {
  child: Child;
  url: string;
  token: string;
  /** `POST /rpc`, raw: whatever method and parameters. Rejects when the gateway is not there. */
  rpc(method: string, params: unknown, headers?: Record<string, string>): Promise<Response>;
}

/**
 * Starts `signalbox serve --json` from source and waits until it is ready.
 *
 * @param args Beyond `--data`. `--port 0` where none is given.
 * @throws {EndedEarly} When it ends before it is ready.
 */
export async function serve(
  dataDir: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Served> {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const cli = join(ROOT, "core", "cli.ts");
  const child = startNode([cli, "serve", "--json", "--data", dataDir, ...port, ...args], env);
  const { url, token, pid } = await waitForOutput(child, () => {
    const [line, rest] = child.stdout().split("\n", 2);
    if (line === undefined || rest === undefined) return undefined; // not yet whole
    return readyLine.safeParse(JSON.parse(line)).data; // anything else is why it ends, and is told then
  });
  if (pid !== child.pid) throw new Error(`the ready line names process ${pid}, not ${child.pid}`);
  return {
    child,
    url: url.replace(/\/$/, ""),
    token,
    rpc: (method, params, headers = {}) =>
      fetch(new URL("/rpc", url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
          ...headers,
        },
        body: JSON.stringify({ method, params }),
      }),
  };
}

/** Starts the headless host and logs a browser in to it, as its login link does. */
export async function launchHeadless(
  { dataDir, browser, env }: LaunchOptions,
  args: readonly string[] = [],
): Promise<Launched & { served: Served }> {
  const served = await serve(dataDir, { args, ...(env ? { env } : {}) });
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  await page.goto(await loginLink(served));
  return {
    kind: "headless",
    child: served.child,
    served,
    page,
    async call<N extends CallName>(name: N, input: CallInput<N>) {
      const response = await served.rpc(name, input);
      return (await response.json()) as Reply<CallOutput<N>>;
    },
    reap: () => context.close(),
  };
}

/** A new link that logs one browser in, once. */
export async function loginLink({ url, token }: Served): Promise<string> {
  const response = await fetch(`${url}/login`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  return loginReply.parse(await response.json()).value.url;
}
