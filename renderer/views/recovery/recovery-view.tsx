import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { BootReports } from "./boot-reports.tsx";
import { Ledger } from "./ledger.tsx";
import { Loops } from "./loops.tsx";
import { recoveryStores } from "./recovery-stores.ts";
import { useRunRecovery } from "./use-run-recovery.ts";

const TABS = ["boot", "deliveries", "loops"] as const;
type TabId = (typeof TABS)[number];

/** What the last start found and did, what is owed, what loops; and recovery by hand (ux.md 3). */
export function RecoveryView() {
  const { t } = useTranslation();
  const { bridge, timer } = usePanel();
  const stores = useKeptStore("recovery", () => recoveryStores(bridge, timer));
  const ledger = useStore(stores.ledger.store, (state) => state.value);
  const loops = useStore(stores.loops.store, (state) => state.value);
  const params = useParams();
  const run = useRunRecovery(stores.pull);
  const tab = TABS.find((one) => one === params.get("tab")) ?? "boot";
  const tabs = useMemo(
    () =>
      TABS.map((id) => ({
        id,
        label: t(`recovery.tab.${id}`),
        count: {
          boot: undefined,
          deliveries: ledger?.counts["unknown"],
          loops: loops?.loops.length,
        }[id],
      })),
    [t, ledger, loops],
  );
  useCommands({
    "app.refresh": () => {
      void stores.pull();
      return false; // the app pulls the rest
    },
  });
  return (
    <ViewFrame
      wide
      title={t("screen.recovery")}
      actions={
        <>
          <StaleBadge />
          <Button onClick={() => void run(null)}>{t("recovery.run")}</Button>
        </>
      }
    >
      <Tabs<TabId>
        label={t("screen.recovery")}
        tabs={tabs}
        value={tab}
        onChange={(id) => {
          setParams({ tab: id === "boot" ? null : id });
        }}
      >
        {tab === "boot" && <BootReports boots={stores.boots} />}
        {tab === "deliveries" && <Ledger ledger={stores.ledger} />}
        {tab === "loops" && <Loops loops={stores.loops} run={run} />}
      </Tabs>
    </ViewFrame>
  );
}
