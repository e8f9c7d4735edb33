import type { Bridge } from "../../core/contract/bridge.ts";
import type { ChannelRow } from "../../core/contract/domain.ts";
import { pulledStore } from "./pulled.ts";

/** The channels as they are, while a view shows them. */
export function channelsStore(bridge: Bridge) {
  const { store, put, pull, keepFresh } = pulledStore<readonly ChannelRow[]>(bridge, async () => {
    const reply = await bridge.call("channels.list", {});
    return reply.ok ? { ok: true, value: reply.value.channels } : reply;
  });
  return {
    store,
    actions: { pull },
    start: () =>
      keepFresh([
        bridge.on("channels.changed", ({ channels }) => {
          put(channels);
        }),
      ]),
  };
}

export type Channels = ReturnType<typeof channelsStore>;
