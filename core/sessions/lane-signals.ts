import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "./routing-store.ts";

/** Who made a lane, where it was no person who wrote into it. */
export interface LaneMaker {
  type: "human" | "agent" | "system";
  id: string | null;
}

/** What the journal is told of lanes, inside the transaction that changes them (state-awareness 3). Never throws. */
export interface LaneSignals {
  created(row: RoutingRow, by: LaneMaker | null, nowMs: number): void;
  /** The lane goes on in another conversation. */
  boundary(key: SessionKey, nowMs: number): void;
  compacted(key: SessionKey, id: SessionId, operationId: string, nowMs: number): void;
}

export const noSignals: LaneSignals = {
  created: () => undefined,
  boundary: () => undefined,
  compacted: () => undefined,
};
