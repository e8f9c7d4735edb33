import type { SessionId } from "../contract/ids.ts";

export interface WakeQuestion {
  /** The session that the run was started from; null where its row is gone. */
  readonly pinned: { readonly endReason: string | null } | null;
  /** Where compression has taken it. */
  readonly pinnedTip: SessionId;
  /** The session that the lane's next turn would run in; null where that would be a new one. */
  readonly next: SessionId | null;
}

export type WakeFate =
  { readonly kind: "run" } | { readonly kind: "drop"; readonly because: string };

/**
 * Whether a result may still wake the conversation that asked for it (lifecycle 13.3). Fails closed: only a session that is
 * live, or was compressed, and is where the lane goes on, is woken. A result that is dropped stays with its record.
 */
export function decideWake({ pinned, pinnedTip, next }: WakeQuestion): WakeFate {
  if (pinned === null) return { kind: "drop", because: "its session is gone" };
  if (pinned.endReason !== null && pinned.endReason !== "compression")
    return { kind: "drop", because: `its session ended (${pinned.endReason})` };
  if (next === null) return { kind: "drop", because: "the lane is about to start fresh" };
  if (next !== pinnedTip) return { kind: "drop", because: "the lane is in another session" };
  return { kind: "run" };
}
