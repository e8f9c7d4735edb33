import type { AgentRegistry } from "../agents/registry.ts";
import type { ChannelHub } from "../channels/channel-hub.ts";
import type { OpenConfig } from "../config/config.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { NoticeStore } from "../live/notice-store.ts";
import type { LogRing } from "../log/log-ring.ts";
import type { Database } from "../state/database.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { Served } from "./served.ts";
import type { StatusReader } from "./status.ts";

export interface MachineryDeps {
  db: Database;
  status: StatusReader;
  hub: ChannelHub;
  registry: AgentRegistry;
  config: OpenConfig;
  notices: NoticeStore;
  ring: LogRing;
  lanes: Lanes;
  requestStop(options: { now: boolean }): void;
}

/** The calls about the gateway itself: status, channels, agents, settings, notices, logs. */
export function servedMachinery(deps: MachineryDeps) {
  const { hub, registry, config, notices, lanes } = deps;
  return {
    "gateway.status": async () => deps.status.read(),
    "gateway.stop": async ({ now }) => {
      const running = lanes.countRunning();
      setImmediate(() => {
        deps.requestStop({ now }); // the answer leaves first
      });
      return { draining: true, running };
    },

    "channels.list": async () => ({ channels: hub.rows() }),

    "agents.list": async () => ({ agents: registry.list() }),
    "agents.probe": async ({ id }) => ({ agents: await registry.probe(id) }),
    "agents.test": async ({ baseUrl, apiKey }) => registry.testServer(baseUrl, apiKey ?? null),
    "agents.setDefault": async ({ id }) => {
      if (id !== "auto" && !registry.has(id))
        throw new SignalboxError("E_AGENT_UNKNOWN", `There is no agent "${id}".`, { field: "id" });
      config.set("defaultAgent", id);
      return { agents: registry.list() };
    },

    "config.get": async ({ path }) => ({
      value: config.get(path),
      defaults: config.defaults(path),
      file: config.file,
      problems: config.problems,
    }),
    "config.set": async ({ path, value }) => ({ value: config.set(path, value) }),

    "notices.list": async ({ limit, before }) => ({
      notices: notices.list(before ?? Number.MAX_SAFE_INTEGER, limit ?? 50),
      unseen: notices.unseen(),
    }),
    "notices.seen": async ({ through }) => {
      await deps.db.write(() => {
        notices.markSeen(through);
      });
      return { unseen: notices.unseen() };
    },

    "logs.tail": async (filter) => ({ lines: deps.ring.tail(filter) }),
  } satisfies Partial<Served>;
}
