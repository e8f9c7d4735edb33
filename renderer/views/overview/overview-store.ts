import type { Bridge } from "../../../core/contract/bridge.ts";
import type { SessionRow } from "../../../core/contract/domain.ts";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import { needsMeStates } from "../../../core/contract/session-filter.ts";
import { channelsStore } from "../../stores/channels.ts";
import type { Gateway } from "../../stores/gateway.ts";
import { pulledStore } from "../../stores/pulled.ts";

/** Sessions that need a person: the oldest of them, and how many there are in all. */
export interface NeedySessions {
  rows: readonly SessionRow[];
  total: number;
}

const SHOWN = 100; // nobody works through more in one sitting; the rest is counted and linked

/** What the Overview shows beside the gateway's status: who needs a person, channels, unknown deliveries. */
export function overviewStore(bridge: Bridge, gateway: Gateway) {
  const sessions = pulledStore<NeedySessions>(bridge, async () => {
    const reply = await bridge.call("sessions.list", {
      filter: "state:needs-me",
      sort: "updated",
      limit: SHOWN,
    });
    if (!reply.ok) return reply;
    return { ok: true, value: { rows: reply.value.sessions, total: reply.value.total } };
  });
  const deliveries = pulledStore<readonly DeliveryRow[]>(bridge, async () => {
    const reply = await bridge.call("deliveries.list", { state: "unknown", limit: SHOWN });
    return reply.ok ? { ok: true, value: reply.value.deliveries } : reply;
  });
  const channels = channelsStore(bridge);

  return {
    sessions: sessions.store,
    deliveries: deliveries.store,
    channels: channels.store,
    actions: {
      async pull() {
        await Promise.all([sessions.pull(), deliveries.pull(), channels.actions.pull()]);
      },
    },
    start() {
      let unknown = gateway.store.getState().status?.counts.unknownDeliveries;
      const stops = [
        channels.start(),
        sessions.keepFresh([
          bridge.on("sessions.delta", ({ upserts, removed, counts }) => {
            const { value: known, asking } = sessions.store.getState();
            if (known === null || asking) {
              void sessions.pull(); // what is on its way may be older than this change
              return;
            }
            const gone = new Set([...removed, ...upserts.map((row) => row.key)]);
            const rows = [
              ...known.rows.filter((row) => !gone.has(row.key)),
              ...upserts.filter((row) => needsMeStates.includes(row.state)),
            ];
            sessions.put({ rows, total: counts.needsMe });
          }),
        ]),
        deliveries.keepFresh(),
        gateway.store.subscribe(({ status }) => {
          if (status === null || status.counts.unknownDeliveries === unknown) return;
          unknown = status.counts.unknownDeliveries;
          void deliveries.pull();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
export type OverviewStore = ReturnType<typeof overviewStore>;
