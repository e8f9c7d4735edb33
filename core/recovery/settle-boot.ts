import type { Database } from "../state/database.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";

/**
 * Brings what a crash left in the middle to a state that routing can work with: turns without an end become
 * interrupted, their lanes are marked to resume, waiting messages are next up again (lifecycle 10.4, 12.10).
 */
export function settleBoot({
  db,
  stores,
  nowMs,
}: {
  db: Database;
  stores: TurnFinishStores;
  nowMs: number;
}): void {
  const { directory, inbox, turns } = stores;
  const { routing } = directory;
  db.writeNow(() => {
    for (const turn of turns.running()) {
      turns.end({
        turnId: turn.turnId,
        state: "interrupted",
        endedAt: nowMs,
        errorCode: null,
        errorMessage: null,
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        replyMessageId: null,
      });
      inbox.endTurn(turn.turnId, "interrupted", nowMs);
      const row = routing.get(turn.sessionKey);
      if (row?.activeTurnToken === turn.turnId)
        routing.patch(turn.sessionKey, {
          activeTurnToken: null,
          activeTurnStartedAt: null,
          ...(row.suspended === 1
            ? {}
            : {
                resumePending: 1 as const,
                resumeReason: "restart_interrupted",
                lastResumeMarkedAt: nowMs,
              }),
        });
    }
    for (const key of inbox.waitingLanes()) inbox.promote(key);
    for (const key of routing.unsettledKeys()) {
      routing.patch(key, { queueDepth: inbox.depth(key).depth });
      routing.settleState(key, nowMs);
    }
  });
}
