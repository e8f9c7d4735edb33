import { EventEmitter } from "node:events";
import type { WebContents } from "electron";
import { expect, test } from "vitest";
import { reloadAfterCrash } from "./reload-after-crash.ts";

test("a panel that crashed is shown again, but not over and over", () => {
  const contents = new EventEmitter();
  let reloads = 0;
  let nowMs = 0;
  reloadAfterCrash(
    { webContents: contents as unknown as WebContents, reload: () => reloads++ },
    () => nowMs,
  );
  const gone = (reason: string) => contents.emit("render-process-gone", {}, { reason });
  gone("clean-exit");
  expect(reloads).toBe(0);
  gone("crashed");
  expect(reloads).toBe(1);
  nowMs = 59_999;
  gone("oom");
  expect(reloads).toBe(1);
  nowMs = 60_000;
  gone("oom");
  expect(reloads).toBe(2);
});
