import type { AgentRegistry } from "../agents/registry.ts";
import type { Config } from "../config/schema.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";

/** Which agent answers in a lane: its hook's own, where the settings name one that is there, else the default. */
export function chooseAgent(row: RoutingRow, config: Config, registry: AgentRegistry): string {
  const hook = row.channelId.startsWith("webhook:") ? row.channelId.slice("webhook:".length) : "";
  const wanted = config.channels.webhook[hook]?.agent ?? null;
  return wanted !== null && registry.has(wanted) ? wanted : registry.default().id;
}
