import type { SessionKey } from "../contract/ids.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { TurnFinishStores } from "../turns/turn-finish.ts";
import { ageMs } from "./machine.ts";
import type { MachineRun } from "./machine.ts";
import type { LaneFound } from "./boot-decision.ts";

/** The machine's time now. */
export type Now = MachineRun & { nowMs: number };

/** Lanes with a marker, a resume pending, or restarts counted: all that a start has to look at, found by index. */
export function lanesToExamine({ directory, recovery }: TurnFinishStores): SessionKey[] {
  return [
    ...new Set([
      ...directory.routing.interruptedKeys(),
      ...recovery.allRestarts().map((row) => row.key),
    ]),
  ];
}

/** Reads the facts about one lane; decides nothing. */
export function examineLane(stores: TurnFinishStores, row: RoutingRow, now: Now): LaneFound {
  const { directory, turns, obligations, inbox, recovery } = stores;
  const token = row.activeTurnToken;
  const turn = token === null ? undefined : turns.get(token);
  const tail = token === null ? undefined : directory.messages.tail(row.sessionId);
  const queued = inbox.queuedResume(row.sessionKey);
  const markerAge = ageMs(
    {
      machineBoot: turn?.machineBoot ?? null,
      uptimeMs: turn?.startedUptimeMs ?? null,
      atMs: row.activeTurnStartedAt ?? 0,
    },
    now,
  );
  return {
    suspended: row.suspended === 1,
    stopped:
      turn?.stopBecause == null ? null : { because: turn.stopBecause, tell: turn.stopTell === 1 },
    hasOrigin: originOf(row) !== null,
    marker: token === null || row.activeTurnStartedAt === null ? null : { ageMs: markerAge },
    resumePending:
      row.resumePending === 1
        ? {
            reason: row.resumeReason,
            ageMs: recovery.resumeAgeMs(
              row.sessionKey,
              row.lastResumeMarkedAt ?? row.updatedAt,
              now,
            ),
            told: row.resumeToldAt !== null,
          }
        : null,
    tail: tail
      ? {
          role: tail.role,
          text: tail.content,
          hasToolCalls: tail.toolCalls !== null,
          // By the turn where the row names one: clocks are set. Rows from elsewhere name none.
          sinceMarker:
            tail.turnId === null
              ? tail.timestamp >= (row.activeTurnStartedAt ?? 0)
              : tail.turnId === token,
          internalPrompt: tail.promptKind === "internal",
        }
      : null,
    recorded: token !== null && obligations.hasReplyOf(token),
    resumeQueued: queued ? (queued.place === "slot" ? "next" : "held") : null,
    restarts: recovery.restarts(row.sessionKey),
  };
}
