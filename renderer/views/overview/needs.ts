import type {
  ChannelRow,
  GatewayStatus,
  Problem,
  SessionRow,
} from "../../../core/contract/domain.ts";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import { needsMeStates } from "../../../core/contract/session-filter.ts";

/** One thing that waits for the operator, and since when; null where nobody noted the time. */
export type Need = { id: string; sinceMs: number | null } & (
  | { kind: "store"; state: "degraded" | "read_only" }
  | { kind: "settings"; first: Problem; more: number }
  | { kind: "session"; row: SessionRow }
  | { kind: "channel"; row: ChannelRow }
  | { kind: "delivery"; row: DeliveryRow }
);

export interface NeedsOf {
  sessions: readonly SessionRow[];
  channels: readonly ChannelRow[];
  deliveries: readonly DeliveryRow[];
  status: Pick<GatewayStatus, "state" | "problems">;
}

/** Everything that needs a person, oldest first; what has no time holds up all else and comes before. */
export function needsOf({ sessions, channels, deliveries, status }: NeedsOf): Need[] {
  const needs: Need[] = [];
  if (status.state === "degraded" || status.state === "read_only")
    needs.push({ kind: "store", id: "store", sinceMs: null, state: status.state });
  const [first, ...rest] = status.problems;
  if (first !== undefined)
    needs.push({ kind: "settings", id: "settings", sinceMs: null, first, more: rest.length });
  for (const row of sessions)
    if (needsMeStates.includes(row.state))
      needs.push({ kind: "session", id: `session ${row.key}`, sinceMs: row.stateSinceMs, row });
  for (const row of channels)
    if (row.state === "down")
      needs.push({ kind: "channel", id: `channel ${row.id}`, sinceMs: row.sinceMs, row });
  for (const row of deliveries)
    needs.push({ kind: "delivery", id: `delivery ${row.id}`, sinceMs: row.updatedAtMs, row });
  return needs.toSorted((a, b) => (a.sinceMs ?? 0) - (b.sinceMs ?? 0));
}

/** The one best thing to do about it. */
export type Remedy =
  | { act: "settings"; section: "data" | null }
  | { act: "open" | "answer" | "unsuspend" }
  | { act: "agents" | "deliveries" }
  | { act: "channel"; edit: string | null };

/** Turns that failed because of the agent's server, key or model: the session itself is not what needs looking at. */
const agentFaults: ReadonlySet<string> = new Set(["E_AGENT_DOWN", "E_AGENT_KEY", "E_AGENT_MODEL"]);

export function remedyOf(need: Need): Remedy {
  switch (need.kind) {
    case "store":
      return { act: "settings", section: "data" };
    case "settings":
      return { act: "settings", section: null };
    case "session":
      if (need.row.state === "stuck") return { act: "unsuspend" };
      if (need.row.state === "waiting") return { act: "answer" };
      return agentFaults.has(need.row.error?.code ?? "") ? { act: "agents" } : { act: "open" };
    case "channel": {
      const hook = /^webhook:(.+)$/.exec(need.row.id)?.[1] ?? null;
      return { act: "channel", edit: hook };
    }
    case "delivery":
      return { act: "deliveries" };
  }
}
