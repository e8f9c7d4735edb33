import type { Goals } from "../goals/goals.ts";
import type { LaneSignals } from "../sessions/lane-signals.ts";
import { agentOf } from "./agent-key.ts";
import type { Journal } from "./journal.ts";
import { compacted, sessionCreated } from "./producers.ts";

/** Lanes' changes as signals (state-awareness 3, 5.7, 12), in the transactions that make them. */
export function laneSignals(journal: Journal, goals: Goals): LaneSignals {
  return {
    created(row, by, nowMs) {
      const subject = {
        sessionKey: row.sessionKey,
        agentId: agentOf(row.sessionKey),
        sessionId: row.sessionId,
      };
      journal.record(sessionCreated(subject, by ?? { type: "human", id: null }), nowMs);
    },
    boundary(key, nowMs) {
      // The goal goes first: its end is told before those who are told are forgotten (3.3).
      journal.step("goal_at_boundary", undefined, () => {
        goals.clearAtBoundary(key, { type: "human", id: null }, nowMs);
      });
      journal.forgetWatcher(key, nowMs);
    },
    compacted(key, id, operationId, nowMs) {
      journal.record(compacted({ sessionKey: key, sessionId: id }, operationId), nowMs);
    },
  };
}
