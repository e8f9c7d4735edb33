import { app, chromium } from "./app.ts";

/** What a test asks of the app's own process: a function's source, run there with the `electron` module. */
export interface Evaluate {
  id: number;
  source: string;
  arg: unknown;
}
/** What the app's process tells a test. */
export type Told =
  | { type: "loaded"; endpoint: string }
  | { type: "evaluated"; id: number; value?: unknown; error?: string };

const tell = (message: Told): void => {
  process.send?.(message);
};

/** Connects the app to the test that started it, as Playwright's `_electron` connects to a real one. */
export function answerTests(electron: object): void {
  process.on("message", ({ id, source, arg }: Evaluate) => {
    const run = async (): Promise<unknown> => {
      // oxlint-disable-next-line no-eval -- the source is the test's own, sent over the channel it opened
      const fn = (0, eval)(`(${source})`) as (electron: object, arg: unknown) => unknown;
      return fn(electron, arg);
    };
    run().then(
      (value) => {
        tell({ type: "evaluated", id, value });
      },
      (error: unknown) => {
        tell({ type: "evaluated", id, error: String(error) });
      },
    );
  });
  process.on("disconnect", () => process.exit(1)); // the test is gone: nobody would end this process
  app.once("stand-in:loaded", () => {
    tell({ type: "loaded", endpoint: chromium().endpoint });
  });
}
