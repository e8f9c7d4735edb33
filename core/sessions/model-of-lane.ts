import { modelOverrideFrom } from "./session-entry.ts";
import type { RoutingRow } from "./routing-store.ts";

/** The model that a lane's entry names instead of its agent's own; null where it names none. */
export function modelOfLane(row: Pick<RoutingRow, "modelOverrideJson">): string | null {
  if (row.modelOverrideJson === null) return null;
  return modelOverrideFrom(JSON.parse(row.modelOverrideJson))?.model ?? null;
}
