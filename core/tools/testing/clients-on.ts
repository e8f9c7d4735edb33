import { createChildRuns } from "../../agents/delegations/child-runs.ts";
import { systemClock } from "../../clock.ts";
import type { Stores } from "../../compose/stores.ts";
import { createRelays } from "../../journal/relays.ts";
import { silentLog } from "../../log/log.ts";
import type { Database } from "../../state/database.ts";
import { createToolClients } from "../clients.ts";
import type { ToolClients } from "../clients.ts";
import { sessionFinder } from "../session-finder.ts";
import { sessionQueryStore } from "../session-query-store.ts";
import { createSessionSends } from "../session-sends.ts";
import { sessionTools } from "../toolbox.ts";
import type { SessionTools } from "../toolbox.ts";
import type { VisibilityRules } from "../visibility.ts";

/** Lanes in which nothing ever runs. */
const still = {
  wake: () => undefined,
  running: () => null,
  steer: () => false,
  isBusy: () => false,
  cut: () => Promise.resolve(false),
};

/** The session tools on a database, without agents. */
export function toolsOn(
  db: Database,
  stores: Stores,
  rules: () => VisibilityRules = () => ({
    visibility: "all",
    agentToAgent: { enabled: true, allow: [] },
  }),
): SessionTools {
  const { directory, inbox, journal, goals, parentage } = stores;
  const clock = systemClock;
  const shared = { db, directory, inbox, journal, clock, lanes: () => still };
  const relays = createRelays({
    store: stores.relays,
    journal,
    limits: () => ({ maxHops: 12, maxPerChain: 40, maxPerPair: 60, windowMs: 86_400_000 }),
    stopped: () => undefined,
  });
  return sessionTools(
    {
      ...shared,
      goals,
      parentage,
      query: sessionQueryStore(db),
      finder: sessionFinder({ directory, parentage, rules }),
      relays,
      sends: createSessionSends({ ...shared, sends: stores.sends }),
      childRuns: createChildRuns({
        ...shared,
        runs: stores.childRuns,
        parentage,
        log: silentLog,
        changed: () => undefined,
      }),
      childRunStore: stores.childRuns,
      rules,
      agentOf: () => ({ id: "practice", model: "practice" }),
      isRunning: () => false,
      changed: () => undefined,
    },
    silentLog,
  );
}

/** The same as programs outside use them. */
export const clientsOn = (db: Database, stores: Stores): ToolClients =>
  createToolClients({
    db,
    directory: stores.directory,
    journal: stores.journal,
    tools: toolsOn(db, stores),
    clock: systemClock,
    changed: () => undefined,
  });
