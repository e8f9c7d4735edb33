import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { ArrayTable } from "../../components/array-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Panel } from "../../components/panel.tsx";
import { ShortTable } from "../../components/short-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { go, sessionPath } from "../../shell/location.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { followedStore } from "../../stores/followed.ts";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { itemColumns, laneColumns } from "./queue-columns.tsx";
import { useQueueActs } from "./use-queue-acts.ts";
import css from "./queues.module.css";

/** Lanes with work, and every waiting message, oldest first, with the reason it waits (ux.md 3). */
export function QueuesView() {
  const { t } = useTranslation();
  const { bridge, timer, gateway } = usePanel();
  const queues = useKeptStore("queues", () =>
    followedStore(bridge, timer, () => bridge.call("queues.list", {})),
  );
  const { value, error } = useStore(queues.store);
  const stale = useStore(gateway.store, (state) => state.stale);
  const lanes = useMemo(() => laneColumns(t), [t]);
  const items = useMemo(() => itemColumns(t), [t]);
  const acts = useQueueActs(queues.actions.pull, value?.items ?? []);
  useCommands({
    "app.refresh": () => {
      void queues.actions.pull();
      return false; // the app pulls the rest
    },
  });

  if (value === null)
    return (
      <ViewFrame title={t("screen.queues")} actions={<StaleBadge />}>
        {error === null ? (
          <Skeleton width={60} lines={6} />
        ) : (
          <Failure error={error} onRetry={() => void queues.actions.pull()} />
        )}
      </ViewFrame>
    );
  return (
    <ViewFrame wide title={t("screen.queues")} actions={<StaleBadge />}>
      <div className={css["queues"]} data-stale={stale || undefined}>
        <Panel flush title={t("queues.lanes")}>
          <ShortTable rows={value.lanes.length}>
            <ArrayTable
              label={t("queues.lanes")}
              columns={lanes}
              rows={value.lanes}
              keyOf={(lane) => lane.key}
              rowLabel={(lane) => lane.title}
              stale={stale}
              onOpen={(lane) => {
                go(sessionPath(lane.key));
              }}
              menuFor={acts.laneMenu}
              empty={<Empty title={t("queues.noLanes")} />}
            />
          </ShortTable>
        </Panel>
        <Panel
          flush
          title={t("queues.waiting")}
          actions={
            value.total > value.items.length ? (
              <span>{t("queues.shown", { shown: value.items.length, total: value.total })}</span>
            ) : undefined
          }
        >
          <ShortTable rows={value.items.length}>
            <ArrayTable
              label={t("queues.waiting")}
              columns={items}
              rows={value.items}
              keyOf={(item) => String(item.inputId)}
              rowLabel={(item) => item.preview}
              stale={stale}
              onOpen={(item) => {
                go(sessionPath(item.key));
              }}
              menuFor={acts.itemMenu}
              empty={<Empty title={t("queues.nothingWaits")} />}
            />
          </ShortTable>
        </Panel>
      </div>
    </ViewFrame>
  );
}
