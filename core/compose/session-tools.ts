import { modelOfLane } from "../sessions/model-of-lane.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { asSessionKey } from "../contract/ids.ts";
import { sessionFinder } from "../tools/session-finder.ts";
import { sessionQueryStore } from "../tools/session-query-store.ts";
import { sessionTools } from "../tools/toolbox.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { Awareness } from "./awareness.ts";
import type { Base } from "./base.ts";

/** The session tools of this gateway, for its agents and for clients outside. */
export function createSessionTools(
  base: Base,
  awareness: Awareness,
  parts: { lanes(): Lanes; registry: AgentRegistry; chooseAgent(row: RoutingRow): string },
) {
  const { db, stores, clock, config, bus, openLog } = base;
  const { directory, parentage } = stores;
  const rules = () => ({
    visibility: config.value.tools.sessions.visibility,
    agentToAgent: config.value.tools.agentToAgent,
  });
  return sessionTools(
    {
      db,
      directory,
      inbox: stores.inbox,
      journal: stores.journal,
      goals: stores.goals,
      parentage,
      query: sessionQueryStore(db),
      finder: sessionFinder({ directory, parentage, rules }),
      relays: awareness.relays,
      sends: awareness.sends,
      childRuns: awareness.childRuns,
      childRunStore: stores.childRuns,
      clock,
      rules,
      agentOf(key) {
        const row = directory.routing.get(asSessionKey(key));
        if (!row) return null;
        const id = parts.chooseAgent(row);
        const runtime = parts.registry.has(id) ? parts.registry.get(id) : null;
        return { id, model: modelOfLane(row) ?? runtime?.model ?? null };
      },
      isRunning: (key) => parts.lanes().running(asSessionKey(key)) !== null,
      changed: (key) => {
        bus.emit("session.changed", { key: asSessionKey(key), urgent: false });
      },
    },
    openLog.log.area("tools"),
  );
}
