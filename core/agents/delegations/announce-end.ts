import type { InboundMessage } from "../../channels/channel.ts";
import { asSessionKey } from "../../contract/ids.ts";
import type { Journal } from "../../journal/journal.ts";
import { originOf } from "../../sessions/routing-store.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import { enqueueInside } from "../../turns/enqueue.ts";
import type { InboxStore } from "../../turns/inbox-store.ts";
import { announcement } from "./child-run.ts";
import type { ChildEnd, ChildRun } from "./child-run.ts";
import type { ChildRunStore } from "./child-run-store.ts";

/** Puts the end of a run before its requester, once, or says why not. Part of the transaction that ends it. */
export function announceEnd(
  {
    directory: { routing },
    inbox,
    journal,
    runs,
  }: { directory: SessionDirectory; inbox: InboxStore; journal: Journal; runs: ChildRunStore },
  run: ChildRun,
  end: ChildEnd,
  nowMs: number,
): void {
  const row = routing.get(asSessionKey(run.requesterKey));
  const source = row ? originOf(row) : null;
  const text = announcement(run, end);
  if (!row || !source || run.requesterSessionId === null) {
    // A client outside has no lane of its own: it reads what waits with its next call.
    const queued = row
      ? journal.enqueue(run.requesterKey, text, `child:${run.runId}`, nowMs)
      : null;
    if (queued === null) runs.setAnnounced(run.runId, "dropped", "the requester is gone");
    else runs.setAnnounced(run.runId, "handed", null);
    return;
  }
  const message: InboundMessage = {
    channelId: row.channelId,
    source,
    text,
    messageId: null,
    internal: true,
    pinned: { sessionId: run.requesterSessionId, delegationId: run.runId },
    provenance: {
      kind: "result",
      from: asSessionKey(run.childKey),
      chain: run.chainId === null ? null : { id: run.chainId, hops: run.chainHops },
    },
  };
  enqueueInside({ inbox, routing }, row.sessionKey, message, "internal", nowMs);
  runs.setAnnounced(run.runId, "handed", null);
}
