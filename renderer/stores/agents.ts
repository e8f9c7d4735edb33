import { createStore } from "zustand/vanilla";
import type { Bridge, Reply } from "../../core/contract/bridge.ts";
import type { AgentRow } from "../../core/contract/domain.ts";
import { pulledStore } from "./pulled.ts";

/** Stands in `probing` while every agent is asked. */
export const EVERY_AGENT = "*";

/** The agents as they are, and which of them are being asked whether they answer. */
export function agentsStore(bridge: Bridge) {
  const { store, put, pull, keepFresh } = pulledStore<readonly AgentRow[]>(bridge, async () => {
    const reply = await bridge.call("agents.list", {});
    return reply.ok ? { ok: true, value: reply.value.agents } : reply;
  });
  const probing = createStore<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));

  const take = <R extends Reply<{ agents: AgentRow[] }>>(reply: R): R => {
    if (reply.ok) put(reply.value.agents);
    return reply;
  };

  return {
    store,
    probing,
    actions: {
      pull,
      /** Asks one agent's server, or every one and the usual local ports. */
      async probe(id: string | null) {
        const name = id ?? EVERY_AGENT;
        probing.setState(({ ids }) => ({ ids: new Set([...ids, name]) }));
        const reply = take(await bridge.call("agents.probe", id === null ? {} : { id }));
        probing.setState(({ ids }) => ({ ids: new Set([...ids].filter((one) => one !== name)) }));
        return reply;
      },
      /** `auto`: a found server, else practice. */
      setDefault: async (id: string) => take(await bridge.call("agents.setDefault", { id })),
    },
    start: () =>
      keepFresh([
        bridge.on("agents.changed", ({ agents }) => {
          put(agents);
        }),
      ]),
  };
}

export type Agents = ReturnType<typeof agentsStore>;
