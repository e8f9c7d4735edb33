import type { Bridge } from "../../core/contract/bridge.ts";
import type { ChannelRow } from "../../core/contract/domain.ts";
import type { Gateway } from "./gateway.ts";
import { pulledStore } from "./pulled.ts";

/**
 * The channels as they are, while a view shows them.
 *
 * @param counting With it, message counts follow too: no push tells of each message, so they are asked for as often
 *   as the gateway's status is heard.
 */
export function channelsStore(bridge: Bridge, counting?: Gateway) {
  const { store, put, pull, keepFresh } = pulledStore<readonly ChannelRow[]>(bridge, async () => {
    const reply = await bridge.call("channels.list", {});
    return reply.ok ? { ok: true, value: reply.value.channels } : reply;
  });
  return {
    store,
    actions: { pull },
    start() {
      let heard = counting?.store.getState().heardAtMs;
      const stopCounting = counting?.store.subscribe(({ heardAtMs, link }) => {
        if (heardAtMs === heard || link !== "up") return;
        heard = heardAtMs;
        void pull();
      });
      return keepFresh([
        bridge.on("channels.changed", ({ channels }) => {
          put(channels);
        }),
        () => stopCounting?.(),
      ]);
    },
  };
}
