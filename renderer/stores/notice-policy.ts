import type { Notice } from "../../core/contract/domain.ts";

export type NoticeKind = Notice["kind"];

/** What a raised notice does on screen, beside being recorded in the notices panel. */
export type NoticeEffect = "none" | "toast" | "toast-stays";

export interface NoticeContext {
  muted: readonly NoticeKind[];
  /** The operator is looking at what it links to. */
  inView: boolean;
}

/**
 * Decides whether a notice taps the operator's shoulder (ux.md 8): never for what is in view or muted; what needs
 * a person or failed stays until it is cleared.
 */
export function noticeEffect({ kind }: Notice, { muted, inView }: NoticeContext): NoticeEffect {
  if (inView || muted.includes(kind)) return "none";
  return kind === "info" || kind === "watch" ? "toast" : "toast-stays";
}

const BURST = 10;
const BURST_MS = 10_000;

/** Whether one more toast at `nowMs` would be a burst: over ten in ten seconds become one summary. */
export function isBurst(raisedAtMs: readonly number[], nowMs: number): boolean {
  return raisedAtMs.filter((atMs) => nowMs - atMs < BURST_MS).length >= BURST;
}
