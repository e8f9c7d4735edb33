import type { BrowserWindow } from "electron";

/** Twice within this is a fault that a reload does not mend: the window is left as it is. */
const MEND_AGAIN_AFTER_MS = 60_000;

/**
 * Shows the panel again after its process died. The gateway lives in this process, and went on.
 *
 * @param nowMs A clock that never steps back, in milliseconds.
 */
export function reloadAfterCrash(
  window: Pick<BrowserWindow, "webContents" | "reload">,
  nowMs: () => number,
): void {
  let mendedAtMs = -Infinity;
  window.webContents.on("render-process-gone", (_event, { reason }) => {
    if (reason === "clean-exit" || nowMs() - mendedAtMs < MEND_AGAIN_AFTER_MS) return;
    mendedAtMs = nowMs();
    window.reload();
  });
}
