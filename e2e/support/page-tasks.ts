import type { Browser, Page } from "playwright";
import { z } from "zod";

const trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Microseconds of the thread's own time: what else this machine does at the moment is not in it. */
      tdur: z.number().optional(),
      args: z.looseObject({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

/**
 * What the page's main thread does while `work` goes on: its longest task, and all of them together.
 *
 * @returns Milliseconds of processor time, so that a busy machine does not look like a slow page.
 */
export async function pageTasks(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<{ longestMs: number; totalMs: number }> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const { traceEvents } = trace.parse(JSON.parse((await browser.stopTracing()).toString("utf8")));
  const thread = ({ pid, tid }: { pid: number; tid: number }) => `${pid}:${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(thread),
  );
  const timesMs = traceEvents
    .filter((event) => event.name.endsWith("RunTask") && mains.has(thread(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
  if (timesMs.length === 0) throw new Error("the trace has no task of the page in it");
  return { longestMs: Math.max(...timesMs), totalMs: timesMs.reduce((sum, ms) => sum + ms, 0) };
}
